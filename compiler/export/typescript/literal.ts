/** Texts as TypeScript writes them. What is invisible, or steers the direction of text, is written by its code point. */

/** A string literal; one of several lines is a template, so that it reads as it is. */
export function stringLiteral(text: string): string {
  return /\n(?!$)/.test(text) ? templateLiteral(text) : quoted(text);
}

/** The name of a member, in quotes where it needs them. */
export function memberName(name: string): string {
  // Written plainly it would be the prototype.
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

/** Line breaks stay; a carriage return would be read as one. */
function templateLiteral(text: string): string {
  return `\`${templateText(text)}\``;
}

/** What stands between the backticks and the values of a template. */
export function templateText(text: string): string {
  return escaped(text).replaceAll('`', '\\`').replaceAll('${', '\\${');
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replace(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, character => {
    const code = character.codePointAt(0) ?? 0;
    // Half of a surrogate pair has no code point to be written by.
    return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
  });
}
