import { expect, test } from 'vitest';
import { gatewayConfig, judge } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'a timeout below the interval',
    [gatewayConfig('{ operational: { failureHandling: { healthCheckInterval: 30s, healthCheckTimeout: 29999ms } } }')],
    [],
  ],
  [
    'a timeout equal to the interval',
    [gatewayConfig('{ operational: { failureHandling: { healthCheckInterval: 1m, healthCheckTimeout: 60s } } }')],
    ['LNT1022 error 7:92 healthCheckTimeout (60s) must be below healthCheckInterval (1m)'],
  ],
  [
    'an interval below the default timeout',
    [gatewayConfig('{ operational: { failureHandling: { healthCheckInterval: 5s } } }')],
    ['LNT1022 error 7:68 healthCheckTimeout (10s) must be below healthCheckInterval (5s)'],
  ],
])('the rule healthCheckTiming gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('healthCheckTiming', ...objects)).toEqual(expected);
});
