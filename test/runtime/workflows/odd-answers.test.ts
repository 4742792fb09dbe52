/** Stateless clients that answer unknown elicitations, too many, or too few. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, inputRequired, Server } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import type { WorkflowTool } from '#schemas';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { listenOnOwnPort } from '../../support/own-port.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { type Answered, StatelessClient } from './stateless-client.ts';
import { servesWorkflows, workflow } from './support.ts';

const question = (id: string, more = '') =>
  `{ id: ${id}, type: elicitation, message: "${id}?", schema: { type: object, properties: { name: { type: string } } }, ${more} }`;

const SEQUENCE = workflow(`
name: sequence
description: Asks, and asks again
steps:
  - ${question('one')}
  - ${question('two', 'dependsOn: [one]')}
  - { id: note, tool: b_echo, dependsOn: [two], arguments: { said: "{{ .steps.one.output.content.name }} {{ .steps.two.output.content.name }}" } }
`);

const PAIR = workflow(`
name: pair
description: Asks two people at the same time
steps:
  - ${question('one')}
  - ${question('two')}
  - { id: note, tool: b_echo, dependsOn: [one, two], arguments: { said: "{{ .steps.one.output.content.name }} {{ .steps.two.output.content.name }}" } }
`);

/** Members that every object inherits. */
const NAMED = workflow(`
name: named
description: Has steps of odd names
steps:
  - ${question('constructor')}
  - { id: toString, tool: b_elicit, dependsOn: [constructor] }
  - { id: valueOf, tool: b_echo, dependsOn: [toString], arguments: { said: "{{ .steps.constructor.output.content.name }}" } }
`);

async function client(...workflows: readonly WorkflowTool[]): Promise<StatelessClient> {
  const backend = await startStatelessServer();
  onTestFinished(() => backend.close());
  const gateway = await startGateway({ backends: [backendPlan('b', backend.url)], workflows });
  onTestFinished(() => gateway.stop());
  await servesWorkflows(gateway);
  return new StatelessClient(gateway.url);
}

const accepted = (name: string) => ({ action: 'accept', content: { name } });
const asked = ({ result }: Answered) => Object.keys((result?.inputRequests ?? {}) as object).sort();
const said = ({ result }: Answered) =>
  JSON.parse(String((result?.structuredContent as { text?: unknown } | undefined)?.text)).said;

test('a workflow ignores an answer to a question that was not asked yet', async () => {
  const caller = await client(SEQUENCE);
  const first = await caller.call('sequence', {});
  expect(asked(first)).toEqual(['one']);
  const inputResponses = { one: accepted('ann'), two: accepted('forged'), note: {} };
  const second = await caller.call('sequence', {}, { requestState: first.result?.requestState, inputResponses });
  expect(asked(second)).toEqual(['two']);
  const answers = { requestState: second.result?.requestState, inputResponses: { two: accepted('bo') } };
  expect(said(await caller.call('sequence', {}, answers))).toBe('ann bo');
});

test('a workflow ignores answers without a requestState', async () => {
  const caller = await client(SEQUENCE);
  expect(asked(await caller.call('sequence', {}, { inputResponses: { one: accepted('forged') } }))).toEqual(['one']);
});

test('a client may answer one of two questions of a workflow, and gets the other question again', async () => {
  const caller = await client(PAIR);
  const first = await caller.call('pair', {});
  expect(asked(first)).toEqual(['one', 'two']);
  const half = { requestState: first.result?.requestState, inputResponses: { two: accepted('bo') } };
  const second = await caller.call('pair', {}, half);
  expect(asked(second)).toEqual(['one']);
  const rest = { requestState: second.result?.requestState, inputResponses: { one: accepted('ann') } };
  expect(said(await caller.call('pair', {}, rest))).toBe('ann bo');
});

test.each([
  ['a string', 'a token'],
  ['a number', 77],
])(
  'the progress of a workflow counts each step once over two requests, with %s as progress token',
  async (_, token) => {
    const caller = await client(SEQUENCE);
    const meta = { _meta: { progressToken: token } };
    const first = await caller.call('sequence', {}, meta);
    const one = { ...meta, requestState: first.result?.requestState, inputResponses: { one: accepted('ann') } };
    const second = await caller.call('sequence', {}, one);
    const two = { ...meta, requestState: second.result?.requestState, inputResponses: { two: accepted('bo') } };
    const third = await caller.call('sequence', {}, two);
    const told = (progress: number, message: string) => ({ progressToken: token, progress, total: 3, message });
    expect([first, second, third].map(({ progress }) => progress)).toEqual([
      [],
      [told(1, 'one')],
      [told(2, 'two'), told(3, 'note')],
    ]);
  },
);

test('an answer that skips all further steps of a workflow takes effect while another question is still open', async () => {
  const skipping = workflow(`
name: skipping
description: Asks two people at the same time
steps:
  - ${question('one', 'onDecline: { action: skip_remaining }')}
  - ${question('two')}
  - { id: note, tool: b_echo, dependsOn: [two] }
output: { properties: { note: { type: string, description: Whether, value: "{{ .steps.note.status }}" } } }
`);
  const caller = await client(skipping);
  const first = await caller.call('skipping', {});
  const half = { requestState: first.result?.requestState, inputResponses: { one: { action: 'decline' } } };
  const second = await caller.call('skipping', {}, half);
  expect(asked(second)).toEqual(['two']);
  const rest = { requestState: second.result?.requestState, inputResponses: { two: accepted('bo') } };
  expect((await caller.call('skipping', {}, rest)).result).toMatchObject({ structuredContent: { note: 'skipped' } });
});

test('workflow steps may have the names of JavaScript object members', async () => {
  const caller = await client(NAMED);
  const first = await caller.call('named', {});
  expect(asked(first)).toEqual(['constructor']);
  const one = { requestState: first.result?.requestState, inputResponses: { constructor: accepted('ann') } };
  const second = await caller.call('named', {}, one);
  expect(asked(second)).toEqual(['toString/who']);
  const two = { requestState: second.result?.requestState, inputResponses: { 'toString/who': accepted('bo') } };
  expect(said(await caller.call('named', {}, two))).toBe('ann');
});

const nested = (levels: number): object => (levels === 0 ? {} : { deeper: nested(levels - 1) });

test.each<[what: string, answer: object, reason: string | undefined]>([
  ['a mebibyte', accepted('x'.repeat(1024 * 1024 - 100)), undefined],
  ['more than a mebibyte', accepted('x'.repeat(1024 * 1024)), 'invalid_answer'],
  ['ten levels', { action: 'accept', content: nested(9) }, undefined],
  ['eleven levels', { action: 'accept', content: nested(11) }, 'invalid_answer'],
  ['a list', { action: 'accept', content: ['ann'] }, 'invalid_answer'],
  ['consent alone', { action: 'accept' }, undefined],
  ['an unknown action', { action: 'yes' }, 'invalid_answer'],
])('a workflow accepts or refuses an answer by its size and shape: %s', async (_, answer, reason) => {
  const one = workflow(
    `{ name: one, description: Asks, steps: [${question('ask')}, { id: end, tool: b_echo, dependsOn: [ask] }] }`,
  );
  const caller = await client(one);
  const { result } = await caller.call('one', {});
  const ended = await caller.call('one', {}, { requestState: result?.requestState, inputResponses: { ask: answer } });
  const failure = ended.result?.structuredContent as { workflowFailure?: { reason: string; step: string } } | undefined;
  expect([ended.result?.resultType, failure?.workflowFailure?.reason]).toEqual(['complete', reason]);
});

/** Elicits a name, and fails whatever the answer is. */
async function startMoody(): Promise<{ readonly url: string; readonly states: (string | undefined)[] }> {
  const states: (string | undefined)[] = [];
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'moody', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => ({
      tools: [{ name: 'ask', inputSchema: { type: 'object' as const } }],
    }));
    server.setRequestHandler('tools/call', async (_, { mcpReq }) => {
      states.push(mcpReq.requestState());
      if (mcpReq.inputResponses !== undefined)
        return { content: [{ type: 'text' as const, text: 'no' }], isError: true };
      const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
      const who = inputRequired.elicit({ message: 'Name?', requestedSchema });
      return inputRequired({ inputRequests: { who }, requestState: `state ${states.length}` });
    });
    return server;
  });
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', headers } = request;
    const init = { method, headers: headers as Record<string, string> };
    const body = Buffer.concat(chunks).toString('utf8');
    const answer = await handler.fetch(
      new Request('http://127.0.0.1/mcp', method === 'POST' ? { ...init, body } : init),
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await listenOnOwnPort(http);
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    await handler.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, states };
}

test('the retry of a workflow step whose tool has asked a question is a new call, which asks again', async () => {
  const backend = await startMoody();
  const again = workflow(`
name: again
description: Tries again
steps: [{ id: meet, tool: b_ask, onError: { action: retry, retryCount: 1, retryDelay: 1ms } }]
`);
  await using gateway = await startGateway({ backends: [backendPlan('b', backend.url)], workflows: [again] });
  await servesWorkflows(gateway);
  const caller = new StatelessClient(gateway.url);
  const inputResponses = { 'meet/who': accepted('ann') };
  const first = await caller.call('again', {});
  const second = await caller.call('again', {}, { requestState: first.result?.requestState, inputResponses });
  expect(asked(second)).toEqual(['meet/who']);
  const last = await caller.call('again', {}, { requestState: second.result?.requestState, inputResponses });
  expect(last.result).toMatchObject({
    isError: true,
    structuredContent: { workflowFailure: { reason: 'tool_error' } },
  });
  expect(backend.states).toEqual([undefined, 'state 1', undefined, 'state 3']);
});
