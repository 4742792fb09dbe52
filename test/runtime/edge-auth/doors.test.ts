import { describe, expect, test } from 'vitest';
import { AuthenticationError } from '../../../runtime/auth/incoming/authenticator.ts';
import { initializeText, open, post, readUntil, send, startGateway } from '../client-edge/fake-gateway.ts';
import { atOnce, bearer, CHALLENGE, later } from './tokens.ts';

const EVENTS = { Accept: 'text/event-stream' };
const JSON_POST = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

const DOORS: readonly [string, path: string, method: string, headers: Record<string, string>][] = [
  ['a message', '/mcp', 'POST', JSON_POST],
  ['a stateless message', '/mcp', 'POST', { ...JSON_POST, 'MCP-Protocol-Version': '2026-07-28' }],
  ['a GET stream', '/mcp', 'GET', EVENTS],
  ['the end of a session', '/mcp', 'DELETE', {}],
  ['an HTTP+SSE stream', '/sse', 'GET', EVENTS],
  ['an HTTP+SSE message', '/messages?sessionId=none', 'POST', JSON_POST],
];

describe.each([
  ['known at once', atOnce],
  ['known later', later],
])('a caller that is %s', (_, authenticator) => {
  test.each(DOORS)(
    'the gateway answers a request without a token with a WWW-Authenticate challenge: %s',
    async (_door, path, method, headers) => {
      const { url } = await startGateway({}, { authenticator });
      const reply = await send(url.replace('/mcp', path), method, headers, method === 'POST' ? '{"no":"message"' : '');
      expect(reply).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': CHALLENGE, 'content-type': 'application/json' },
        text: '{"error":"invalid_request","error_description":"no"}',
      });
    },
  );

  test.each(DOORS)(
    'the gateway refuses a request from a page of another site before it checks the token: %s',
    async (_door, path, method, headers) => {
      const { url } = await startGateway({}, { authenticator });
      const reply = await send(url.replace('/mcp', path), method, { ...headers, Origin: 'https://evil.example' });
      expect(reply.status).toBe(403);
      expect(reply.headers['www-authenticate']).toBeUndefined();
    },
  );

  test('the gateway identifies the caller of each message by the token in the request that carries the message', async () => {
    const heard: unknown[] = [];
    const { url } = await startGateway(
      {},
      { authenticator },
      {
        request: (_session, _envelope, answer, { identity }) => {
          heard.push(identity.caller?.subject);
          answer.result('{}');
        },
      },
    );
    const Authorization = bearer({ sub: 'alice' });
    const { headers } = await post(url, initializeText(), { Authorization });
    const session = headers['mcp-session-id'] as string;
    await post(url, '{"jsonrpc":"2.0","id":1,"method":"ping"}', { Authorization, 'Mcp-Session-Id': session });
    expect(heard).toEqual(['alice']);
  });

  test('a session continues with a renewed token, and a request with an expired token does not end the session', async () => {
    const { url } = await startGateway({}, { authenticator });
    const soon = Math.ceil(Date.now() / 1000) + 60;
    const first = bearer({ sub: 'alice', exp: soon });
    const { headers } = await post(url, initializeText(), { Authorization: first });
    const session = { 'Mcp-Session-Id': headers['mcp-session-id'] as string };
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const expired = bearer({ sub: 'alice', exp: 1 });
    expect(await post(url, ping, { ...session, Authorization: expired })).toMatchObject({ status: 401 });
    const renewed = bearer({ sub: 'alice', exp: soon + 60 });
    expect(await post(url, ping, { ...session, Authorization: renewed })).toMatchObject({ status: 200 });
  });
});

test('the gateway answers 401 to a request without a token before it parses the body', async () => {
  const { url } = await startGateway({}, { authenticator: atOnce, maxBodyBytes: 100_000 });
  const reply = await post(url, 'x'.repeat(90_000));
  expect(reply.status).toBe(401);
});

test.each([
  [400, { error: 'invalid_request', error_description: 'two tokens' }, 'Bearer error="invalid_request"'],
  [403, { error: 'insufficient_scope', error_description: 'more' }, 'Bearer error="insufficient_scope", scope="a b"'],
  [503, { error: 'temporarily_unavailable', error_description: 'later' }, undefined],
])(
  'the gateway answers with HTTP %i, and the right WWW-Authenticate header, when authentication fails with this status',
  async (status, body, challenge) => {
    const authenticator = {
      challenge: () => undefined,
      authenticate: () => {
        throw new AuthenticationError(status, body, challenge);
      },
    };
    const { url } = await startGateway({}, { authenticator });
    const reply = await post(url, initializeText());
    expect(reply.status).toBe(status);
    expect(reply.headers['www-authenticate']).toBe(challenge);
    expect(reply.headers['retry-after']).toBe(status === 503 ? '30' : undefined);
    expect(JSON.parse(reply.text)).toEqual(body);
  },
);

describe('an expired token', () => {
  /** Long enough to open a stream, short enough for the test to wait. */
  const shortly = (): string => bearer({ sub: 'alice', exp: Date.now() / 1000 + 2 });
  const longer = (): string => bearer({ sub: 'alice', exp: Date.now() / 1000 + 600 });

  test('the gateway ends a GET stream when its token expires, and the client can open it again with a renewed token', async () => {
    const { url, sessions } = await startGateway({}, { authenticator: atOnce });
    const { headers } = await post(url, initializeText(), { Authorization: longer() });
    const session = { 'Mcp-Session-Id': headers['mcp-session-id'] as string };
    const stream = await open(url, 'GET', { ...EVENTS, ...session, Authorization: shortly() });
    for await (const _ of stream); // Reads until the stream ends.
    const next = await open(url, 'GET', { ...EVENTS, ...session, Authorization: longer() });
    sessions[0]?.send('{"jsonrpc":"2.0","method":"notifications/test"}');
    await readUntil(next, 'notifications/test');
  });

  test('the gateway ends an HTTP+SSE stream when its token expires, unless the caller has sent a message with a newer token', async () => {
    const { url, sse } = await startGateway({}, { authenticator: atOnce });
    const address = url.replace('/mcp', '/sse');
    const ending = await open(address, 'GET', { ...EVENTS, Authorization: shortly() });
    const renewed = await open(address, 'GET', { ...EVENTS, Authorization: shortly() });
    const [, messages] = /data: (\S+)/.exec(await readUntil(renewed, '\n\n')) ?? [];
    await post(url.replace('mcp', messages as string), initializeText(), { Authorization: longer() });
    for await (const _ of ending); // Reads until the stream ends.
    expect(sse.sessionCount).toBe(1);
  });

  test('the gateway ends a stateless subscription with a result when the token of the subscription expires', async () => {
    const { url, endpoint } = await startGateway({}, { authenticator: atOnce });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 7,
      method: 'subscriptions/listen',
      params: { _meta: meta, notifications: { toolsListChanged: true } },
    });
    const headers = {
      ...JSON_POST,
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'subscriptions/listen',
      Authorization: shortly(),
    };
    const reply = await send(url, 'POST', headers, body);
    expect(reply.text).toContain('"id":7,"result"');
    expect(endpoint.subscriptionCount).toBe(0);
  });
});
