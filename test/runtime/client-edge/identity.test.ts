import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { ANONYMOUS, type Identity } from '../../../runtime/auth/identity.ts';
import { call, initialize, initializeText, open, post, send, startGateway } from './fake-gateway.ts';

/** Simulates authentication: takes the caller from a header; without it the caller is anonymous. */
const authenticator = {
  challenge: () => undefined,
  authenticate: (req: IncomingMessage): Identity => ({
    caller: undefined,
    key: String(req.headers['x-user'] ?? ANONYMOUS.key),
  }),
};

async function sessionOf(url: string, user: string | undefined): Promise<string> {
  const reply = await post(url, initializeText(), { 'X-User': user });
  return reply.headers['mcp-session-id'] as string;
}

test.each([
  ['another name', 'alice', 'bob'],
  ['a longer name', 'alice', 'alice2'],
  ['a token in an anonymous session', undefined, 'alice'],
  ['no token in a session of a named caller', 'alice', undefined],
])(
  'a request with a session id of another caller gets 403, and the gateway ends the session: %s',
  async (_, user, caller) => {
    const { url, heard } = await startGateway({}, { authenticator });
    const session = await sessionOf(url, user);
    expect(await call(url, session, 'ping', '1', { 'X-User': user })).toMatchObject({ status: 200 });
    const refused = await call(url, session, 'ping', '2', { 'X-User': caller });
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.text)).toMatchObject({
      id: 2,
      error: { message: expect.stringContaining('Unauthorized') },
    });
    expect(heard).toEqual(['closed payload']);
    expect(await call(url, session, 'ping', '3', { 'X-User': user })).toMatchObject({ status: 404 });
  },
);

test.each(['GET', 'DELETE'])('the gateway ends a session after a %s with its id by another caller', async method => {
  const { url, heard } = await startGateway({}, { authenticator });
  const session = await sessionOf(url, 'alice');
  const stream = await open(url, 'GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': session, 'X-User': 'alice' });
  const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': session, 'X-User': 'bob' };
  expect(await send(url, method, headers)).toMatchObject({ status: 403 });
  for await (const _ of stream); // Reads until the stream ends.
  expect(heard).toEqual(['listening payload', 'closed payload']);
});

test('the gateway ends an HTTP+SSE stream after a message to it by another caller', async () => {
  const { url, sse } = await startGateway({}, { authenticator });
  const stream = await open(url.replace('/mcp', '/sse'), 'GET', { Accept: 'text/event-stream', 'X-User': 'alice' });
  let text = '';
  stream.setEncoding('utf8');
  const first = new Promise<void>(resolve => {
    stream.on('data', chunk => {
      text += chunk;
      resolve();
    });
  });
  await first;
  const messages = url.replace('mcp', /data: (\S+)/.exec(text)?.[1] ?? '');
  expect(await post(messages, initializeText(), { 'X-User': 'alice' })).toMatchObject({ status: 202 });
  const ended = new Promise(resolve => stream.once('close', resolve));
  expect(await post(messages, initializeText(), { 'X-User': 'bob' })).toMatchObject({ status: 403 });
  await ended;
  expect(sse.sessionCount).toBe(0);
});

test('without authentication, the gateway treats all clients as the same caller', async () => {
  const { url } = await startGateway();
  const session = await initialize(url);
  expect(await call(url, session, 'ping', '1', { 'X-User': 'bob' })).toMatchObject({ status: 200 });
});
