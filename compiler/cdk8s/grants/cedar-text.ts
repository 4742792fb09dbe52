/** Values as Cedar writes them. Nothing that a program gives can end the string it stands in. */

/**
 * A string literal. What is invisible or steers the direction of text is written by its code point, so that a policy reads as it
 * is evaluated.
 *
 * @throws RangeError for half of a surrogate pair: it is no text, and Cedar has no way to say it
 */
export function cedarString(text: string): string {
  return `"${escaped(text)}"`;
}

/** What `like` compares with: the texts that begin with this one, which holds no wildcard itself. */
export function cedarPrefix(text: string): string {
  return `"${escaped(text).replaceAll('*', '\\*')}*"`;
}

export function cedarEntity(type: string, id: string): string {
  return `${type}::${cedarString(id)}`;
}

/** An attribute of a variable that may not have it: first whether it is there, then what has to hold of it. */
export function guarded(variable: string, attribute: string, test: (access: string) => string): string {
  const isPlain = /^[A-Za-z_][A-Za-z0-9_]*$/.test(attribute);
  const access = isPlain ? `${variable}.${attribute}` : `${variable}[${cedarString(attribute)}]`;
  return `${variable} has ${isPlain ? attribute : cedarString(attribute)} && ${test(access)}`;
}

function escaped(text: string): string {
  if (!text.isWellFormed()) throw new RangeError(`${JSON.stringify(text)} holds half of a surrogate pair`);
  return text
    .replace(/["\\]/g, '\\$&')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, character => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
