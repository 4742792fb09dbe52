/**
 * Messages of a client without an id. A backend that only knows JSON-RPC executes a message without an id like any call, and merely does not
 * respond. So the gateway may forward only MCP notifications like this, on any transport.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { IDENTITY, type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { post } from '../client-edge/fake-gateway.ts';
import { ask, META, REVISION } from '../stateless-edge/requests.ts';

const TOOLS = ['harmless', 'delete_everything'].map(name => ({ name, inputSchema: { type: 'object' } }));
const METHOD_NOT_FOUND = { error: { code: -32601, message: 'Method not found' } };

/** A server on a plain JSON-RPC library: it executes every method, and answers those with an id. */
interface PlainBackend extends RawServer {
  /** The methods that it executed besides those of discovery, with the tool of a call. */
  readonly ran: string[];
}

async function plainBackend(results: (method: string) => object | undefined): Promise<PlainBackend> {
  const ran: string[] = [];
  const server = await startRawServer(({ method: verb, message }, response) => {
    if (verb !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = message;
    const result = results(method);
    if (!/^(initialize|server\/discover|subscriptions\/listen|notifications\/initialized|.*\/list)$/.test(method)) {
      ran.push(method === 'tools/call' ? `${method} ${params?.name}` : method);
    }
    if (id === undefined) return void response.writeHead(202).end();
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : METHOD_NOT_FOUND) }));
  });
  return Object.assign(server, { ran });
}

const withSessions = (method: string) => {
  if (method === 'server/discover') return undefined;
  return method === 'initialize' ? IDENTITY : method === 'tools/list' ? { tools: TOOLS } : { content: [] };
};

const stateless = (method: string) => {
  const common = { resultType: 'complete', ttlMs: 1000, cacheScope: 'private' };
  if (method === 'initialize') return undefined;
  if (method === 'server/discover') {
    const serverInfo = { name: 'plain', version: '1' };
    return { ...common, supportedVersions: [REVISION], capabilities: { tools: {} }, serverInfo };
  }
  return { ...common, ...(method === 'tools/list' ? { tools: TOOLS } : { content: [] }) };
};

let backends: PlainBackend[];
let gateway: TestGateway;

beforeAll(async () => {
  backends = await Promise.all([plainBackend(withSessions), plainBackend(withSessions), plainBackend(stateless)]);
  const [a, b, s] = backends.map(({ origin }) => `${origin}/mcp`) as [string, string, string];
  gateway = await startGateway({
    backends: [
      // One plan hides the tool, for the others policies forbid it.
      backendPlan('a', a, { tools: { prefix: 'a_', advertise: { type: 'only', names: ['harmless'] }, overrides: {} } }),
      backendPlan('b', b),
      backendPlan('s', s),
    ],
    authorization: cedarPlan(
      ['a', 'b', 's'].map(
        name => `permit(principal, action == Action::"call_tool", resource == Tool::"${name}_harmless");`,
      ),
    ),
  });
  await gateway.ready();
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all(backends.map(backend => backend.close()));
});

beforeEach(() => {
  for (const { ran } of backends) ran.length = 0;
});

const ALL_HARMLESS = ['a_harmless', 'b_harmless', 's_harmless'];
const HARMLESS = ['tools/call harmless'];
const REFUSED = { jsonrpc: '2.0', id: null, error: { code: -32600 } };

/** Messages without an id that some server would execute. */
const WITHOUT_ID: readonly string[] = [
  ...['delete_everything', 'a_delete_everything', 'harmless', 'a_harmless'].map(
    name => `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"${name}","arguments":{}}}`,
  ),
  '{"jsonrpc":"2.0","method":"tools\\/call","params":{"name":"delete_everything"}}',
  '{"params":{"name":"delete_everything"},"method":"\\u0074ools/call","jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","method":"prompts/get","params":{"name":"p"}}',
  '{"jsonrpc":"2.0","method":"resources/read","params":{"uri":"file:///etc/passwd"}}',
  '{"jsonrpc":"2.0","method":"resources/subscribe","params":{"uri":"a:b"}}',
  '{"jsonrpc":"2.0","method":"completion/complete","params":{}}',
  '{"jsonrpc":"2.0","method":"tasks/cancel","params":{"taskId":"1"}}',
  '{"jsonrpc":"2.0","method":"logging/setLevel","params":{"level":"debug"}}',
  '{"jsonrpc":"2.0","method":"tools/list"}',
  '{"jsonrpc":"2.0","method":"ping"}',
  '{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}',
  '{"jsonrpc":"2.0","method":"server/discover"}',
  '{"jsonrpc":"2.0","method":"shutdown"}',
  '{"jsonrpc":"2.0","method":""}',
  '{"jsonrpc":"2.0","method":"Notifications/cancelled"}',
  '{"jsonrpc":"2.0","method":" notifications/cancelled"}',
  '{"jsonrpc":"2.0","method":"notifications"}',
  '{"jsonrpc":"2.0","method":"rpc.notifications/cancelled"}',
];

/** A client whose session has a session with every backend, because an unused backend receives nothing anyway. */
async function connected(revision?: string): Promise<RawClient> {
  const client = new RawClient(gateway.url);
  await client.open(revision);
  for (const name of ALL_HARMLESS) await client.result('tools/call', { name });
  for (const { ran } of backends) expect(ran.splice(0)).toEqual(HARMLESS);
  return client;
}

/**
 * What the backends have executed meanwhile. First each backend gets a call on the same path, so that earlier messages have arrived if the
 * gateway forwards them at all.
 */
async function ranMeanwhile(client: RawClient): Promise<string[][]> {
  await client.send({ jsonrpc: '2.0', method: 'notifications/last' });
  for (const { waitFor } of backends.slice(0, 2)) await waitFor(({ body }) => body.includes('notifications/last'));
  for (const name of ALL_HARMLESS) await client.result('tools/call', { name });
  const ran = backends.map(backend => backend.ran.filter(method => method !== 'notifications/last'));
  for (const { requests } of backends) requests.length = 0;
  return ran;
}

test('a client cannot call forbidden or hidden tools by a request that has an id', async () => {
  const client = await connected();
  const codes = ['a', 'b', 's'].map(async backend => {
    const { text } = await client.request('tools/call', { name: `${backend}_delete_everything` });
    return JSON.parse(text).error.code;
  });
  expect(await Promise.all(codes)).toEqual([-32602, -32602, -32602]);
  expect(await ranMeanwhile(client)).toEqual([HARMLESS, HARMLESS, HARMLESS]);
});

test('the gateway refuses a call without an id over Streamable HTTP', async () => {
  const client = await connected();
  for (const text of WITHOUT_ID) {
    const answer = await client.sendText(text);
    expect({ text, status: answer.status, answer: JSON.parse(answer.text) }).toMatchObject({
      text,
      status: 400,
      answer: REFUSED,
    });
  }
  expect(await ranMeanwhile(client)).toEqual([HARMLESS, HARMLESS, HARMLESS]);
});

test('in a batch, the gateway refuses only the call without an id, and the other calls run', async () => {
  const client = await connected('2025-03-26');
  const call = '{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"b_harmless"}}';
  const note = '{"jsonrpc":"2.0","method":"notifications/x"}';
  const { status, text } = await client.sendText(`[${[...WITHOUT_ID, note, call].join(',')}]`, 'application/json');
  const answers = JSON.parse(text) as { id: unknown }[];
  expect(status).toBe(200);
  expect(answers.filter(({ id }) => id === null)).toMatchObject(WITHOUT_ID.map(() => REFUSED));
  expect(answers.filter(({ id }) => id !== null)).toEqual([{ jsonrpc: '2.0', id: 'c', result: { content: [] } }]);
  const ran = await ranMeanwhile(client);
  expect(ran.map(methods => methods.toSorted())).toEqual([
    ['notifications/x', ...HARMLESS],
    ['notifications/x', ...HARMLESS, ...HARMLESS],
    HARMLESS,
  ]);
});

test('the gateway refuses a batch of calls without ids', async () => {
  const client = await connected('2025-03-26');
  const { text } = await client.sendText(`[${WITHOUT_ID[0]}]`, 'application/json');
  expect(JSON.parse(text)).toMatchObject([REFUSED]);
  expect(await ranMeanwhile(client)).toEqual([HARMLESS, HARMLESS, HARMLESS]);
});

test('the gateway refuses a call without an id over HTTP+SSE', async () => {
  const client = new Client({ name: 'test', version: '1' });
  let messagesUrl = '';
  const transport = new SSEClientTransport(new URL(gateway.url.replace('/mcp', '/sse')), {
    fetch: (url, init) => {
      if (init?.method === 'POST') messagesUrl = String(url);
      return fetch(url, init);
    },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  for (const name of ALL_HARMLESS) await client.callTool({ name });
  for (const { ran } of backends) expect(ran.splice(0)).toEqual(HARMLESS);
  for (const text of WITHOUT_ID) {
    const { status, text: answer } = await post(messagesUrl, text);
    expect({ text, status, answer: JSON.parse(answer) }).toMatchObject({ text, status: 400, answer: REFUSED });
  }
  await transport.send({ jsonrpc: '2.0', method: 'notifications/sse' } as JSONRPCMessage);
  for (const { waitFor } of backends.slice(0, 2)) await waitFor(({ body }) => body.includes('notifications/sse'));
  for (const name of ALL_HARMLESS) await client.callTool({ name });
  const told = ['notifications/sse', ...HARMLESS];
  expect(backends.map(({ ran }) => ran)).toEqual([told, told, HARMLESS]);
});

test('the gateway refuses a stateless call without an id', async () => {
  const headers = { 'MCP-Protocol-Version': REVISION };
  for (const text of WITHOUT_ID) {
    const { status, text: answer } = await post(gateway.url, text, headers);
    expect({ text, status, answer: JSON.parse(answer) }).toMatchObject({ text, status: 400, answer: REFUSED });
  }
  const whole = { jsonrpc: '2.0', method: 'tools/call', params: { name: 's_delete_everything', _meta: META } };
  const named = { ...headers, 'Mcp-Method': 'tools/call', 'Mcp-Name': 's_delete_everything' };
  expect(await post(gateway.url, JSON.stringify(whole), named)).toMatchObject({ status: 400 });
  for (const name of ALL_HARMLESS) {
    expect((await ask(gateway.url, { method: 'tools/call', params: { name } })).status).toBe(200);
  }
  expect(backends.map(({ ran }) => ran)).toEqual([HARMLESS, HARMLESS, HARMLESS]);
});

test('backends with sessions get all notifications of clients unchanged, unknown ones included', async () => {
  const client = await connected();
  const told = [
    '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
    '{"jsonrpc":"2.0","method":"notifications\\/vendor.example/x","params":{"name":"delete_everything","n":1.50}}',
  ];
  for (const text of told) {
    expect(await client.sendText(text)).toMatchObject({ status: 202, text: '' });
    for (const { waitFor } of backends.slice(0, 2)) await waitFor(({ body }) => body === text);
  }
  // These refer to one request, and there is none.
  for (const method of ['notifications/initialized', 'notifications/cancelled', 'notifications/progress']) {
    expect(await client.send({ jsonrpc: '2.0', method })).toMatchObject({ status: 202, text: '' });
  }
  const ran = ['notifications/roots/list_changed', 'notifications/vendor.example/x', ...HARMLESS];
  expect(await ranMeanwhile(client)).toEqual([ran, ran, HARMLESS]);
});
