/** Values as Cedar literals. No value from a program can end the literal that contains it. */

/**
 * A string literal. Invisible and bidirectional control characters are escaped, so that the policy's text shows what is evaluated.
 *
 * @throws RangeError for an unpaired surrogate, which Cedar cannot represent
 */
export function cedarString(text: string): string {
  return `"${escaped(text)}"`;
}

/** The pattern for `like` that matches texts with this prefix; the prefix itself is taken literally. */
export function cedarPrefix(text: string): string {
  return `"${escaped(text).replaceAll('*', '\\*')}*"`;
}

export function cedarEntity(type: string, id: string): string {
  return `${type}::${cedarString(id)}`;
}

/** A condition on an attribute that may be missing: first a `has` test, then the condition. */
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
