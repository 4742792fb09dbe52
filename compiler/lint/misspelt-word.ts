/** Words of suppressions that were meant to be right; what is behind them has to be a code, as in no prose. */

import { findCode } from '../diagnostics/find-code.ts';
import { nearest } from '../text/nearest.ts';

/** Whether `written`, which is not `word`, was meant to be it. */
export function isMisspelt(written: string, word: string, behind: string): boolean {
  if (nearest(written, [word]) === undefined) return false;
  const [first = ''] = behind.trim().split(/[\s,:]/, 1);
  return /^LNT\d/i.test(first) || findCode(first) !== undefined;
}
