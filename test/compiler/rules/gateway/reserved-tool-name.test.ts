import { expect, test } from 'vitest';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const OFFERS = { [formatBackendKey('a')]: { tools: ['execute_tool_script', 'find_tool'] } };
const BARE = 'aggregation: { conflictResolution: manual, tools: [{ workload: a }] }';
const workflow = (name: string) => `compositeTools: [{ name: ${name}, steps: [{ id: s, tool: a.find_tool }] }]`;

test.each<[string, string, string[]]>([
  ['names with prefixes', '{ codeMode: { enabled: true }, optimizer: {} }', []],
  ['disabled features', `{ ${BARE}, codeMode: { enabled: false } }`, []],
  [
    'a tool with a name of the code mode',
    `{ ${BARE}, codeMode: { enabled: true } }`,
    ['LNT3006 error 7:64 the tool "execute_tool_script" of "a" has the name of a tool that code mode adds'],
  ],
  [
    'a tool with a name of the optimizer',
    `{ ${BARE}, optimizer: {} }`,
    ['LNT3006 error 7:64 the tool "find_tool" of "a" has the name of a tool that the optimizer adds'],
  ],
  [
    'a hidden tool with a name of the code mode',
    '{ aggregation: { conflictResolution: manual, tools: [{ workload: a, excludeAll: true }] }, codeMode: { enabled: true } }',
    [],
  ],
  [
    'a workflow with a name of the optimizer',
    `{ optimizer: {}, ${workflow('call_tool')} }`,
    ['LNT3006 error 7:53 the composite tool "call_tool" has the name of a tool that the optimizer adds'],
  ],
  [
    'an override with a name of the optimizer',
    '{ aggregation: { conflictResolution: manual, tools: [{ workload: a, overrides: { find_tool: { name: call_tool } } }] }, optimizer: {} }',
    ['LNT3006 error 7:64 the tool "find_tool" of "a" has the name of a tool that the optimizer adds'],
  ],
])('the rule reservedToolName gives the expected findings for: %s', (_, config, expected) => {
  expect(judge('reservedToolName', [gatewayConfig(config), entries('a')], OFFERS)).toEqual(expected);
});
