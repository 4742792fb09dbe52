import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

const triage = object('VirtualMCPCompositeToolDefinition', '{ name: triage, steps: [] }', 'shared');

test.each<[string, string[], string[]]>([
  [
    'different names',
    [
      gatewayConfig(
        '{ compositeTools: [{ name: a, steps: [] }], compositeToolRefs: [{ name: shared }, { name: absent }] }',
      ),
      triage,
    ],
    [],
  ],
  [
    'two workflows of one name in a gateway',
    [gatewayConfig('{ compositeTools: [{ name: a, steps: [] }, { name: a, steps: [] }] }')],
    ['LNT7018 error 7:62 a composite tool named "a" exists already in this gateway'],
  ],
  [
    'a workflow of the gateway and a referenced workflow of one name',
    [gatewayConfig('{ compositeTools: [{ name: triage, steps: [] }], compositeToolRefs: [{ name: shared }] }'), triage],
    ['LNT7018 error 7:88 a composite tool named "triage" exists already in this gateway'],
  ],
])('the rule duplicateCompositeTool gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('duplicateCompositeTool', ...objects)).toEqual(expected);
});
