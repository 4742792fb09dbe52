import { expect, test } from 'vitest';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const OFFERS = { [formatBackendKey('a')]: { tools: ['execute_tool_script', 'find_tool'] } };
const workflow = (name: string) => `compositeTools: [{ name: ${name}, steps: [{ id: s, tool: a.find_tool }] }]`;

test.each<[string, string, string[]]>([
  ['new', `{ ${workflow('sort')} }`, []],
  [
    'that of a tool',
    `{ ${workflow('a_find_tool')} }`,
    ['LNT3021 error 7:38 "a_find_tool" is a tool of "a" already, so the composite tool is not served'],
  ],
  [
    'that of a hidden tool',
    `{ aggregation: { excludeAllTools: true }, ${workflow('a_find_tool')} }`,
    ['LNT3021 error 7:78 "a_find_tool" is a tool of "a" already, so the composite tool is not served'],
  ],
])(
  'the rule compositeNamedLikeTool gives the expected findings for a workflow whose name is %s',
  (_, config, expected) => {
    expect(judge('compositeNamedLikeTool', [gatewayConfig(config), entries('a')], OFFERS)).toEqual(expected);
  },
);
