/** Which pages of other origins may read listings, by the CORS headers (Fetch, CORS protocol). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer, startDoor, startTrustedProvider, type TrustedProvider, twoRegistries } from './served-door.ts';

let corp: TrustedProvider;
beforeAll(async () => {
  corp = await startTrustedProvider();
});
afterAll(() => corp.close());

const CLOSED = '/registry/main/v0.1/servers';
const OPEN = '/registry/open/v0.1/servers';
const METADATA = '/.well-known/oauth-protected-resource';
const EDITOR = 'https://editor.example';
const ALLOW_ORIGIN = 'access-control-allow-origin';

const start = () => startDoor(twoRegistries(corp.yaml()), { allowedOrigins: [EDITOR] });

describe('a page of an allowed origin', () => {
  test.each([OPEN, '/openapi.json', '/openapi.yaml'])(
    'a page of an allowed origin reads %s without a token',
    async path => {
      const { send } = await start();
      const { status, headers } = await send(path, { Origin: EDITOR });
      expect([status, headers[ALLOW_ORIGIN]]).toEqual([200, EDITOR]);
      expect(headers['access-control-expose-headers']).toBe('ETag, WWW-Authenticate, Retry-After');
      expect(headers.vary).toContain('Origin');
    },
  );

  test('a page of an allowed origin can read a private registry with a token, and the challenge without a token', async () => {
    const { send } = await start();
    const refused = await send(CLOSED, { Origin: EDITOR });
    expect([refused.status, refused.headers[ALLOW_ORIGIN]]).toEqual([401, EDITOR]);
    expect(refused.headers['access-control-expose-headers']).toContain('WWW-Authenticate');
    const listed = await send(CLOSED, { Origin: EDITOR, ...bearer(await corp.token()) });
    expect([listed.status, listed.headers[ALLOW_ORIGIN]]).toEqual([200, EDITOR]);
  });

  test('a page of an allowed origin gets 304 when it sends the entity tag of the current answer', async () => {
    const { send } = await start();
    const { headers } = await send(OPEN, { Origin: EDITOR });
    const again = await send(OPEN, { Origin: EDITOR, 'If-None-Match': headers.etag ?? '' });
    expect([again.status, again.headers[ALLOW_ORIGIN]]).toEqual([304, EDITOR]);
  });

  test.each([OPEN, CLOSED, '/openapi.json', '/openapi.yaml'])(
    'a page of an allowed origin gets an answer to its preflight at %s without a token',
    async path => {
      const { send, calls } = await start();
      const asked = {
        Origin: EDITOR,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization,if-none-match',
      };
      const { status, headers } = await send(path, asked, 'OPTIONS');
      expect([status, headers[ALLOW_ORIGIN]]).toEqual([204, EDITOR]);
      expect(headers['access-control-allow-methods']).toBe('GET, HEAD');
      expect(headers['access-control-allow-headers']).toBe('authorization,if-none-match');
      expect(calls).toEqual([]);
    },
  );
});

test('a page of the public origin of the registry server can read listings', async () => {
  const { send } = await start();
  const { headers } = await send(OPEN, { Origin: 'https://registry.example' });
  expect(headers[ALLOW_ORIGIN]).toBe('https://registry.example');
});

test.each(['https://other.example', 'https://editor.example.other.example', 'http://editor.example', 'null'])(
  'a page of %s can read no listing',
  async Origin => {
    const { send } = await start();
    for (const path of [OPEN, CLOSED, '/openapi.json', '/nothing']) {
      expect((await send(path, { Origin })).headers).not.toHaveProperty(ALLOW_ORIGIN);
    }
    const asked = { Origin, 'Access-Control-Request-Method': 'GET' };
    expect((await send(CLOSED, asked, 'OPTIONS')).status).toBe(401);
  },
);

test('pages of any origin can read the metadata of the protected resource', async () => {
  const { send } = await start();
  for (const Origin of [EDITOR, 'https://other.example']) {
    expect((await send(METADATA, { Origin })).headers[ALLOW_ORIGIN]).toBe('*');
  }
});

test('an answer to a request without an Origin has no CORS header, and its Vary header names Origin', async () => {
  const { send } = await start();
  const { headers } = await send(OPEN);
  expect(headers).not.toHaveProperty(ALLOW_ORIGIN);
  expect(headers.vary).toBe('Accept-Encoding, Origin');
});
