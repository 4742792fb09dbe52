import type { IncomingMessage } from 'node:http';
import { expect, test, vi } from 'vitest';
import { call, type Gateway, initialize, open, readUntil, send, startGateway } from './fake-gateway.ts';

const TOOLS = '{"jsonrpc":"2.0",\n"method":"notifications/tools/list_changed"}';
const PROMPTS = '{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}';
const LOG = '{"jsonrpc":"2.0","method":"notifications/message","params":{"n":1}}';

function listen(url: string, session: string): Promise<IncomingMessage> {
  return open(url, 'GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': session });
}

async function start(options: { heartbeatMs?: number } = {}): Promise<Gateway & { session: string }> {
  const gateway = await startGateway({}, options);
  return { ...gateway, session: await initialize(gateway.url) };
}

test('a GET stream opens at once, and the gateway sends only heartbeats on it until there is a message', async () => {
  const { url, session } = await start({ heartbeatMs: 20 });
  const res = await listen(url, session);
  expect(res.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform' });
  expect(await readUntil(res, ': ping\n\n'.repeat(4))).toMatch(/^id: 1-0\ndata: \n\n(: ping\n\n)+$/);
});

test('the gateway sends messages of a session on the newest open GET stream of the session', async () => {
  const { url, session, sessions } = await start();
  const older = await listen(url, session);
  const newer = await listen(url, session);
  const onOlder = readUntil(older, 'list_changed');
  const onNewer = readUntil(newer, 'notifications/message');
  expect(sessions[0]?.send(LOG)).toBe(true);
  expect(await onNewer).toContain(`event: message\nid: 2-1\ndata: ${LOG}\n\n`);
  newer.destroy();
  await vi.waitFor(async () => {
    // Messages go to the newer stream until the server has noticed that it closed.
    sessions[0]?.send(TOOLS);
    expect(await Promise.race([onOlder, new Promise(resolve => setTimeout(resolve, 20))])).toContain(
      TOOLS.replace('\n', ' '),
    );
  });
});

test('without a GET stream, the gateway stores one list_changed of each kind for the next GET stream, and drops other messages', async () => {
  const { url, session, sessions } = await start();
  expect([TOOLS, PROMPTS, TOOLS, LOG].map(json => sessions[0]?.send(json))).toEqual([true, true, true, false]);
  const text = await readUntil(await listen(url, session), 'prompts');
  expect(text.match(/tools\/list_changed/g)).toHaveLength(1);
  expect(text).not.toContain('notifications/message');
  // Delivered once: a second stream gets none of it.
  expect(await readUntil(await listen(url, session), '\n\n')).toBe('id: 2-0\ndata: \n\n');
});

test('a DELETE of the client ends the session, its streams and the state that the gateway has for it', async () => {
  const { url, session, heard, endpoint } = await start();
  const res = await listen(url, session);
  expect(await send(url, 'DELETE', { 'Mcp-Session-Id': session })).toMatchObject({ status: 204, text: '' });
  for await (const _ of res); // Reads until the stream ends.
  expect(heard).toEqual(['listening payload', 'closed payload']);
  expect(endpoint.sessionCount).toBe(0);
  expect(await call(url, session, 'ping')).toMatchObject({ status: 404 });
  expect(await send(url, 'DELETE', { 'Mcp-Session-Id': session })).toMatchObject({ status: 404 });
});

test('the gateway answers 404 to a request in a session that the gateway has ended', async () => {
  const { url, session, sessions, heard } = await start();
  sessions[0]?.close();
  sessions[0]?.close();
  expect(heard).toEqual(['closed payload']);
  expect(await call(url, session, 'ping')).toMatchObject({ status: 404 });
});
