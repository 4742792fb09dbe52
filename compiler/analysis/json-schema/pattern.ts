/** Regular expressions from backends and specs, which must not keep the compiler busy. */

/** Maximum length of a pattern that is evaluated. */
const MAX_PATTERN = 256;
/**
 * Limit on the estimated steps of a match. The estimate is a power of the text's length, with an exponent that grows with each repetition, and
 * doubles with each alternative and each optional part.
 */
const MAX_STEPS = 2 ** 24;

/** Whether a text matches, if that can be decided quickly; true otherwise. */
export function matchesPattern(text: string, pattern: string): boolean {
  if (!isTame(pattern) || estimateSteps(text, pattern) > MAX_STEPS) return true;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    // The pattern may use another dialect.
    return true;
  }
}

/** Whether a pattern has no repeated groups, lookarounds or back references, so that the number of steps is bounded. */
function isTame(pattern: string): boolean {
  return pattern.length <= MAX_PATTERN && !/\)[*+{]|\(\?[=!<]|\\[1-9k]/.test(pattern);
}

function estimateSteps(text: string, pattern: string): number {
  const repetitions = pattern.match(/[*+]|\{\d+,\d*\}/g)?.length ?? 0;
  const choices = pattern.match(/[?|]/g)?.length ?? 0;
  // An unanchored pattern is tried at each position.
  const places = pattern.startsWith('^') && !pattern.includes('|') ? 0 : 1;
  return Math.max(2, text.length) ** (repetitions + places) * 2 ** choices;
}
