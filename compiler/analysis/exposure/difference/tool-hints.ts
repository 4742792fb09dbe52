/** How much a tool may do according to its hints. */
import type { Hints } from '../exposure.ts';
import { listSaferHints, toReportHints } from '../report-hints.ts';
import type { Effect } from './difference.ts';
import { rankEffect } from './effect.ts';

/** Whether a tool may destroy something. This is MCP's default for a tool without hints. */
export function mayDestroy(hints: Hints): boolean {
  const { readOnlyHint, destructiveHint } = toReportHints(hints);
  return readOnlyHint?.value !== true && destructiveHint?.value !== false;
}

export function isUnannotated({ readOnlyHint, destructiveHint }: Hints): boolean {
  return readOnlyHint === undefined && destructiveHint === undefined;
}

/** Whether the spec now calls the tool safer than its backend does, which it did not do before. */
export function isNewlyCalledSafer(before: Hints | undefined, after: Hints): boolean {
  const known = before === undefined ? [] : listSaferHints(before);
  return listSaferHints(after).some(hint => !known.includes(hint));
}

/** @see the tool annotations of MCP: destructiveHint counts only when readOnlyHint is false, and is true by default */
export function compareHints(before: Hints, after: Hints): Effect {
  return rankEffect(computeRank(toReportHints(before)), computeRank(toReportHints(after)));
}

function computeRank(hints: Hints): number {
  if (hints.readOnlyHint?.value === true) return 0;
  if (hints.destructiveHint?.value === false) return 1;
  return 2;
}
