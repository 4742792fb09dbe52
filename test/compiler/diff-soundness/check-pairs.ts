/** Checks many pairs in sequence, and collects the results. */
import { CHANGES, type Change } from './changes.ts';
import type { OracleVerdict } from './comparison.ts';
import { type Design, formatSpecs } from './design.ts';
import { generatePair } from './generate.ts';
import { isPure, type Judgement, type Judges, judge, judgeCompiled } from './judge.ts';
import { shrunk } from './shrink.ts';

export interface Outcome {
  readonly pairs: number;
  /** The number of pairs, by the oracle's verdict and that of `lintel diff`, such as `wider, said mixed`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Pairs for which the oracle's verdict is a pure one. */
  readonly pure: number;
  /** Of these, pairs without a pure verdict of `lintel diff`. */
  readonly vague: number;
  /** The oracle's verdicts, by the kind of leaf that was changed. */
  readonly coverage: ReadonlyMap<string, KindCoverage>;
  /** Reports of unsound pairs, shrunk, for developers. */
  readonly failures: readonly string[];
  /** Kinds of the changes of unsound pairs with one change. */
  readonly unsoundKinds: ReadonlyMap<string, number>;
  /** Kinds of the changes of vague pairs with one change. */
  readonly vagueKinds: ReadonlyMap<string, number>;
}

/** The oracle's verdicts for pairs that change a kind of leaf. */
export interface KindCoverage {
  /** The verdicts for pairs with no other change. */
  readonly alone: { [verdict in OracleVerdict]: number };
  /** The numbers of pairs with or without other changes. */
  wider: number;
}

const MAX_FAILURES = 5;

export interface PairsToCheck {
  /** The seed of the first pair; each further pair has the next one. */
  readonly seed: number;
  readonly count: number;
  /** Failures of different kinds to explain: each takes some hundred comparisons. */
  readonly explained?: number;
  /** Gets the results so far after every `PAIRS_BETWEEN_REPORTS` pairs, except after the last ones. */
  readonly onProgress?: (soFar: Outcome) => void;
}

/** The number of pairs between two reports, so that an interrupted run has reported most of what it found. */
export const PAIRS_BETWEEN_REPORTS = 2_000;

export async function checkPairs(
  judges: Judges,
  { seed, count, explained = MAX_FAILURES, onProgress }: PairsToCheck,
): Promise<Outcome> {
  const counts = new Map<string, number>();
  const coverage = new Map(CHANGES.map(({ kind }) => [kind, noCoverage()]));
  const unsoundKinds = new Map<string, number>();
  const vagueKinds = new Map<string, number>();
  const failures: string[] = [];
  const shown = new Set<string>();
  const add = (to: Map<string, number>, key: string) => to.set(key, (to.get(key) ?? 0) + 1);
  let [pure, vague] = [0, 0];
  const outcomeOf = (pairs: number): Outcome => {
    return { pairs, counts, pure, vague, coverage, failures, unsoundKinds, vagueKinds };
  };
  for (let number = seed; number < seed + count; number++) {
    const done = number - seed;
    if (done > 0 && done % PAIRS_BETWEEN_REPORTS === 0) onProgress?.(outcomeOf(done));
    const { before, after, kinds, compiled } = generatePair(number);
    const judgement = await judgeCompiled(compiled.before, compiled.after, judges);
    const { truth, said } = judgement;
    add(counts, `${truth.verdict}, said ${said.classification}`);
    const [kind = ''] = kinds;
    for (const one of new Set(kinds)) cover(coverage.get(one), truth.verdict, kinds.length === 1);
    if (isPure(truth)) pure++;
    if (judgement.isVague) {
      vague++;
      if (kinds.length === 1) add(vagueKinds, kind);
    }
    if (judgement.isUnsound && kinds.length === 1) add(unsoundKinds, kind);
    // One failure of each kind, because others with the same changes would most likely shrink to the same pair.
    const sort = kinds.toSorted().join();
    if (!judgement.isUnsound || shown.has(sort) || failures.length >= explained) continue;
    shown.add(sort);
    failures.push(await explanation(number, kinds, { before, after }, judges));
  }
  return outcomeOf(count);
}

function noCoverage(): KindCoverage {
  return { alone: { equivalent: 0, narrower: 0, wider: 0, mixed: 0, changed: 0 }, wider: 0 };
}

function cover(kind: KindCoverage | undefined, verdict: OracleVerdict, isAlone: boolean): void {
  if (kind === undefined) return;
  if (isAlone) kind.alone[verdict]++;
  if (verdict === 'wider') kind.wider++;
}

/** The worst verdict among pairs that only change one kind of leaf. A change that moves things is never purely wider. */
export function classifyWorst({ effect }: Change, { alone }: KindCoverage): number {
  return effect === 'widens' ? alone.wider : alone.mixed + alone.changed;
}

async function explanation(
  seed: number,
  kinds: readonly string[],
  pair: { readonly before: Design; readonly after: Design },
  judges: Judges,
): Promise<string> {
  const { before, after } = await shrunk(
    pair,
    async ({ before, after }) => (await judge(before, after, judges))?.isUnsound === true,
  );
  const judgement = (await judge(before, after, judges)) as Judgement;
  const { truth, said } = judgement;
  const examples = (['gained', 'lost', 'changed'] as const).flatMap(how =>
    truth[how].slice(0, 2).map(fact => `  ${how}: ${fact}`),
  );
  return [
    `seed ${seed} (${kinds.join(', ')}): lintel diff says ${said.classification}, and the oracle ${truth.verdict}`,
    ...examples,
    ...said.changes.map(one => `  said: ${one}`),
    `lock: ${JSON.stringify(before.lock)}${JSON.stringify(after.lock) === JSON.stringify(before.lock) ? '' : ` and then ${JSON.stringify(after.lock)}`}`,
    '--- before',
    formatSpecs(before).trimEnd(),
    '--- after: lines that differ',
    differingLines(formatSpecs(before), formatSpecs(after)),
  ].join('\n');
}

/** Lines that only one of the two has, in order. */
function differingLines(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const only = (lines: readonly string[], others: readonly string[], mark: string) =>
    lines.filter(line => !others.includes(line)).map(line => `${mark} ${line}`);
  return [...only(old, now, '-'), ...only(now, old, '+')].join('\n');
}
