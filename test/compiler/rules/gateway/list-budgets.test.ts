import { expect, test } from 'vitest';
import { estimateTokens } from '../../../../compiler/analysis/gateway/token-estimate.ts';
import { entries, findings, formatBackendKey, type GatewaySettings } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const many = (count: number) => Array.from({ length: count }, (_, number) => `t${number}`);
const long = { name: 'long', description: 'x'.repeat(100_000), inputSchema: { type: 'object' } };
const WORKFLOW = 'compositeTools: [{ name: w, steps: [{ id: s, tool: a.t0 }] }]';

const said = (config: string, tools: readonly (string | typeof long)[], settings: GatewaySettings = {}) =>
  findings(
    'listBudgets',
    [gatewayConfig(config), entries('a', 'b')],
    { [formatBackendKey('a')]: { tools }, [formatBackendKey('b')]: { tools: ['x'] } },
    settings,
  ).map(({ code, severity, message }) => `${code} ${severity} ${message}`);

test.each<[string, string[], string[]]>([
  ['128 tools', said('{}', many(127)), []],
  [
    '129 tools',
    said(`{ ${WORKFLOW} }`, many(127)),
    ['LNT3024 hint clients see 129 tools, more than many clients accept (128): 127 of "a", 1 of "b", 1 are workflows'],
  ],
  ['hidden tools', said('{ aggregation: { tools: [{ workload: a, filter: [t0] }] } }', many(200)), []],
  ['tools behind the optimizer', said('{ optimizer: {} }', many(200)), []],
  [
    'more tools than the client Cursor accepts',
    said('{}', many(80), { clients: ['vscode', 'cursor'] }),
    ['LNT3024 hint clients see 81 tools, more than Cursor accepts (80): 80 of "a", 1 of "b"'],
  ],
  [
    'more tools than the budget',
    said('{}', many(3), { budgets: { tools: 3 } }),
    ['LNT3024 error clients see 4 tools, more than the budget of 3: 3 of "a", 1 of "b"'],
  ],
  ['a budget above the recommended number', said('{}', many(200), { budgets: { tools: 201, tokens: 99_999 } }), []],
  [
    'a very long description',
    said('{}', [long]),
    [
      'LNT3025 hint the list of tools takes about 25029 tokens, and more than 25000 is much for a conversation; the largest: "a_long" 25017, "b_x" 12',
    ],
  ],
  [
    'more tokens than the budget',
    said('{}', many(2), { budgets: { tokens: 12 } }),
    [
      'LNT3025 error the list of tools takes about 36 tokens, more than the budget of 12; the largest: "a_t0" 12, "a_t1" 12, "b_x" 12',
    ],
  ],
])('the rule listBudgets gives the expected findings for: %s', (_, found, expected) => {
  expect(found).toEqual(expected);
});

test.each([
  [{ name: 'a', description: 'é', inputSchema: { type: 'object' } }],
  [{ name: 'a', inputSchema: {} }],
  [{ name: 'a', description: 'x"\n', inputSchema: { b: [1.5, null], a: { $ref: '#' } } }],
])('the token estimate of a tool is a quarter of its bytes: %j', tool => {
  expect(estimateTokens({ ...tool, annotations: { title: 'not counted' } })).toBe(
    Math.ceil(Buffer.byteLength(JSON.stringify(tool)) / 4),
  );
});
