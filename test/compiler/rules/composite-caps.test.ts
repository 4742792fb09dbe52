/** `retryCount` has a cap of 10, the timeout of an elicitation one of 10m. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const step = (text: string) => object('VirtualMCPCompositeToolDefinition', `{ name: w, steps: [{ id: a, ${text} }] }`);

test.each<[string, string[], string[]]>([
  [
    'retries and timeouts up to their limits',
    [
      step('onError: { action: retry, retryCount: 10 }'),
      step('type: elicitation, timeout: 10m'),
      step('timeout: 1h'),
      step('onError: { retryCount: 11 }'),
    ],
    [],
  ],
  [
    'retries and timeouts above their limits',
    [
      step('onError: { action: retry, retryCount: 11 }'),
      step('type: forEach, step: { id: b, onError: { action: retry, retryCount: 50 } }'),
      step('type: elicitation, timeout: 601s'),
    ],
    [
      'LNT1013 warning 4:73 step "a" is tried again 10 times at most, not 11',
      'LNT1013 warning 9:103 step "b" is tried again 10 times at most, not 50',
      'LNT1013 warning 14:63 step "a" waits 10m for an answer at most, not 601s',
    ],
  ],
])('the rule compositeCaps gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('compositeCaps', ...objects)).toEqual(expected);
});
