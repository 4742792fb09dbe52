/** Regular expressions of others, which must not be able to keep the compiler busy. */

/** Longer patterns are not matched. */
const MAX_PATTERN = 256;
/**
 * Limit on the steps of a match. They may grow with a power of the length of the text, one more for each repetition of varying length, and
 * double with each alternative, and with each part that may be there or not.
 */
const MAX_STEPS = 2 ** 24;

/** Whether a text matches, as far as that can be found out in little time; true when not. */
export function matchesPattern(text: string, pattern: string): boolean {
  if (!isTame(pattern) || estimateSteps(text, pattern) > MAX_STEPS) return true;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    // The pattern may be one of another dialect.
    return true;
  }
}

/** No group is repeated, and nothing looks around or back: so the steps of a match have a bound. */
function isTame(pattern: string): boolean {
  return pattern.length <= MAX_PATTERN && !/\)[*+{]|\(\?[=!<]|\\[1-9k]/.test(pattern);
}

function estimateSteps(text: string, pattern: string): number {
  const repetitions = pattern.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  const choices = pattern.match(/[?|]/g)?.length ?? 0;
  // A pattern that is not anchored is tried from each place.
  const places = pattern.startsWith('^') && !pattern.includes('|') ? 0 : 1;
  return Math.max(2, text.length) ** (repetitions + places) * 2 ** choices;
}
