/** The verdict of `lintel diff` for a pair. */
import { type Classification, diffExposure } from '#compiler';
import type { CompiledDesign } from './compiled.ts';

export interface DiffVerdict {
  readonly classification: Classification;
  /** The changes that it found, for developers. */
  readonly changes: readonly string[];
}

export type Say = (before: CompiledDesign, after: CompiledDesign) => DiffVerdict;

export const sayDiff: Say = (before, after) => {
  const { classification, changes } = diffExposure(before.gateway.exposure(), after.gateway.exposure());
  return {
    classification,
    changes: changes.map(({ type, name, change, effect }) => `${type} ${name}: ${change}, ${effect}`),
  };
};
