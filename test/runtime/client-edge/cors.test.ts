/** CORS requests of browsers, and the response headers they need before a page of another origin may call and read. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { atOnce, CHALLENGE } from '../edge-auth/tokens.ts';
import { initializeText, open, post, send, startGateway } from './fake-gateway.ts';

const PAGE = 'https://chat.example.com';
const LOCAL_PAGE = 'http://localhost:6274';
const ASKED = 'authorization,content-type,mcp-param-region,mcp-protocol-version';

const start = () => startGateway({}, { allowedOrigins: [PAGE], authenticator: atOnce });
const startOpen = () => startGateway({}, { allowedOrigins: [PAGE] });

const preflight = (origin: string) => ({
  Origin: origin,
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': ASKED,
});
const spoken = (headers: object) => Object.keys(headers).filter(name => /^access-control-|^vary$/.test(name));

describe.each([
  ['/mcp', 'GET, POST, DELETE'],
  ['/sse', 'GET'],
  ['/messages', 'POST'],
])('%s', (path, methods) => {
  test.each([PAGE, LOCAL_PAGE])(
    'the gateway answers the CORS preflight of a page of %s without a token',
    async origin => {
      const { url } = await start();
      const { status, headers, text } = await send(url.replace('/mcp', path), 'OPTIONS', preflight(origin));
      expect({ status, text }).toEqual({ status: 204, text: '' });
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': methods,
        'access-control-allow-headers': ASKED,
        vary: 'Origin, Access-Control-Request-Headers',
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    },
  );

  test('the gateway refuses the CORS preflight of a page whose origin is not allowed with 403, without CORS headers', async () => {
    const { url } = await start();
    const { status, headers } = await send(url.replace('/mcp', path), 'OPTIONS', preflight('https://evil.example.com'));
    expect([status, spoken(headers)]).toEqual([403, []]);
  });

  test.each([{}, { Origin: PAGE }])(
    'the gateway answers 405 to an OPTIONS request that is no CORS preflight: %j',
    async headers => {
      const { url } = await startOpen();
      expect((await send(url.replace('/mcp', path), 'OPTIONS', headers)).status).toBe(405);
    },
  );
});

test('a page of an allowed origin may read its response and its session id, and a client without an Origin gets no CORS headers', async () => {
  const { url } = await startOpen();
  const { status, headers } = await post(url, initializeText(), { Origin: PAGE });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    'access-control-allow-origin': PAGE,
    'access-control-expose-headers': expect.stringContaining('Mcp-Session-Id'),
    'mcp-session-id': expect.any(String),
    vary: 'Origin',
  });
  expect(spoken((await post(url, initializeText())).headers)).toEqual([]);
});

test('a page of an allowed origin can read error answers, event streams and the WWW-Authenticate challenge of the gateway', async () => {
  const { url } = await startOpen();
  const wrong = await post(url, '{', { Origin: PAGE });
  expect([wrong.status, wrong.headers['access-control-allow-origin']]).toEqual([400, PAGE]);
  const stream = await open(url.replace('/mcp', '/sse'), 'GET', { Accept: 'text/event-stream', Origin: PAGE });
  expect([stream.statusCode, stream.headers['access-control-allow-origin']]).toEqual([200, PAGE]);
  stream.destroy();
  const { status, headers } = await post((await start()).url, initializeText(), { Origin: PAGE });
  expect([status, headers['www-authenticate']]).toEqual([401, CHALLENGE]);
  expect(headers).toMatchObject({
    'access-control-allow-origin': PAGE,
    'access-control-expose-headers': expect.stringContaining('WWW-Authenticate'),
  });
});

test.each([
  ['this server', (host: string) => `http://${host}/mcp`, 200],
  ['another host than in the Host header', () => 'http://rebound.example/mcp', 403],
  ['an unknown path', (host: string) => `http://${host}/other`, 404],
  ['a scheme other than http', (host: string) => `ftp://${host}/mcp`, 404],
])(
  'the gateway checks the scheme, host and path of a request whose request line has an absolute URL: %s',
  async (_, target, expected) => {
    const { host, port } = new URL((await startOpen()).url);
    const body = initializeText();
    const socket = connect(Number(port), '127.0.0.1');
    const lines = [
      `POST ${target(host)} HTTP/1.1`,
      `Host: ${host}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${expected} `));
  },
);
