/** Values that JavaScript or UTF-8 cannot represent exactly. */

/**
 * Why a number cannot be represented exactly, or `undefined` when it can. Rounded fractions are accepted.
 *
 * @param text - As written: decimal, `0x`, `0o`, fraction or exponent.
 */
export function findNumberProblem(text: string, value: number): string | undefined {
  if (!Number.isFinite(value)) {
    const what = /\d/.test(text) ? 'the number is too large to be represented' : 'JSON has no such number';
    return `${what}; if it is text, quote it`;
  }
  if (Number.isSafeInteger(value) || !/^[-+]?(?:\d+|0x[\da-fA-F]+|0o[0-7]+)$/.test(text)) return undefined;
  const digits = text.replace(/^\+/, '');
  const exact = digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits);
  return exact === BigInt(value) ? undefined : 'the integer cannot be represented exactly; if it is text, quote it';
}

/** Why a text cannot be encoded as UTF-8, or `undefined` when it can. Only escapes such as `\ud800` cause this. */
export function findTextProblem(text: string): string | undefined {
  return text.isWellFormed() ? undefined : 'the text holds half of a surrogate pair, which UTF-8 cannot encode';
}
