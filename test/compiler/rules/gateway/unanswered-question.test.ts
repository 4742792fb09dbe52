import { expect, test } from 'vitest';
import type { ClientName } from '../../../../compiler/analysis/gateway/client-profiles.ts';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig, object } from '../../../support/rule.ts';

const ask = (more = '') => `{ id: ask, type: elicitation, message: Sure?, schema: { type: object }${more} }`;
const call = '{ id: call, tool: a.read, dependsOn: [ask] }';
const workflow = (...steps: readonly string[]) =>
  `{ compositeTools: [{ name: w, description: d, steps: [${steps.join(', ')}] }] }`;

const MUTE = 'asks the user a question, and Claude Desktop cannot show questions: the workflow fails at this step';

test.each<[string, string, ClientName[], string[]]>([
  ['clients that show questions', workflow(ask(), call), ['claude-code', 'vscode', 'cursor'], []],
  ['no clients in lintel.yaml', workflow(ask(), call), [], []],
  [
    'a client that shows no questions',
    workflow(ask(), call),
    ['claude-code', 'claude-desktop'],
    [`LNT7010 hint 7:82 the step "ask" ${MUTE}`],
  ],
  [
    'a question whose failure does not stop the workflow',
    workflow(ask(', onError: { action: continue }'), call),
    ['claude-desktop'],
    [],
  ],
  ['a workflow without a question', workflow('{ id: call, tool: a.read }'), ['claude-desktop'], []],
])('the rule unansweredQuestion gives the expected findings for %s', (_, config, clients, expected) => {
  const objects = [gatewayConfig(config), entries('a')];
  expect(judge('unansweredQuestion', objects, { [formatBackendKey('a')]: { tools: ['read'] } }, { clients })).toEqual(
    expected,
  );
});

test('LNT7010 about a workflow that a gateway refers to points to the step of the workflow, and names the gateway', () => {
  const objects = [
    gatewayConfig('{ compositeToolRefs: [{ name: w }] }'),
    object('VirtualMCPCompositeToolDefinition', `{ name: w, description: d, steps: [${ask()}] }`, 'w'),
    entries('a'),
  ];
  expect(judge('unansweredQuestion', objects, {}, { clients: ['claude-desktop'] })).toEqual([
    `LNT7010 hint 12:59 the step "ask" ${MUTE} (in gateway "it")`,
  ]);
});

test.each<[string, Record<string, string>, string[]]>([
  ['with sessions only', { a: '2025-11-25', b: '2025-03-26' }, []],
  ['without sessions only', { a: '2026-07-28', b: '2026-07-28' }, []],
  ['of which one is not locked', { a: '2026-07-28' }, []],
  [
    'with and without sessions',
    { a: '2025-11-25', b: '2026-07-28', c: '2025-06-18' },
    [
      'LNT7010 hint 5:21 backends speak MCP in two ways, "b" without sessions and "a" and "c" with sessions: requests that a backend with sessions sends outside of a call (sampling, elicitation, roots) cannot reach clients without sessions',
    ],
  ],
])('the rule unansweredQuestion gives the expected findings for backends %s', (_, revisions, expected) => {
  const offers = Object.fromEntries(
    Object.entries(revisions).map(([name, protocolVersion]) => [formatBackendKey(name), { protocolVersion }]),
  );
  expect(judge('unansweredQuestion', [gatewayConfig('{}'), entries('a', 'b', 'c')], offers)).toEqual(expected);
});

test('the rule unansweredQuestion counts a backend over HTTP+SSE as a backend with sessions, even if the tool lock says otherwise', () => {
  const objects = [
    gatewayConfig('{}'),
    entries('a'),
    object(
      'MCPServerEntry',
      '{ groupRef: { name: tools }, remoteUrl: "https://old.example.com/sse", transport: sse }',
      'old',
    ),
  ];
  const found = [
    'LNT7010 hint 5:21 backends speak MCP in two ways, "a" without sessions and "old" with sessions: requests that a backend with sessions sends outside of a call (sampling, elicitation, roots) cannot reach clients without sessions',
  ];
  const stateless = { protocolVersion: '2026-07-28' };
  expect(judge('unansweredQuestion', objects, { [formatBackendKey('a')]: stateless })).toEqual(found);
  expect(
    judge('unansweredQuestion', objects, { [formatBackendKey('a')]: stateless, [formatBackendKey('old')]: stateless }),
  ).toEqual(found);
  expect(judge('unansweredQuestion', objects, {})).toEqual([]);
});
