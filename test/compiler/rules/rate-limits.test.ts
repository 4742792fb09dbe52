/** Findings about a rate limit's `refillPeriod`; the rate is `maxTokens / refillPeriod`. */
import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'a refill period above zero',
    [gatewayConfig('{ rateLimiting: { shared: { maxTokens: 1, refillPeriod: 1ms } } }')],
    [],
  ],
  [
    'a refill period of zero in each place',
    [
      gatewayConfig(
        '{ rateLimiting: { shared: { maxTokens: 1, refillPeriod: 0s }, perUser: { maxTokens: 1, refillPeriod: 0s }, tools: [{ name: a, shared: { maxTokens: 1, refillPeriod: 0h0m } }] } }',
      ),
      object(
        'MCPServer',
        '{ image: x, rateLimiting: { tools: [{ name: a, perUser: { maxTokens: 1, refillPeriod: 0s } }] } }',
      ),
    ],
    [
      'LNT1013 error 7:67 expected a duration above zero, found "0s"',
      'LNT1013 error 7:112 expected a duration above zero, found "0s"',
      'LNT1013 error 7:175 expected a duration above zero, found "0h0m"',
      'LNT1013 error 12:93 expected a duration above zero, found "0s"',
    ],
  ],
])('the rule rateLimits gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('rateLimits', ...objects)).toEqual(expected);
});
