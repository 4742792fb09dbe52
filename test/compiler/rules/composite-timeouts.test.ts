import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'within, equal, and without one of them',
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
    'beyond',
    [object('VirtualMCPCompositeToolDefinition', '{ name: w, timeout: 1m, steps: [{ id: a, timeout: 61s }] }')],
    ['LNT7011 warning 4:57 step "a" may run for 61s, but the workflow ends after 1m'],
  ],
])('%s', (_, objects, expected) => {
  expect(judge('compositeTimeouts', ...objects)).toEqual(expected);
});
