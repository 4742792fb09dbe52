/** Tasks of the stateless revision, between raw clients and a backend that creates tasks freely. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';
import { ask, META, REVISION } from '../stateless-edge/requests.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const WITH_TASKS = { ...META, 'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } } };
const STATE = '"status":"working","createdAt":"2026-01-01T00:00:00Z","ttlMs":null,"pollIntervalMs":5e3,"x":1.0';

let backend: RawServer;
let gateway: TestGateway;

beforeAll(async () => {
  backend = await startRawServer(({ method: verb, message }, response) => {
    if (verb !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = message;
    const result = (members: string, type = 'complete') =>
      sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"${type}",${members}}}`);
    const task = (taskId: string) => `"taskId":${JSON.stringify(taskId)},${STATE}`;
    if (method === 'server/discover') {
      result(`"supportedVersions":["${REVISION}"],"capabilities":{"tools":{},"extensions":{"${TASKS}":{}}}`);
    } else if (method === 'tools/list') {
      const tools = ['make', 'plain'].map(name => `{"name":"${name}","inputSchema":{"type":"object"}}`);
      result(`"tools":[${tools}],"ttlMs":0,"cacheScope":"private"`);
    } else if (method === 'tools/call' && params.name === 'make') result(task('t:1"'), 'task');
    else if (method === 'tools/call') result('"content":[],"taskId":"own","status":"working"');
    else if (method === 'tasks/get') result(`${task(params.taskId)},"inputRequests":{"q":{"method":"roots/list"}}`);
    else if (method === 'tasks/update' || method === 'tasks/cancel') result('"_meta":{}');
    else {
      const error = '{"code":-32601,"message":"Method not found"}';
      sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"error":${error}}`, {}, 404);
    }
  });
  gateway = await startGateway({ backends: [backendPlan('b', `${backend.origin}/mcp`)] });
  await gateway.ready();
});

afterAll(async () => {
  await gateway.stop();
  await backend.close();
});

const send = (method: string, params: { readonly [name: string]: unknown }, meta: object = WITH_TASKS) =>
  ask(gateway.url, { method, params, meta, headers: { 'Mcp-Name': (params.taskId ?? params.name) as string } });

test('the gateway announces the tasks extension while a backend has it', async () => {
  const extensions = await eventually(async () => {
    const { text } = await ask(gateway.url, { method: 'server/discover' });
    return JSON.parse(text).result.capabilities.extensions;
  });
  expect(extensions).toEqual({ [TASKS]: {} });
});

test('the gateway adds the name of the backend to the id of a task in every answer, and removes it in requests to the backend', async () => {
  const made = await send('tools/call', { name: 'b_make', arguments: {} });
  expect(made.text).toContain(`"result":{"resultType":"task","taskId":"b:t:1\\"",${STATE}}`);
  const taskId = 'b:t:1"';
  const got = await send('tasks/get', { taskId });
  expect(got.text).toContain(`"taskId":"b:t:1\\"",${STATE},"inputRequests":{"q":{"method":"roots/list"}}`);
  const inputResponses = { q: { roots: [] } };
  for (const [method, params] of [
    ['tasks/update', { taskId, inputResponses }],
    ['tasks/cancel', { taskId }],
  ] as const) {
    expect(JSON.parse((await send(method, params)).text).result).toEqual({ resultType: 'complete', _meta: {} });
    const { headers, message } = backend.requests.at(-1) ?? { headers: {}, message: {} };
    expect(headers).toMatchObject({ 'mcp-method': method, 'mcp-name': 't:1"' });
    expect(message.params).toEqual({ _meta: WITH_TASKS, ...params, taskId: 't:1"' });
  }
});

test('the gateway does not change a member taskId of a tool result', async () => {
  const { text } = await send('tools/call', { name: 'b_plain', arguments: {} });
  expect(text).toContain('"content":[],"taskId":"own","status":"working"');
});

test.each([
  ['an unknown backend', { taskId: 'nobody:1' }, WITH_TASKS, -32602],
  ['an id without a backend', { taskId: 'own' }, WITH_TASKS, -32602],
  ['a number as id', { taskId: 7 }, WITH_TASKS, -32602],
  ['no announced extension', { taskId: 'b:1' }, META, -32021],
])('the gateway refuses tasks/get with %s', async (_, params, meta, code) => {
  const { text } = await send('tasks/get', params as { taskId: string }, meta);
  expect(JSON.parse(text).error.code).toBe(code);
});

test('the gateway refuses a task request whose Mcp-Name header names another task', async () => {
  const request = { method: 'tasks/get', params: { taskId: 'b:1' }, meta: WITH_TASKS, headers: { 'Mcp-Name': 'b:2' } };
  expect(JSON.parse((await ask(gateway.url, request)).text).error.code).toBe(-32020);
});
