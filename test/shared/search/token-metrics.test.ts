import { expect, test } from 'vitest';
import { computeTokenMetrics, estimateTokens } from '#shared/search';

test('the number of tokens is estimated as one token for four bytes', () =>
  expect(['', '1234', '12345678', 'ää'].map(estimateTokens)).toEqual([0, 1, 2, 1]));

test.each<[baseline: number, returned: number, percent: number]>([
  [1000, 100, 90],
  [3, 1, 66.67],
  [0, 0, 0],
  [100, 100, 0],
])(
  'the token metrics for a baseline of %i tokens and %i returned tokens say that %d percent are saved',
  (baseline, returned, percent) => {
    expect(computeTokenMetrics(baseline, returned)).toEqual({
      baseline_tokens: baseline,
      returned_tokens: returned,
      savings_percent: percent,
    });
  },
);
