/** A registry server has the required endpoints, with the required methods and rules. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bearer,
  OPENAPI,
  type Reply,
  startDoor,
  startTrustedProvider,
  type TrustedProvider,
  twoRegistries,
} from './served-door.ts';

let corp: TrustedProvider;
let authorized: { Authorization: string };
beforeAll(async () => {
  corp = await startTrustedProvider();
  authorized = bearer(await corp.token());
});
afterAll(() => corp.close());

const door = () => startDoor(twoRegistries(corp.yaml()));
const METADATA = '/.well-known/oauth-protected-resource';

describe('rule 1: the description and everything under /.well-known/ need no token', () => {
  test('a request to the registry server for the description of its API needs no token', async () => {
    const { send } = await door();
    const reply = await send('/openapi.json');
    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, OPENAPI]);
    expect((await send('/openapi.yaml')).status).toBe(200);
  });

  test('a request to the registry server for the metadata of the protected resource needs no token', async () => {
    const { send, bundle } = await door();
    const reply = await send(METADATA);
    expect(reply.status).toBe(200);
    expect(bundle.auth).toMatchObject({ resourceMetadata: { document: JSON.parse(reply.text) } });
  });

  test.each([
    '/.well-known',
    '/.well-known/',
    '/.well-known/openid-configuration',
    '/browse/',
    '/browse/x',
    '/openapi.json/',
    '/openapi.json/x',
    '/openapi.yaml/',
    '/openapi.yaml/x',
  ])('the registry server answers 404 without a token at %s, which does not exist', async path => {
    const { send } = await door();
    for (const method of ['GET', 'HEAD', 'POST']) expect((await send(path, {}, method)).status).toBe(404);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'the registry server answers a %s request for the description of its API with 405, and reads no body',
    async method => {
      const { send } = await door();
      for (const path of ['/openapi.json', '/openapi.yaml'])
        expect(await send(path, {}, method)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
      expect((await send(METADATA, {}, method)).status).toBe(method === 'OPTIONS' ? 204 : 405);
    },
  );
});

describe('rule 2: health, readiness and version are not on this address', () => {
  test.each(['/health', '/readiness', '/version', '/metrics', '/status'])(
    'the registry server does not serve %s at the address for clients',
    async path => {
      const { send } = await door();
      expect((await send(path)).status).toBe(401);
      expect((await send(path, authorized)).status).toBe(404);
    },
  );
});

describe('rule 3: configured public paths need no token', () => {
  test.each([
    ['/registry/open/v0.1/servers', { operation: 'servers' }],
    ['/registry/open/v0.1/servers/a%2Fb/versions', { operation: 'versions', name: 'a/b' }],
    ['/registry/open/v0.1/servers/a%2Fb/versions/1.0.0', { operation: 'version', name: 'a/b', version: '1.0.0' }],
    ['/registry/open/v0/servers', { operation: 'servers' }],
    ['/registry/open/v0/servers/a%2Fb/versions', { operation: 'versions', name: 'a/b' }],
    ['/registry/open/v0/servers/a%2Fb/versions/1.0.0', { operation: 'version', name: 'a/b', version: '1.0.0' }],
  ])('a request to the public path %s needs no token', async (path, call) => {
    const { send, calls } = await door();
    expect((await send(path)).status).toBe(200);
    expect(calls).toMatchObject([{ registry: 'open', sources: ['theirs'], ...call }]);
  });
});

describe('the listing', () => {
  test.each([
    ['/registry/main/v0.1/servers', { operation: 'servers', parameters: {} }],
    ['/registry/main/v0.1/servers?limit=3&search=a', { operation: 'servers', parameters: { limit: '3', search: 'a' } }],
    ['/registry/main/v0.1/servers/com.example%2Fx/versions', { operation: 'versions', name: 'com.example/x' }],
    ['/registry/main/v0.1/servers/com.example%2fx/versions/latest', { operation: 'version', version: 'latest' }],
    ['/registry/main/v0.1/servers/a/versions/1.0.0%2Bbuild?x', { operation: 'version', version: '1.0.0+build' }],
    ['/registry/main/v0/servers?limit=3&search=a', { operation: 'servers', parameters: { limit: '3', search: 'a' } }],
    ['/registry/main/v0/servers/com.example%2Fx/versions', { operation: 'versions', name: 'com.example/x' }],
    ['/registry/main/v0/servers/com.example%2fx/versions/latest', { operation: 'version', version: 'latest' }],
  ])('GET %s needs a token', async (path, call) => {
    const { send, calls } = await door();
    expect((await send(path)).status).toBe(401);
    expect(calls).toEqual([]);
    const reply = await send(path, authorized);
    expect(reply.status).toBe(200);
    expect(calls).toMatchObject([{ registry: 'main', sources: ['ours', 'theirs'], ...call }]);
    expect(JSON.parse(reply.text)).toEqual(calls[0]);
  });

  test('the registry server answers HEAD like GET, but without a body', async () => {
    const { send, raw } = await door();
    const findHeaders = ({ headers: { date: _, ...rest } }: Reply) => rest;
    for (const path of ['/registry/main/v0.1/servers', '/openapi.json']) {
      const [got, head] = [await send(path, authorized), await send(path, authorized, 'HEAD')];
      expect([head.status, head.text]).toEqual([200, '']);
      expect(findHeaders(head)).toEqual(findHeaders(got));
    }
    const bytes = await raw(
      'HEAD /registry/open/v0.1/servers HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(bytes).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nContent-Length: \d{2,}[\s\S]*\r\n\r\n$/);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'MERGE'])(
    'the registry server answers %s with 401 without a token, and with 405 with a token',
    async method => {
      const { send, calls } = await door();
      for (const registry of ['main', 'open']) {
        const path = `/registry/${registry}/v0.1/servers`;
        expect((await send(path, {}, method)).status).toBe(401);
        const reply = await send(path, authorized, method);
        expect(reply).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
        expect(JSON.parse(reply.text)).toEqual({ error: expect.any(String) });
      }
      expect(calls).toEqual([]);
    },
  );

  test('the registry server lets no header such as X-HTTP-Method-Override change the method of a request', async () => {
    const { send, calls } = await door();
    const headers = { ...authorized, 'X-HTTP-Method-Override': 'GET', 'X-Original-URL': '/registry/open/v0.1/servers' };
    expect((await send('/registry/main/v0.1/servers', headers, 'POST')).status).toBe(405);
    expect(calls).toEqual([]);
  });

  test('the error of the registry server says whether the registry, the server or the path is unknown', async () => {
    const { send } = await door();
    const textOf = async (path: string) => {
      const { status, text } = await send(path, authorized);
      return [status, JSON.parse(text)];
    };
    expect(await textOf('/registry/none/v0.1/servers')).toEqual([404, { error: 'registry not found' }]);
    expect(await textOf('/registry/main/v0.1/servers/com.example%2Fmissing/versions')).toEqual([
      404,
      { error: 'not found' },
    ]);
    expect(await textOf('/registry/main/v0.1')).toEqual([404, { error: 'not found' }]);
    expect(await textOf('/registry')).toEqual([404, { error: 'not found' }]);
  });
});

test('the registry server refuses a bundle with a route of an unknown kind', async () => {
  const { bundle } = await door();
  const route = { method: 'GET', path: '/v1/sources', access: 'public', registry: null } as const;
  await expect(startDoor({ ...bundle, routes: [...bundle.routes, route] })).rejects.toThrow(
    'unknown route GET /v1/sources',
  );
});

test('the registry server answers a GET without waiting for its body', async () => {
  const { send, raw } = await door();
  const head = 'GET /registry/open/v0.1/servers HTTP/1.1\r\nHost: localhost\r\n';
  expect(await raw(`${head}Content-Length: 5\r\nConnection: close\r\n\r\nhello`)).toMatch(/^HTTP\/1\.1 200 /);
  expect(
    await raw(`POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello`),
  ).toMatch(/^HTTP\/1\.1 401 /);
  expect((await send('/openapi.json')).status).toBe(200);
});
