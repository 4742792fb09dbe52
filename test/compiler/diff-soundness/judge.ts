/** The verdicts of the oracle and `lintel diff` for a pair, and whether they are compatible. */

import type { Comparison } from './comparison.ts';
import { type CompiledDesign, compiledDesign } from './compiled.ts';
import type { Design } from './design.ts';
import type { Oracle } from './oracle.ts';
import type { DiffVerdict, Say } from './verdict.ts';

export interface Judgement {
  readonly truth: Comparison;
  readonly said: DiffVerdict;
  /** `lintel diff` answers `equivalent` although something differs, or `narrower` although a caller gains something. */
  readonly isUnsound: boolean;
  /** The true verdict is a single one (`equivalent`, `wider` or `narrower`), and `lintel diff` gives another. */
  readonly isVague: boolean;
}

const PURE: ReadonlySet<string> = new Set(['equivalent', 'wider', 'narrower']);

export function isPure({ verdict }: Comparison): boolean {
  return PURE.has(verdict);
}

/** The two functions that give a verdict. */
export interface Judges {
  readonly oracle: Oracle;
  readonly say: Say;
}

/** Judges a pair; undefined when one side cannot be served. */
export async function judge(before: Design, after: Design, judges: Judges): Promise<Judgement | undefined> {
  const [old, now] = [compiledDesign(before), compiledDesign(after)];
  return old && now && judgeCompiled(old, now, judges);
}

export async function judgeCompiled(
  old: CompiledDesign,
  now: CompiledDesign,
  { oracle, say }: Judges,
): Promise<Judgement> {
  const truth = await oracle.compare(old.bundle, now.bundle);
  const said = say(old, now);
  return {
    truth,
    said,
    isUnsound: isUnsound(said.classification, truth),
    isVague: isPure(truth) && !PURE.has(said.classification),
  };
}

function isUnsound(said: string, { verdict }: Comparison): boolean {
  if (said === 'equivalent') return verdict !== 'equivalent';
  return said === 'narrower' && verdict !== 'narrower' && verdict !== 'equivalent';
}
