/** Checks what `runtime/PROTOCOL.md` says about responses, with a gateway and a session backend. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { ROOT } from '../../support/process.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startAudited } from '../audit/audited-gateway.ts';
import { post, type Reply, send } from '../client-edge/fake-gateway.ts';
import { ask, findHeaders, formatRequest, REVISION, type StatelessRequest } from '../stateless-edge/requests.ts';
import { workflow } from '../workflows/support.ts';

let server: SdkServer;
let gateway: TestGateway;

beforeAll(async () => {
  server = await startSdkServer({ transport: 'streamable-http' });
  gateway = await startGateway({ backends: [backendPlan('sdk', server.url)] });
});

afterAll(async () => {
  await gateway.stop();
  await server.close();
});

const codeOf = (text: string) => (JSON.parse(text) as { error?: { code: number } }).error?.code;
const seen = ({ status, text }: Pick<Reply, 'status' | 'text'>) => [status, text === '' ? undefined : codeOf(text)];

test.each<[string, StatelessRequest, number, number]>([
  ['an unknown tool', { method: 'tools/call', params: { name: 'none' } }, 400, -32602],
  ['an unknown prompt', { method: 'prompts/get', params: { name: 'none' } }, 400, -32602],
  ['an unknown resource', { method: 'resources/read', params: { uri: 'no:where' } }, 400, -32602],
  ['an unknown cursor', { method: 'tools/list', params: { cursor: 'none' } }, 400, -32602],
  ['a cursor that is a number', { method: 'tools/list', params: { cursor: 5 } }, 400, -32602],
  ['a header that differs', { method: 'tools/list', headers: { 'Mcp-Method': 'tools/call' } }, 400, -32020],
  ['an unknown requestState', { method: 'tools/call', params: { name: 'sdk_echo', requestState: 's' } }, 400, -32602],
  ['ping', { method: 'ping' }, 404, -32601],
  ['logging/setLevel', { method: 'logging/setLevel', params: { level: 'info' } }, 404, -32601],
  ['resources/subscribe', { method: 'resources/subscribe', params: { uri: 'a:b' } }, 404, -32601],
  ['tasks', { method: 'tasks/list' }, 404, -32601],
])('a stateless client gets the documented status and code for %s', async (_, request, status, code) => {
  expect(seen(await ask(gateway.url, request))).toEqual([status, code]);
});

test('a stateless client gets the documented status and code for a response and a notification', async () => {
  const headers = { 'MCP-Protocol-Version': REVISION };
  const response = '{"jsonrpc":"2.0","id":1,"result":{}}';
  expect(seen(await post(gateway.url, response, headers))).toEqual([400, -32600]);
  const notification = '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}';
  expect(seen(await post(gateway.url, notification, headers))).toEqual([202, undefined]);
  expect(seen(await send(gateway.url, 'DELETE', headers))).toEqual([405, -32000]);
});

test('a client with an unknown revision gets the documented status and code', async () => {
  const request = { method: 'tools/list', meta: null };
  const reply = await post(gateway.url, formatRequest(request), {
    ...findHeaders(request),
    'MCP-Protocol-Version': '2030-01-01',
  });
  expect(seen(reply)).toEqual([400, -32022]);
  expect(JSON.parse(reply.text).error.data).toMatchObject({ requested: '2030-01-01' });
});

test.each<[string, string, object, number]>([
  ['an unknown tool', 'tools/call', { name: 'none' }, -32602],
  ['an unknown resource', 'resources/read', { uri: 'no:where' }, -32002],
  ['an unknown cursor', 'tools/list', { cursor: 'none' }, -32602],
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'tasks/list'].flatMap(method =>
    [5, 0, true, null, {}, ['a']].map((cursor): [string, string, object, number] => [
      `the cursor ${JSON.stringify(cursor)} for ${method}`,
      method,
      { cursor },
      -32602,
    ]),
  ),
  ['an unknown task', 'tasks/get', { taskId: 'b:1' }, -32602],
])('a client in a session gets the documented code for %s', async (_, method, params, code) => {
  const client = new RawClient(gateway.url);
  await client.open();
  expect(seen(await client.request(method, params))).toEqual([200, code]);
});

test.each<[string, { readonly [name: string]: string }, number, number]>([
  ['an unknown session', { 'Mcp-Session-Id': 'none' }, 404, -32001],
  ['no session', {}, 400, -32600],
])('a request with %s gets the documented status and code', async (_, headers, status, code) => {
  const reply = await post(gateway.url, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', headers);
  expect(seen(reply)).toEqual([status, code]);
});

test('/status has exactly the members that PROTOCOL.md lists', async () => {
  const page = readFileSync(join(ROOT, 'runtime', 'PROTOCOL.md'), 'utf8');
  const section = page.slice(page.indexOf('## `/status`'));
  // A gateway that is its own issuer has another member, which a test of that room compares with the page.
  const told = [...section.matchAll(/^\| `(\w+)(?:\[\])?` \|/gm)]
    .map(([, name]) => name ?? '')
    .filter(name => name !== 'authServer');
  // Gateways that record requests list the place of the log; gateways with workflows or the optimizer list those.
  const workflows = [
    workflow('{ name: asking, description: Asks, steps: [{ id: a, type: elicitation, message: b }] }'),
  ];
  const optimizer = { maxTools: 3, semanticRatio: 0, distanceThreshold: 1 };
  const recording = await startAudited({ backends: [], workflows, optimizer });
  expect(told).toEqual(Object.keys(await recording.gateway.status()));
  expect(told.filter(name => !['audit', 'workflows', 'optimizer'].includes(name))).toEqual(
    Object.keys(await gateway.status()),
  );
});
