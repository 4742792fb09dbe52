/** Many pairs, one after the other, and what came out. */
import { CHANGES } from './changes.ts';
import { type Design, specsOf } from './design.ts';
import { pairOf } from './generate.ts';
import { isPure, type Judgement, type Judges, judge } from './judge.ts';
import { shrunk } from './shrink.ts';

export interface Outcome {
  readonly pairs: number;
  /** By what the oracle says and what is said, such as `wider, said mixed`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Where the oracle says one of the pure answers. */
  readonly pure: number;
  /** Of these, without a pure answer of `lintel diff`. */
  readonly vague: number;
  /** By kind: pairs whose only change is of it and opens or moves something. */
  readonly coverage: ReadonlyMap<string, number>;
  /** Of unsound pairs, shrunk, for people. */
  readonly failures: readonly string[];
  /** Of unsound pairs with one change, by its kind. */
  readonly unsoundKinds: ReadonlyMap<string, number>;
  /** Of vague pairs with one change, by its kind. */
  readonly vagueKinds: ReadonlyMap<string, number>;
}

const MAX_FAILURES = 5;

export interface PairsToCheck {
  /** Of the first pair; each of the others has the next one. */
  readonly seed: number;
  readonly count: number;
  /** How many failures are explained, of different sorts: each takes some hundred comparisons. */
  readonly explained?: number;
}

export async function checkPairs(
  judges: Judges,
  { seed, count, explained = MAX_FAILURES }: PairsToCheck,
): Promise<Outcome> {
  const counts = new Map<string, number>();
  const coverage = new Map<string, number>(CHANGES.map(({ kind }) => [kind, 0]));
  const unsoundKinds = new Map<string, number>();
  const vagueKinds = new Map<string, number>();
  const failures: string[] = [];
  const shown = new Set<string>();
  const add = (to: Map<string, number>, key: string) => to.set(key, (to.get(key) ?? 0) + 1);
  let [pure, vague] = [0, 0];
  for (let number = seed; number < seed + count; number++) {
    const { before, after, kinds } = pairOf(number);
    const judgement = await judge(before, after, judges);
    if (judgement === undefined) throw new Error(`seed ${number}: a side cannot be served`);
    const { truth, said } = judgement;
    add(counts, `${truth.verdict}, said ${said.classification}`);
    const [kind = ''] = kinds;
    if (kinds.length === 1 && isWorst(kind, judgement)) add(coverage, kind);
    if (isPure(truth)) pure++;
    if (judgement.isVague) {
      vague++;
      if (kinds.length === 1) add(vagueKinds, kind);
    }
    if (judgement.isUnsound && kinds.length === 1) add(unsoundKinds, kind);
    // One of a sort: others of the same changes would most likely shrink to the same.
    const sort = kinds.toSorted().join();
    if (!judgement.isUnsound || shown.has(sort) || failures.length >= explained) continue;
    shown.add(sort);
    failures.push(await explanation(number, kinds, { before, after }, judges));
  }
  return { pairs: count, counts, pure, vague, coverage, failures, unsoundKinds, vagueKinds };
}

/** A change that this kind of leaf is dangerous for. */
function isWorst(kind: string, { truth }: Judgement): boolean {
  const effect = CHANGES.find(change => change.kind === kind)?.effect;
  return effect === 'widens' ? truth.verdict === 'wider' : truth.verdict === 'mixed' || truth.verdict === 'changed';
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
    specsOf(before).trimEnd(),
    '--- after: lines that differ',
    differingLines(specsOf(before), specsOf(after)),
  ].join('\n');
}

/** Lines that only one of both has, in their order. */
function differingLines(before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const only = (lines: readonly string[], others: readonly string[], mark: string) =>
    lines.filter(line => !others.includes(line)).map(line => `${mark} ${line}`);
  return [...only(old, now, '-'), ...only(now, old, '+')].join('\n');
}
