/** A registry server meets the requirements for its modes of authentication. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileConfig, formatFindings } from '../../compiler/registry/compiling.ts';
import { bearer, startDoor, startTrustedProvider, type TrustedProvider, twoRegistries } from './served-door.ts';

let corp: TrustedProvider;
beforeAll(async () => {
  corp = await startTrustedProvider();
});
afterAll(() => corp.close());

const LISTING = '/registry/main/v0.1/servers';
const ANONYMOUS = `sources: [{ name: a, file: { path: /srv/a.json }, claims: { org: x } }]
registries: [{ name: main, sources: [a], claims: { org: x } }]
auth: { mode: anonymous }
`;

describe('oauth', () => {
  test('oauth: callers present access tokens, and the registry server validates the tokens', async () => {
    const { send } = await startDoor(twoRegistries(corp.yaml(), '  mode: oauth'));
    expect((await send(LISTING)).status).toBe(401);
    expect((await send(LISTING, bearer('invented'))).status).toBe(401);
    expect((await send(LISTING, bearer(await corp.token()))).status).toBe(200);
  });

  test('oauth is the mode when the configuration names no mode', async () => {
    const { send, bundle } = await startDoor(twoRegistries(corp.yaml()));
    expect(bundle.auth.mode).toBe('oauth');
    expect((await send(LISTING)).status).toBe(401);
  });

  test('without a section auth the mode is oauth, and the missing settings of oauth are an error', () => {
    const text = 'sources: [{ name: a, file: { path: /a } }]\nregistries: [{ name: main, sources: [a] }]\n';
    expect(formatFindings(compileConfig(text)).join('\n')).toContain('auth.oauth');
  });
});

describe('on a loopback address', () => {
  test.each<[host: string, status: number]>([
    ['localhost:8080', 200],
    ['127.0.0.1', 200],
    ['[::1]:80', 200],
    ['rebound.example', 403],
    ['127.0.0.1.rebound.example', 403],
    ['registry.example.com', 200],
  ])('the registry server on a loopback address answers a request with Host %s with %d', async (Host, status) => {
    const { send } = await startDoor(ANONYMOUS, { allowedOrigins: ['https://registry.example.com'] });
    expect((await send(LISTING, { Host })).status).toBe(status);
    expect((await send('/openapi.json', { Host })).status).toBe(status);
  });
});

describe('anonymous', () => {
  test.each([
    LISTING,
    '/registry/main/v0.1/servers/a%2Fb/versions',
    '/registry/main/v0.1/servers/a%2Fb/versions/1',
    '/openapi.json',
    '/openapi.yaml',
    '/browse',
  ])('anonymous: the endpoint %s is open for requests with any Authorization header', async path => {
    const { send } = await startDoor(ANONYMOUS);
    for (const headers of [{}, bearer('x'), { Authorization: '"' }]) {
      expect((await send(path, headers as Record<string, string>)).status).toBe(200);
    }
  });

  test('anonymous: every client sees all sources of a registry', async () => {
    const { send, calls } = await startDoor(ANONYMOUS);
    await send(LISTING);
    expect(calls).toMatchObject([{ registry: 'main', sources: ['a'] }]);
  });

  test('anonymous: unknown paths get 404, and a POST gets 405', async () => {
    const { send } = await startDoor(ANONYMOUS);
    expect((await send('/nothing')).status).toBe(404);
    expect((await send('/.well-known/oauth-protected-resource')).status).toBe(404);
    expect(await send(LISTING, {}, 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect((await send('/v1/sources/a', {}, 'PUT')).status).toBe(404);
  });
});
