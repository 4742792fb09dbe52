/** What a change of each leaf does, as `claims.json` has it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Path } from '../../support/sample.ts';
import type { ChangedLeaf } from './outcome.ts';

export const CLAIMS_FILE: string = join(import.meta.dirname, 'claims.json');

/** By kind and by the name of the leaf. */
export type Claims = { readonly [kind: string]: { readonly [leaf: string]: string } };

export const CLAIMS: Claims = JSON.parse(readFileSync(CLAIMS_FILE, 'utf8')) as Claims;

export const nameOf = (path: Path): string => path.join('.');

/**
 * The outcomes of all other values, each once; `one value` where there is no other. That a value is refused says something where all are: some
 * of the values that are tried make no sense.
 */
export function claimOf(changed: readonly ChangedLeaf[]): string {
  const outcomes = new Set(changed.map(({ outcome }) => outcome));
  if (outcomes.size === 0) return 'one value';
  if (outcomes.size > 1) outcomes.delete('refused');
  return [...outcomes].sort().join(', ');
}
