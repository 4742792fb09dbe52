/** A backend comes back with another revision of MCP: its gateway notices, and client sessions continue. */
import { afterEach, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import {
  eventText,
  openEvents,
  type RawHandler,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { ask } from '../stateless-edge/requests.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

const sessions = (name: string, port?: number): Promise<SdkServer> =>
  startSdkServer({ transport: 'streamable-http', tools: [{ name }], ...(port === undefined ? {} : { port }) });
const stateless = (name: string, port?: number): Promise<SdkServer> =>
  startStatelessServer({ tools: [{ name }], ...(port === undefined ? {} : { port }) });

test.each([
  ['from sessions to stateless', sessions, '2025-11-25', stateless, '2026-07-28'],
  ['from stateless to sessions', stateless, '2026-07-28', sessions, '2025-11-25'],
] as const)(
  'no call fails when a backend is redeployed %s',
  async (_name, before, revisionBefore, after, revisionAfter) => {
    const first = await before('old');
    const gateway = await startGateway({
      backends: [backendPlan('a', first.url)],
      operational: { health: { intervalMs: 200, timeoutMs: 60_000, unhealthyThreshold: 2 } },
    });
    open.push({ close: () => gateway.stop() });
    const raw = new RawClient(gateway.url);
    await raw.open();
    const names = async () =>
      (await raw.result<{ tools: { name: string }[] }>('tools/list')).tools.map(({ name }) => name);
    const revision = async () => (await gateway.status()).backends[0]?.mcpRevision;
    await eventually(async () => (await names()).includes('a_old'));
    expect(await revision()).toBe(revisionBefore);
    expect(await raw.result('tools/call', { name: 'a_echo', arguments: {} })).toHaveProperty('content');
    await first.close();
    open.push(await after('new', first.port));
    await eventually(async () => (await names()).includes('a_new'));
    expect(await revision()).toBe(revisionAfter);
    for (let n = 0; n < 5; n++) {
      expect(await raw.result('tools/call', { name: 'a_echo', arguments: { n } })).toHaveProperty('content');
    }
  },
);

test('the gateway asks a backend only once for many clients whether the backend opens sessions', async () => {
  const server = await startStatelessServer();
  open.push(server);
  const gateway = await startGateway({ backends: [backendPlan('a', server.url)] });
  open.push({ close: () => gateway.stop() });
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      const raw = new RawClient(gateway.url);
      await raw.open();
      expect(await raw.result('tools/call', { name: 'a_echo', arguments: {} })).toHaveProperty('content');
    }),
  );
  expect(server.initializations).toBe(1);
});

/** Responses of a server of both eras after its handshake; a call's result is the era in which it came. */
const inBothEras: RawHandler = ({ message: { id, method }, headers }, response) => {
  if (method === 'subscriptions/listen') {
    openEvents(response);
    const params = { notifications: {} };
    const acknowledged = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
    return void response.write(eventText(JSON.stringify(acknowledged)));
  }
  const era = headers['mcp-session-id'] === undefined ? 'stateless' : 'session';
  const results: { readonly [method: string]: object } = {
    'server/discover': { supportedVersions: ['2026-07-28', '2025-11-25'], capabilities: { tools: {} } },
    'tools/list': { tools: [{ name: 'era', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: era }] },
  };
  const result = results[method];
  const error = { code: -32601, message: 'no' };
  const answer = result === undefined ? { error } : { result: { resultType: 'complete', ...result } };
  sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...answer }), {}, result === undefined ? 404 : 200);
};

/** A gateway with a server that begins as `inBothEras`; `handle` may replace its handler. */
async function serveRaw(intervalMs: number, handle: (fallBack: RawHandler) => RawHandler) {
  const server = await startRawServer(handle(withHandshake(inBothEras, 's-1')));
  open.push(server);
  const gateway = await startGateway({
    backends: [backendPlan('a', server.origin, { timeoutMs: 500 })],
    operational: { health: { intervalMs, timeoutMs: 2_000, unhealthyThreshold: 100 } },
  });
  open.push({ close: () => gateway.stop() });
  await gateway.ready();
  const call = async () => (await ask(gateway.url, { method: 'tools/call', params: { name: 'a_era' } })).text;
  const backend = async () => (await gateway.status()).backends[0];
  return { url: gateway.url, server, call, backend };
}

test('a backend still counts as stateless after a failed probe and an unanswered probe', async () => {
  let fails: 'nothing' | 'the list' | 'discovery' = 'nothing';
  const { server, call, backend } = await serveRaw(2_000, fallBack => (request, response) => {
    const { method } = request.message ?? {};
    if (fails === 'the list' && method === 'tools/list') fails = 'discovery';
    else if (fails !== 'discovery' || method !== 'server/discover') return fallBack(request, response);
    response.writeHead(503).end();
  });
  expect(await call()).toContain('"stateless"');
  fails = 'the list';
  await eventually(async () => ((await backend())?.consecutiveFailures ?? 0) > 0);
  expect(await call()).toContain('"stateless"');
  fails = 'nothing';
  await eventually(async () => (await backend())?.consecutiveFailures === 0);
  expect(await call()).toContain('"stateless"');
  expect((await backend())?.mcpRevision).toBe('2026-07-28');
  const inSessions = server.requests.filter(({ headers }) => headers['mcp-session-id'] !== undefined);
  // A probe opens a session to see whether sessions are supported, and ends it.
  expect(new Set(inSessions.map(({ message }) => message?.method))).toEqual(
    new Set(['notifications/initialized', undefined]),
  );
});

test('the gateway detects a rollback to a server with sessions although that server does not answer unknown methods', async () => {
  let isOld = false;
  const { call, backend } = await serveRaw(200, fallBack => (request, response) => {
    const { message, headers } = request;
    if (!isOld || message?.method === 'initialize' || headers['mcp-session-id'] !== undefined)
      return fallBack(request, response);
    if (message?.method !== 'server/discover') response.writeHead(400).end();
  });
  expect(await call()).toContain('"stateless"');
  isOld = true;
  await eventually(async () => (await call()).includes('"session"'));
  await eventually(async () => (await backend())?.mcpRevision === '2025-11-25');
});

test('right after a rollback to a server with sessions, the calls of clients in sessions and of stateless clients reach it in a session', async () => {
  let isOld = false;
  const { url, call, backend } = await serveRaw(3_600_000, fallBack => (request, response) => {
    const { message, headers } = request;
    if (!isOld || headers['mcp-protocol-version'] !== '2026-07-28') return fallBack(request, response);
    const data = { supported: ['2025-11-25'], requested: '2026-07-28' };
    const error = { code: -32022, message: 'Unsupported protocol version', data };
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message?.id ?? null, error }), {}, 400);
  });
  const raw = new RawClient(url);
  await raw.open();
  const callInSession = async () => (await raw.request('tools/call', { name: 'a_era', arguments: {} })).text;
  expect(await call()).toContain('"stateless"');
  expect(await callInSession()).toContain('"session"');
  isOld = true;
  for (const one of await Promise.all([call(), callInSession(), call()])) expect(one).toContain('"session"');
  await eventually(async () => (await backend())?.mcpRevision === '2025-11-25');
});
