/** How much a tool may do according to its hints. */
import type { Hints } from '../exposure.ts';
import type { Effect } from './difference.ts';
import { rankEffect } from './effect.ts';

/** MCP's default for a tool without hints: it writes and may destroy. */
export function mayDestroy({ readOnlyHint, destructiveHint }: Hints): boolean {
  return readOnlyHint?.value !== true && destructiveHint?.value !== false;
}

export function isUnannotated({ readOnlyHint, destructiveHint }: Hints): boolean {
  return readOnlyHint === undefined && destructiveHint === undefined;
}

/** @see the tool annotations of MCP: destructiveHint counts only when readOnlyHint is false, and is true by default */
export function hintsEffect(before: Hints, after: Hints): Effect {
  return rankEffect(computeRank(before), computeRank(after));
}

function computeRank(hints: Hints): number {
  if (hints.readOnlyHint?.value === true) return 0;
  if (hints.destructiveHint?.value === false) return 1;
  return 2;
}
