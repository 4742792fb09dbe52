/**
 * Compares `lintel diff` with an oracle on random pairs of specs: 30 here, 2,000 with `npm run test:diff-soundness`, 20,000 with `npm run
 * test:diff-soundness:long`. The number of a pair is its seed; `LINTEL_DIFF_SEED` selects other pairs.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CHANGES } from './changes.ts';
import { checkPairs, classifyWorst, type KindCoverage, type Outcome } from './check-pairs.ts';
import { Oracle } from './oracle.ts';
import { sayDiff } from './verdict.ts';

// Hundreds of compilations and comparisons, whose duration depends on the machine.
vi.setConfig({ testTimeout: 0, hookTimeout: 0 });

/** The number of pairs in `npm run test:slow`. */
const QUICK = 30;
const COUNT = Number(process.env.LINTEL_DIFF_PAIRS ?? QUICK);
const SEED = Number(process.env.LINTEL_DIFF_SEED ?? 1);

/** Maximum share of pairs that `lintel diff` calls unclassified, among those that the oracle can classify. */
const MAX_VAGUE = 0.1;

/** Minimum number of pairs for each kind of changed leaf, in the long run. */
const MIN_PAIRS = 20;
const LONG = 20_000;

let oracle: Oracle;
let outcome: Outcome;
beforeAll(async () => {
  oracle = await Oracle.start();
  const report = (found: Outcome) => console.log(summaryOf(found));
  outcome = await checkPairs({ oracle, say: sayDiff }, { seed: SEED, count: COUNT, onProgress: report });
  if (COUNT > QUICK) report(outcome);
});
afterAll(() => oracle.close());

test('lintel diff classifies no change by which callers gain access as equivalent or narrower', () => {
  expect(outcome.failures.join('\n\n')).toBe('');
});

test('lintel diff says wider, narrower or equivalent for at least 90 percent of the changes for which one of these is right', () => {
  expect(outcome.pure).toBeGreaterThan(COUNT / 10);
  expect(outcome.vague / outcome.pure).toBeLessThanOrEqual(MAX_VAGUE);
});

test.runIf(COUNT >= LONG)(
  'the random pairs of specs contain each kind of change often enough to find the worst effect of this kind',
  () => {
    const seen = CHANGES.map(
      change => [change.kind, classifyWorst(change, outcome.coverage.get(change.kind) as KindCoverage)] as const,
    );
    expect(seen.filter(([, pairs]) => pairs < MIN_PAIRS)).toEqual([]);
  },
);

function summaryOf({ pairs, pure, vague, counts, coverage, failures }: Outcome): string {
  const said = [...counts].sort(([, a], [, b]) => b - a).map(([what, count]) => `  ${count} ${what}`);
  const kinds = [...coverage].map(([kind, { alone, wider }]) => {
    const { equivalent, narrower, mixed, changed } = alone;
    const columns = [alone.wider, narrower, equivalent, mixed + changed, wider];
    return `  ${kind.padEnd(28)}${columns.map(count => String(count).padStart(12)).join('')}`;
  });
  const titles = ['wider', 'narrower', 'equivalent', 'mixed', 'wider with'];
  return [
    `${pairs} pairs from seed ${SEED}, ${failures.length === 0 ? 'none' : 'some'} unsound; ${pure} that one word is true of, of which ${vague} are said to be more`,
    'the oracle says, and lintel diff',
    ...said,
    'the oracle of pairs that change a kind of leaf alone, and how many are wider that change it with others',
    `  ${''.padEnd(28)}${titles.map(title => title.padStart(12)).join('')}`,
    ...kinds,
  ].join('\n');
}
