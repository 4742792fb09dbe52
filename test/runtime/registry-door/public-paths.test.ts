/** Which requests need no token because of a public path, and which still need one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RegistryBundle } from '#schemas';
import { compileConfig, getBundle } from '../../compiler/registry/compiling.ts';
import { bearer, startDoor, startTrustedProvider, type TrustedProvider, twoRegistries } from './served-door.ts';

let corp: TrustedProvider;
let token: string;
beforeAll(async () => {
  corp = await startTrustedProvider();
  token = await corp.token({ claims: { org: 'x', groups: ['admins'] } });
});
afterAll(() => corp.close());

const OPEN = '/registry/open/v0.1/servers';
const bundle = (): RegistryBundle => getBundle(compileConfig(twoRegistries(corp.yaml())));

describe('a public route', () => {
  test.each([
    ['no', undefined],
    ['an unknown', 'Bearer unknown'],
    ['a malformed', 'Bearer "'],
    ['an empty', 'Bearer'],
    ['credentials of another scheme and no', 'Basic eDp5'],
  ])('a public route gives the same answer to any request: with %s token', async (_name, authorization) => {
    const { send, calls } = await startDoor(bundle());
    const plain = await send(OPEN);
    const reply = await send(OPEN, authorization === undefined ? {} : { Authorization: authorization });
    expect([reply.status, reply.text]).toEqual([200, plain.text]);
    expect(reply.headers).toMatchObject({ 'cache-control': 'public, no-cache', vary: 'Accept-Encoding, Origin' });
    expect(calls[1]).toEqual(calls[0]);
  });

  test('a public route shows a super admin the same as any client', async () => {
    const { send, calls } = await startDoor({
      ...bundle(),
      authorization: {
        type: 'claims',
        roles: { superAdmin: [{ groups: ['admins'] }], manageSources: [], manageRegistries: [], manageEntries: [] },
        ruleCount: 1,
      },
    });
    for (const headers of [{}, bearer(token)])
      expect((await send(OPEN, headers as Record<string, string>)).status).toBe(200);
    expect(calls.map(({ sources }) => sources)).toEqual([['theirs'], ['theirs']]);
    expect((await send('/registry/main/v0.1/servers', bearer(token))).status).toBe(200);
    expect(calls[2]?.sources).toEqual(['ours', 'theirs']);
  });

  test.each(['authenticated', 'claims'] as const)(
    'a public route never shows sources with claims (authorization: %s)',
    async type => {
      const roles = { superAdmin: [], manageSources: [], manageRegistries: [], manageEntries: [] };
      const plain = bundle();
      const opened: RegistryBundle = {
        ...plain,
        authorization: type === 'claims' ? { type, roles, ruleCount: 0 } : { type },
        routes: plain.routes.map(route => ({ ...route, access: 'public' })),
        sources: plain.sources.map(source => (source.name === 'ours' ? { ...source, claims: { org: ['x'] } } : source)),
      };
      const { send, calls } = await startDoor(opened);
      await send('/registry/main/v0.1/servers', bearer(token));
      expect(calls).toMatchObject([{ registry: 'main', sources: ['theirs'] }]);
      const closed = { ...opened, registries: opened.registries.map(one => ({ ...one, claims: { org: ['x'] } })) };
      expect((await (await startDoor(closed)).send(OPEN, bearer(token))).status).toBe(403);
    },
  );
});

describe('a missing route below a public path', () => {
  test.each(['/registry/open', '/registry/open/', '/registry/open/v0.1', '/registry/open/v0.1/servers/a%2Fb'])(
    'a GET of %s below a public path is 404 without a token, and other methods need a token',
    async path => {
      const { send } = await startDoor(bundle());
      for (const method of ['GET', 'HEAD']) expect((await send(path, {}, method)).status).toBe(404);
      for (const method of ['POST', 'PUT', 'DELETE']) {
        expect((await send(path, {}, method)).status).toBe(401);
        expect((await send(path, bearer(token), method)).status).toBe(404);
      }
    },
  );

  test.each([
    '/registry/opened',
    '/registry/openapi.json',
    '/registry',
    '/registry/ope',
    '/openapi.jsonx',
    '/.well-knownx',
  ])('%s is not below a public path, and needs a token', async path => {
    const { send } = await startDoor(bundle());
    expect((await send(path)).status).toBe(401);
  });
});
