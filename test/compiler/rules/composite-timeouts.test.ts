import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'a step timeout up to that of the workflow',
    [
      object(
        'VirtualMCPCompositeToolDefinition',
        '{ name: w, timeout: 1m, steps: [{ id: a, timeout: 60s }, { id: b }] }',
      ),
      object('VirtualMCPCompositeToolDefinition', '{ name: w, steps: [{ id: a, timeout: 24h }] }'),
    ],
    [],
  ],
  [
    'a step timeout above that of the workflow',
    [object('VirtualMCPCompositeToolDefinition', '{ name: w, timeout: 1m, steps: [{ id: a, timeout: 61s }] }')],
    ['LNT7011 warning 4:57 step "a" may run for 61s, but the workflow ends after 1m'],
  ],
  [
    'a timeout of zero',
    [
      object('VirtualMCPCompositeToolDefinition', '{ name: w, timeout: 0s, steps: [{ id: a, timeout: 61s }] }'),
      object('VirtualMCPCompositeToolDefinition', '{ name: w, steps: [{ id: a, timeout: 0m0s }] }'),
      object('VirtualMCPCompositeToolDefinition', '{ name: w, steps: [{ id: a, type: elicitation, timeout: 0h }] }'),
    ],
    [
      'LNT1013 error 4:27 expected a duration longer than zero, found "0s"',
      'LNT1013 error 9:44 expected a duration longer than zero, found "0m0s"',
      'LNT1013 error 14:63 expected a duration longer than zero, found "0h"',
    ],
  ],
])('the rule compositeTimeouts gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('compositeTimeouts', ...objects)).toEqual(expected);
});
