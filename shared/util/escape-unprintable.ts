/** Control characters, and the marks that reorder text on screen (as in "Trojan Source"). */
export const UNPRINTABLE: RegExp = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

/** A text as one line. Characters that could move the cursor or reorder text become visible escapes such as `\u001b`. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
