/** Untrusted text on a terminal: it cannot move the cursor, change colors or reverse the reading direction. */

import { UNPRINTABLE } from '#shared/util';

export { escapeUnprintable } from '#shared/util';

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Does the same as `escapeUnprintable` for source code, where columns must not shift: an unsafe character becomes U+FFFD. */
export function escapeUnprintableCode(text: string): string {
  return text.replace(UNPRINTABLE, '\uFFFD');
}

/** Terminal columns of one code point. */
export function countColumns(char: string): number {
  if (ZERO_WIDTH.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}
