/** The search finds real tools for users' queries: the benchmark's minimum recall, including queries that were not used for tuning. */
import { beforeAll, expect, test } from 'vitest';
import { corpusQueries, corpusTools, recordedEmbeddings } from '../../bench/retrieval/corpus.ts';
import { RATIOS, RetrievalBench } from '../../bench/retrieval/measure.ts';

let bench: RetrievalBench;
beforeAll(() => {
  bench = new RetrievalBench(recordedEmbeddings());
});

test('the retrieval benchmark is large enough, and contains the right tool of every query', () => {
  const names = new Set(corpusTools().map(({ name }) => name));
  const queries = [...corpusQueries('open'), ...corpusQueries('held-out')];
  expect(names.size).toBe(bench.tools);
  expect(names.size).toBeGreaterThanOrEqual(400);
  expect(new Set(queries.map(({ server }) => server)).size).toBeGreaterThanOrEqual(30);
  expect(queries.length).toBeGreaterThanOrEqual(300);
  expect(new Set(queries.map(({ query }) => query)).size).toBe(queries.length);
  expect(queries.flatMap(({ server, tools }) => tools.filter(tool => !names.has(`${server}_${tool}`)))).toEqual([]);
});

test.each<[set: 'open' | 'held-out', search: keyof typeof RATIOS, first: number, eighth: number]>([
  ['open', 'keyword', 0.6, 0.9],
  ['open', 'semantic', 0.7, 0.95],
  ['open', 'hybrid', 0.7, 0.95],
  ['held-out', 'keyword', 0.6, 0.9],
  ['held-out', 'semantic', 0.7, 0.95],
  ['held-out', 'hybrid', 0.7, 0.95],
])(
  'the search finds the right tool for enough queries of the benchmark: %s queries, %s search',
  (set, search, first, eighth) => {
    const { recall, savedPercent } = bench.measure(corpusQueries(set), RATIOS[search]);
    expect(recall[1]).toBeGreaterThanOrEqual(first);
    expect(recall[8]).toBeGreaterThanOrEqual(eighth);
    expect(savedPercent).toBeGreaterThanOrEqual(95);
  },
);

test.each(['open', 'held-out'] as const)(
  'the hybrid search is never worse than keyword or semantic search for the %s queries of the benchmark',
  set => {
    const { keyword, semantic, hybrid } = Object.fromEntries(
      Object.entries(RATIOS).map(([name, ratio]) => [name, bench.measure(corpusQueries(set), ratio).recall]),
    ) as Record<keyof typeof RATIOS, Readonly<Record<1 | 5 | 8, number>>>;
    for (const limit of [1, 5, 8] as const) {
      expect(hybrid[limit]).toBeGreaterThanOrEqual(Math.max(keyword[limit], semantic[limit]));
    }
  },
);
