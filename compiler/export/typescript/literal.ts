/** TypeScript literals. Invisible and bidirectional control characters are escaped. */

/** A string literal; a multi-line text becomes a template, for readability. */
export function stringLiteral(text: string): string {
  return /\n(?!$)/.test(text) ? templateLiteral(text) : quoted(text);
}

/** The name of a member, in quotes where it needs them. */
export function memberName(name: string): string {
  // An unquoted `__proto__` would set the prototype.
  if (name === '__proto__') return "['__proto__']";
  return isIdentifier(name) ? name : quoted(name);
}

export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return `${quote}${escaped(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll(quote, `\\${quote}`)}${quote}`;
}

/** Line breaks stay; a carriage return is escaped, because templates normalize it. */
function templateLiteral(text: string): string {
  return `\`${templateText(text)}\``;
}

/** The literal text of a template. */
export function templateText(text: string): string {
  return escaped(text).replaceAll('`', '\\`').replaceAll('${', '\\${');
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replace(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, character => {
    const code = character.codePointAt(0) ?? 0;
    // An unpaired surrogate has no code point escape.
    return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
  });
}
