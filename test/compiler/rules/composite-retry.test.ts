import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const steps = (text: string) => object('VirtualMCPCompositeToolDefinition', `\n  name: w\n  steps:${text}`);

test.each<[string, string[], string[]]>([
  [
    'a complete retry',
    [
      steps(`
    - { id: a, onError: { action: retry, retryCount: 1, retryDelay: 1s } }
    - { id: b, onError: { action: continue } }
    - { id: c, onDecline: { action: continue } }`),
    ],
    [],
  ],
  [
    'retries without a count or with zero retries',
    [
      steps(`
    - { id: a, onError: { action: retry } }
    - { id: b, onError: { action: retry, retryCount: 0 } }`),
    ],
    [
      'LNT7015 error 7:16 step "a" retries, so retryCount must be at least 1',
      'LNT7015 error 8:54 step "b" retries, so retryCount must be at least 1',
    ],
  ],
  [
    'retry settings without the action retry',
    [
      steps(`
    - { id: a, onError: { retryCount: 2 } }
    - { id: b, onError: { action: continue, retryDelay: 1s } }`),
    ],
    [
      'LNT1008 warning 7:27 retryCount has no effect: onError.action is abort, not retry',
      'LNT1008 warning 8:45 retryDelay has no effect: onError.action is continue, not retry',
    ],
  ],
  [
    'actions without effect',
    [
      steps(`
    - { id: a, type: forEach, onError: { action: retry, retryCount: 1 }, step: { id: b, onError: { action: continue } } }
    - { id: c, type: elicitation, onError: { action: retry, retryCount: 1 } }
    - { id: d, type: forEach, onError: { action: continue }, step: { id: e, onError: { action: retry, retryCount: 1 } } }`),
    ],
    [
      'LNT1008 warning 7:50 retry has no effect on the forEach "a": put it on the step inside, whose calls are repeated',
      'LNT1008 warning 7:108 continue has no effect in a step inside of forEach: put it on step "a"',
      'LNT1008 warning 8:54 retry has no effect on step "c": the gateway does not repeat a question to a person',
    ],
  ],
  [
    'a retry inside of a forEach',
    [
      steps(`
    - { id: a, step: { id: b, onError: { action: retry } } }`),
    ],
    ['LNT7015 error 7:31 step "b" retries, so retryCount must be at least 1'],
  ],
  [
    'onDecline and onCancel without an action',
    [
      steps(`
    - { id: a, onDecline: {}, onCancel: {} }`),
    ],
    [
      'LNT1008 warning 7:16 onDecline has no effect without action: the action is then abort',
      'LNT1008 warning 7:31 onCancel has no effect without action: the action is then abort',
    ],
  ],
])('the rule compositeRetry gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('compositeRetry', ...objects)).toEqual(expected);
});
