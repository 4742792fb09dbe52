/** Regular expressions of others, which must not be able to keep the compiler busy. */

/** Longer texts and patterns are not matched: the time may grow with a power of the length. */
const MAX_TEXT = 128;
const MAX_PATTERN = 256;
/** Repetitions of varying length; each is one more power. */
const MAX_REPETITIONS = 2;
/** What may be there or not, and alternatives; each may double the time. */
const MAX_CHOICES = 10;

/** Whether a text matches, as far as that can be found out in little time; true when not. */
export function matchesPattern(text: string, pattern: string): boolean {
  if (text.length > MAX_TEXT || !isTame(pattern)) return true;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    // Of another dialect.
    return true;
  }
}

/** No group is repeated, nothing looks around or back, and there is little choice: so matching cannot take long. */
function isTame(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN || /\)[*+{]|\(\?[=!<]|\\[1-9k]/.test(pattern)) return false;
  const repetitions = pattern.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  const choices = pattern.match(/[?|]/g)?.length ?? 0;
  return repetitions <= MAX_REPETITIONS && choices <= MAX_CHOICES;
}
