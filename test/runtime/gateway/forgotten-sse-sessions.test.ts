/** HTTP+SSE backends that have lost a session whose stream stays open, as behind a load balancer. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, IDENTITY, openEvents, type RawHandler, startRawServer } from '../../support/raw-server.ts';
import { ask } from '../stateless-edge/requests.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

const REFUSALS: readonly [name: string, refuse: RawHandler][] = [
  ['404', (_request, response) => void response.writeHead(404).end()],
  [
    '400, as example servers of the official SDK',
    (_request, response) => void response.writeHead(400).end('No transport found for sessionId'),
  ],
  [
    '400 as JSON',
    (_request, response) =>
      void response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}'),
  ],
];

/** A backend that refuses its sessions with `refuse` after `forget`. It rejects calls of `a_refused`, and answers `a_slow` at `finish`. */
async function serve(refuse: RawHandler) {
  const known = new Map<string, ServerResponse>();
  let opened = 0;
  let isForgetful = false;
  const slow: (() => void)[] = [];
  const server = await startRawServer((request, response) => {
    const { method: verb, message, path } = request;
    if (verb === 'GET') {
      const id = `s-${++opened}`;
      if (!isForgetful) known.set(id, response);
      openEvents(response);
      return void response.write(eventText(`/messages?s=${id}`, 'endpoint'));
    }
    const id = new URL(path, 'http://x').searchParams.get('s') ?? '';
    const stream = known.get(id);
    if (stream === undefined) return refuse(request, response);
    if (message?.params?.name === 'refused') return refuse(request, response);
    response.writeHead(202).end();
    if (message?.id === undefined) return;
    const answer = (result: object) =>
      void stream.write(eventText(JSON.stringify({ jsonrpc: '2.0', id: message.id, result })));
    if (message.method === 'initialize') return answer(IDENTITY);
    if (message.method !== 'tools/list' && message.params?.name === 'slow') {
      slow.push(() => answer({ content: [], session: id }));
      return;
    }
    const tools = ['tool', 'refused', 'slow'].map(name => ({ name, inputSchema: { type: 'object' } }));
    answer(message.method === 'tools/list' ? { tools } : { content: [], session: id });
  });
  const gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/sse`, { transport: 'sse' })] });
  open.push(server, { close: () => gateway.stop() });
  await gateway.ready();
  const heard = (method: string) => server.requests.filter(({ message }) => message?.method === method);
  return {
    gateway,
    opened: () => opened,
    count: (method: string) => heard(method).length,
    sessionsOf: (method: string) => heard(method).map(({ path }) => path.split('=')[1]),
    forget: () => known.clear(),
    forgetAlways: () => {
      isForgetful = true;
      known.clear();
    },
    slow,
  };
}

const call = (name = 'tool') => ({ name: `a_${name}`, arguments: {} });

async function client(url: string): Promise<RawClient> {
  const raw = new RawClient(url);
  await raw.open();
  return raw;
}

describe.each(REFUSALS)('an HTTP+SSE backend that answers for a forgotten session with %s', (_, refuse) => {
  test('for all calls in an HTTP+SSE session that the backend has forgotten, the gateway opens one new session', async () => {
    const { gateway, opened, forget } = await serve(refuse);
    const raw = await client(gateway.url);
    await raw.result('tools/call', call());
    const before = opened();
    forget();
    const results = await Promise.all(Array.from({ length: 20 }, () => raw.result('tools/call', call())));
    expect(new Set(results.map(({ session }) => session)).size).toBe(1);
    // Another may be the gateway's own.
    expect(opened() - before).toBeLessThanOrEqual(2);
  });

  test('a stateless client does not notice that an HTTP+SSE backend has forgotten its session', async () => {
    const { gateway, forget } = await serve(refuse);
    const text = async () => (await ask(gateway.url, { method: 'tools/call', params: call() })).text;
    expect(await text()).toContain('"result"');
    forget();
    expect(await text()).toContain('"result"');
  });

  test('the gateway sends a notification again in the new session when the HTTP+SSE backend has forgotten the session', async () => {
    const { gateway, forget, sessionsOf } = await serve(refuse);
    const raw = await client(gateway.url);
    const { session } = await raw.result('tools/call', call());
    forget();
    await raw.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    await eventually(() => sessionsOf('notifications/roots/list_changed').length === 2);
    const [first, again] = sessionsOf('notifications/roots/list_changed');
    expect(first).toBe(session);
    expect((await raw.result('tools/call', call())).session).toBe(again);
  });

  test('calls that an HTTP+SSE backend had accepted before it lost the session fail', async () => {
    const { gateway, forget, slow } = await serve(refuse);
    const raw = await client(gateway.url);
    const running = raw.request('tools/call', call('slow'));
    await eventually(() => slow.length === 1);
    forget();
    await raw.result('tools/call', call());
    expect(JSON.parse((await running).text).error).toMatchObject({ data: { reason: 'connection_failed' } });
  });

  test('a call fails when its HTTP+SSE backend forgets each session at once', async () => {
    const { gateway, count, forgetAlways } = await serve(refuse);
    const raw = await client(gateway.url);
    await raw.result('tools/call', call());
    forgetAlways();
    expect(JSON.parse((await raw.request('tools/call', call())).text).error).toBeDefined();
    expect(count('tools/call')).toBeLessThanOrEqual(3);
  });
});

test.each(REFUSALS.slice(1))(
  'the gateway pings an HTTP+SSE backend that answers %s, keeps the session, and running calls continue',
  async (_, refuse) => {
    const { gateway, count, sessionsOf, slow } = await serve(refuse);
    const raw = await client(gateway.url);
    const running = raw.result('tools/call', call('slow'));
    await eventually(() => slow.length === 1);
    const calls = count('tools/call');
    const { text } = await raw.request('tools/call', call('refused'));
    expect(JSON.parse(text).error).toMatchObject({ code: -32603, data: { reason: 'http_error' } });
    expect([count('tools/call') - calls, count('ping')]).toEqual([1, 1]);
    for (const finish of slow) finish();
    expect((await running).session).toBe(sessionsOf('ping')[0]);
  },
);
