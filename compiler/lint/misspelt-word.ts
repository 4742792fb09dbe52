/** Detects misspelt suppression words; a code has to follow, so that prose does not match. */

import { findNearest } from '#shared/util';
import { findCode } from '../diagnostics/find-code.ts';

/** Whether `typed` is a misspelling of `word`. */
export function isMisspelt(typed: string, word: string, behind: string): boolean {
  if (findNearest(typed, [word]) === undefined) return false;
  const [first = ''] = behind.trim().split(/[\s,:]/, 1);
  return /^LNT\d/i.test(first) || findCode(first) !== undefined;
}
