/** Values that JavaScript or UTF-8 cannot hold as they were written. */

/**
 * Why a number cannot be stored as its text says, or `undefined` when it can. Rounding of fractions is what everyone
 * expects.
 *
 * @param text - As written: decimal, `0x`, `0o`, fraction or exponent.
 */
export function numberProblem(text: string, value: number): string | undefined {
  if (!Number.isFinite(value)) {
    const what = /\d/.test(text) ? 'the number is too large to be held' : 'JSON has no such number';
    return `${what}; if it is text, quote it`;
  }
  if (Number.isSafeInteger(value) || !/^[-+]?(?:\d+|0x[\da-fA-F]+|0o[0-7]+)$/.test(text)) return undefined;
  const digits = text.replace(/^\+/, '');
  const written = digits.startsWith('-') ? -BigInt(digits.slice(1)) : BigInt(digits);
  return written === BigInt(value) ? undefined : 'the integer cannot be represented exactly; if it is text, quote it';
}

/** Why a text cannot be written as UTF-8, or `undefined` when it can. Only escapes such as `\ud800` lead to this. */
export function textProblem(text: string): string | undefined {
  return text.isWellFormed() ? undefined : 'the text holds half of a surrogate pair, which UTF-8 cannot encode';
}
