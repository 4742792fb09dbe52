import { expect, test } from 'vitest';
import { gatewayConfig, judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'complete workflows',
    [
      gatewayConfig('{ compositeTools: [{ name: w, description: d, steps: [{ id: a, tool: x.y }] }] }'),
      object('VirtualMCPCompositeToolDefinition', '{ name: w, description: d, steps: [{ id: a, tool: x.y }] }'),
    ],
    [],
  ],
  [
    'a workflow without description and steps',
    [gatewayConfig('{ compositeTools: [{ name: w, steps: [] }] }')],
    [
      'LNT1010 error 7:30 composite tool "w" has no description: clients choose tools by their descriptions',
      'LNT1013 error 7:48 composite tool "w" has no steps',
    ],
  ],
  [
    'a workflow with an empty name and description',
    [object('VirtualMCPCompositeToolDefinition', "{ name: '', description: '', steps: [{ id: a }] }")],
    [
      'LNT1010 error 4:15 the name of the composite tool is empty',
      'LNT1010 error 4:32 composite tool "" has no description: clients choose tools by their descriptions',
    ],
  ],
  [
    'a workflow with too many steps',
    [object('VirtualMCPCompositeToolDefinition', `{ name: w, description: d, steps: [${'{ id: a }, '.repeat(101)}] }`)],
    ['LNT1013 error 4:41 composite tool "w" has 101 steps, at most 100 are possible'],
  ],
])('the rule compositeBasics gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('compositeBasics', ...objects)).toEqual(expected);
});
