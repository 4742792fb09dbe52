import { expect, test } from 'vitest';
import { BackendError } from '../../../runtime/mcp/backend-error.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import { initialize, open, post, readUntil, startGateway } from '../client-edge/fake-gateway.ts';
import { fakeStatelessCore, type StatelessBehaviour } from '../client-edge/fake-stateless.ts';
import { ask, findHeaders, formatRequest, META, REVISION } from './requests.ts';

const SERVER_INFO = { 'io.modelcontextprotocol/serverInfo': { name: 'fake', version: '1' } };
const CALL = { method: 'tools/call', params: { name: 'echo' } };
const PROGRESS = '{"jsonrpc":"2.0","method":"notifications/progress"}';

async function startWith(behaviour: StatelessBehaviour): Promise<string> {
  const stateless = fakeStatelessCore({ behaviours: { 'tools/call': behaviour } });
  return (await startGateway({}, { stateless })).url;
}

test('a stateless client lists and calls tools without a session', async () => {
  const url = await startWith((answer, envelope) => answer.result(`{"resultType":"complete","id":${envelope.id}}`));
  const list = await ask(url, { method: 'tools/list' });
  expect(list).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
  expect(list.headers['mcp-session-id']).toBeUndefined();
  expect(JSON.parse(list.text)).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: {
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: SERVER_INFO,
      tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
    },
  });
  const called = await ask(url, { ...CALL, id: 'a' });
  expect(JSON.parse(called.text)).toEqual({ jsonrpc: '2.0', id: 'a', result: { resultType: 'complete', id: 'a' } });
});

test('server/discover returns the revisions, the newest first, and the capabilities of the gateway', async () => {
  const { url } = await startGateway();
  const { status, text } = await ask(url, { method: 'server/discover', id: 'd' });
  expect({ status, message: JSON.parse(text) }).toEqual({
    status: 200,
    message: {
      jsonrpc: '2.0',
      id: 'd',
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
        capabilities: { tools: { listChanged: true } },
        instructions: 'ask',
        ttlMs: 60_000,
        cacheScope: 'private',
        _meta: SERVER_INFO,
      },
    },
  });
});

test('the gateway reads the revision, capabilities, client info and log level of a stateless client from _meta', async () => {
  const heard: unknown[] = [];
  const url = await startWith((answer, _, caller) => {
    const { protocolVersion, capabilities, clientInfo, logLevel } = caller;
    heard.push({ protocolVersion, capabilities, clientInfo, logLevel });
    answer.result('{}');
  });
  const clientInfo = { name: 'n', version: '2', title: 'N' };
  const capabilities = { sampling: {}, extensions: { 'com.example/x': { deep: [1] } } };
  const meta = {
    ...META,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/logLevel': 'warning',
  };
  await ask(url, { ...CALL, meta });
  const { 'io.modelcontextprotocol/clientInfo': _, ...anonymous } = META;
  await ask(url, { ...CALL, meta: anonymous });
  expect(heard).toEqual([
    { protocolVersion: REVISION, capabilities, clientInfo, logLevel: 'warning' },
    { protocolVersion: REVISION, capabilities: {}, clientInfo: undefined, logLevel: undefined },
  ]);
});

test.each([
  ['method not found', 404, -32601],
  ['invalid params', 400, -32602],
  ['invalid request', 400, -32600],
  ['a missing capability', 400, -32021],
  ['an internal error', 200, -32603],
  ['an error of the application', 200, 7],
])('a stateless answer with %s has the HTTP status that belongs to its error code', async (_, status, code) => {
  const answered = await startWith(answer => answer.error(new WireError(code, 'no', { data: { a: 1 } })));
  const thrown = await startWith(() => {
    throw new WireError(code, 'no', { data: { a: 1 } });
  });
  for (const url of [answered, thrown]) {
    const reply = await ask(url, { ...CALL, id: 'x' });
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text)).toEqual({ jsonrpc: '2.0', id: 'x', error: { code, message: 'no', data: { a: 1 } } });
  }
});

test('an unexpected error of the gateway reaches a stateless client without details', async () => {
  const url = await startWith(() => {
    throw new Error('secret detail');
  });
  const { status, text } = await ask(url, CALL);
  expect({ status, error: JSON.parse(text).error }).toEqual({
    status: 200,
    error: { code: -32603, message: 'internal error' },
  });
});

test('a timeout of a backend reaches a stateless client as code -32603', async () => {
  const url = await startWith(answer => answer.fail(new BackendError('github', 'timeout', 'no luck')));
  const { error } = JSON.parse((await ask(url, CALL)).text);
  expect(error).toMatchObject({ code: -32603, data: { backend: 'github', reason: 'timeout' } });
});

test('the error of a backend keeps its HTTP status for a stateless client, and not for a client in a session', async () => {
  const bytes = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"no"}}');
  const behaviour: StatelessBehaviour = answer => {
    answer.start(bytes.length, 400);
    answer.data(bytes);
    answer.end();
  };
  const stateless = fakeStatelessCore({ behaviours: { 'tools/call': behaviour } });
  const { url } = await startGateway(
    { 'tools/call': answer => behaviour(answer, {} as never, {} as never) },
    { stateless },
  );
  expect(await ask(url, CALL)).toMatchObject({ status: 400, text: new TextDecoder().decode(bytes) });
  const session = { 'Mcp-Session-Id': await initialize(url) };
  expect(await post(url, formatRequest({ ...CALL, meta: null }), session)).toMatchObject({ status: 200 });
});

test('a message before the answer turns a stateless response into an event stream, and a later error is an event', async () => {
  const url = await startWith(answer => {
    answer.message(PROGRESS);
    answer.error(new WireError(-32601, 'no'));
  });
  const reply = await ask(url, CALL);
  expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
  expect(reply.text).toContain(PROGRESS);
  expect(reply.text).toContain('-32601');
});

test('a stateless client that closes its stream cancels the request', async () => {
  const aborted = Promise.withResolvers<boolean>();
  const url = await startWith(answer => {
    answer.onAbort(() => aborted.resolve(answer.aborted));
    answer.message(PROGRESS);
  });
  const headers = { 'Content-Type': 'application/json', ...findHeaders(CALL) };
  const res = await open(url, 'POST', headers, formatRequest(CALL));
  await readUntil(res, 'progress');
  res.destroy();
  expect(await aborted.promise).toBe(true);
});

test('the gateway accepts stateless notifications, and refuses stateless responses and batches', async () => {
  const { url } = await startGateway();
  const headers = { 'MCP-Protocol-Version': REVISION };
  const notification = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
  expect(await post(url, notification, headers)).toMatchObject({ status: 202, text: '' });
  for (const body of ['{"jsonrpc":"2.0","id":1,"result":{}}', `[${formatRequest(CALL)}]`]) {
    const reply = await post(url, body, headers);
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.text)).toMatchObject({ error: { code: -32600 } });
  }
});

test('the limits on the size and nesting of messages apply to stateless requests', async () => {
  const { url } = await startGateway({}, { maxBodyBytes: 2000 });
  expect(await ask(url, { ...CALL, params: { name: 'x'.repeat(2000) } })).toMatchObject({ status: 413 });
  const deep = formatRequest(CALL).replace('"name"', `"deep":${'['.repeat(200)}${']'.repeat(200)},"name"`);
  const reply = await post(url, deep, findHeaders(CALL));
  expect(reply.status).toBe(400);
  expect(JSON.parse(reply.text)).toMatchObject({ error: { code: -32600 } });
});
