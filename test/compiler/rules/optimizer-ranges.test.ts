import { expect, test } from 'vitest';
import { gatewayConfig, judge } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'values at the limits',
    [
      gatewayConfig('{ optimizer: { hybridSearchSemanticRatio: "1", semanticDistanceThreshold: "2.0" } }'),
      gatewayConfig('{ optimizer: { hybridSearchSemanticRatio: "0", semanticDistanceThreshold: ".5" } }'),
    ],
    [],
  ],
  [
    'values above the limits',
    [gatewayConfig('{ optimizer: { hybridSearchSemanticRatio: "1.01", semanticDistanceThreshold: "2.5" } }')],
    [
      'LNT1013 error 7:53 expected a number from 0 to 1, found "1.01"',
      'LNT1013 error 7:88 expected a number from 0 to 2, found "2.5"',
    ],
  ],
])('the rule optimizerRanges gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('optimizerRanges', ...objects)).toEqual(expected);
});
