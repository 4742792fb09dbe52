/** TypeScript literals. Invisible and bidirectional control characters are escaped. */

/** A string literal; a multi-line text becomes a template, for readability. */
export function formatStringLiteral(text: string): string {
  return /\n(?!$)/.test(text) ? formatTemplateLiteral(text) : quoteText(text);
}

/** The name of a member, in quotes where it needs them. */
export function formatMemberName(name: string): string {
  // An unquoted `__proto__` would set the prototype.
  if (name === '__proto__') return "['__proto__']";
  return isIdentifier(name) ? name : quoteText(name);
}

export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

function quoteText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return `${quote}${escapeLine(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll(quote, `\\${quote}`)}${quote}`;
}

/** A text as a template literal. Line breaks stay; a carriage return is escaped, because templates normalize it. */
function formatTemplateLiteral(text: string): string {
  return `\`${escapeTemplate(text)}\``;
}

/** The literal text of a template. */
export function escapeTemplate(text: string): string {
  return escapeLine(text).replaceAll('`', '\\`').replaceAll('${', '\\${');
}

function escapeLine(text: string): string {
  return text.replaceAll('\\', '\\\\').replace(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, character => {
    const code = character.codePointAt(0) ?? 0;
    // An unpaired surrogate has no code point escape.
    return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
  });
}
