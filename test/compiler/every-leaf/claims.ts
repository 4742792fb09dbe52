/** Reads from `claims.json` which effect a change of each leaf (a field without fields of its own) has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Path } from '../../support/sample.ts';
import type { ChangedLeaf } from './outcome.ts';

export const CLAIMS_FILE: string = join(import.meta.dirname, 'claims.json');

/** The effects by kind and by the name of the leaf. */
export type Claims = { readonly [kind: string]: { readonly [leaf: string]: string } };

export const CLAIMS: Claims = JSON.parse(readFileSync(CLAIMS_FILE, 'utf8')) as Claims;

export const nameOf = (path: Path): string => path.join('.');

/**
 * The outcomes of all other values of a leaf, each once; `one value` if there is no other value. `refused` is only included if all values are
 * refused, because some of the tried values are not meaningful.
 */
export function claimOf(changed: readonly ChangedLeaf[]): string {
  const outcomes = new Set(changed.map(({ outcome }) => outcome));
  if (outcomes.size === 0) return 'one value';
  if (outcomes.size > 1) outcomes.delete('refused');
  return [...outcomes].sort().join(', ');
}
