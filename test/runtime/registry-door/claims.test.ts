/** Which registries and sources a caller may see. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClaimMap } from '#schemas';
import { hasClaims } from '#shared/plan';
import { ANONYMOUS, createIdentity, NO_UPSTREAM_TOKENS } from '../../../runtime/auth/identity.ts';
import { Visibility } from '../../../runtime/registry/http/visibility.ts';
import { bearer, startDoor, startTrustedProvider, type TrustedProvider } from './served-door.ts';

/** Claims as parsed from a token. */
const parsed = (text: string): Record<string, unknown> => JSON.parse(text);

describe('claims', () => {
  test.each<[string, held: string, required: string, boolean]>([
    ['the required string', '{"org":"a"}', '{"org":["a"]}', true],
    ['one of two allowed strings', '{"org":"b"}', '{"org":["a","b"]}', true],
    ['another string', '{"org":"c"}', '{"org":["a","b"]}', false],
    ['a longer string', '{"org":"ab"}', '{"org":["a"]}', false],
    ['a string with a space, which is one value', '{"scope":"a b"}', '{"scope":["a"]}', false],
    ['another case', '{"org":"A"}', '{"org":["a"]}', false],
    ['a list with the required string', '{"org":["b","a"]}', '{"org":["a"]}', true],
    ['a list without the required string', '{"org":["b"]}', '{"org":["a"]}', false],
    ['an empty list', '{"org":[]}', '{"org":["a"]}', false],
    ['all required claims', '{"org":"a","team":["t"]}', '{"org":["a"],"team":["t","u"]}', true],
    ['one of two required claims', '{"org":"a"}', '{"org":["a"],"team":["t"]}', false],
    ['no claims', '{}', '{"org":["a"]}', false],
    ['no required claims', '{"org":"a"}', '{}', false],
    ['a required claim without allowed values', '{"org":"a"}', '{"org":[]}', false],
    ['a claim name in another case', '{"orgid":"a"}', '{"orgId":["a"]}', false],
    ['a number', '{"org":1}', '{"org":["1"]}', false],
    ['true', '{"org":true}', '{"org":["true"]}', false],
    ['null', '{"org":null}', '{"org":["null"]}', false],
    ['an object', '{"org":{"0":"a","length":1}}', '{"org":["a"]}', false],
    ['a list with a number', '{"org":["a",1]}', '{"org":["a"]}', false],
    ['a list with null', '{"org":["a",null]}', '{"org":["a"]}', false],
    ['a list in a list', '{"org":[["a"]]}', '{"org":["a"]}', false],
    ['an empty string', '{"org":""}', '{"org":[""]}', true],
    ['__proto__ as a claim', '{"__proto__":"a"}', '{"__proto__":["a"]}', true],
    ['__proto__ with another value', '{"__proto__":"b"}', '{"__proto__":["a"]}', false],
    ['no __proto__', '{"org":"a"}', '{"__proto__":["a"]}', false],
    ['a required claim named constructor', '{}', '{"constructor":["a"]}', false],
    ['a claim named constructor', '{"constructor":"a"}', '{"constructor":["a"]}', true],
  ])(
    'the registry server compares the claims of a caller with required claims: %s',
    (_name, held, required, expected) => {
      expect(hasClaims(parsed(held), parsed(required) as ClaimMap)).toBe(expected);
    },
  );

  const name = fc.constantFrom('a', 'b', '__proto__', 'toString');
  const text = fc.constantFrom('x', 'y', 'z');
  const value = fc.oneof(text, fc.array(text), fc.array(fc.oneof(text, fc.integer())), fc.jsonValue());
  const mapOf = <T>(values: fc.Arbitrary<T>) =>
    fc.array(fc.tuple(name, values)).map(pairs => Object.fromEntries(pairs));

  test('a caller has the required claims exactly if each claim has one of the allowed values', () => {
    fc.assert(
      fc.property(mapOf(value), mapOf(fc.array(text)), (held, required) => {
        const keys = Object.keys(required);
        const fits = (key: string): boolean => {
          const found: unknown = new Map(Object.entries(held)).get(key);
          const list = typeof found === 'string' ? [found] : found;
          if (!Array.isArray(list) || list.some(one => typeof one !== 'string')) return false;
          return list.some(one => required[key]?.includes(one));
        };
        expect(hasClaims(held, required)).toBe(keys.length > 0 && keys.every(fits));
      }),
      { numRuns: 2_000 },
    );
  });

  test('a caller with more claims never sees fewer entries', () => {
    fc.assert(
      fc.property(mapOf(fc.array(text)), mapOf(fc.array(text)), name, text, (held, required, key, more) => {
        const raised = Object.fromEntries([
          ...Object.entries(held),
          [key, [...(new Map(Object.entries(held)).get(key) ?? []), more]],
        ]);
        if (hasClaims(held, required)) expect(hasClaims(raised, required)).toBe(true);
      }),
    );
  });
});

const CONFIG = (providers: string) => `sources:
  - { name: platform, file: { path: /srv/a.json }, claims: { org: x, team: [platform, backend] } }
  - { name: common, file: { path: /srv/b.json }, claims: { org: x } }
  - { name: bare, file: { path: /srv/c.json } }
  - { name: odd, file: { path: /srv/d.json }, claims: { __proto__: z } }
registries:
  - { name: main, sources: [bare, common, platform], claims: { org: [x, y] } }
  - { name: bare, sources: [bare] }
  - { name: odd, sources: [odd], claims: { __proto__: z } }
auth:
  oauth:
    resourceUrl: https://registry.example
    providers:
${providers}
  authz: { roles: { superAdmin: [{ groups: admins, org: x }, { sub: root }] } }
`;

describe('with authorization', () => {
  let corp: TrustedProvider;
  beforeAll(async () => {
    corp = await startTrustedProvider();
  });
  afterAll(() => corp.close());

  test.each<[string, claims: Record<string, unknown>, main: readonly string[] | null, bare: readonly string[] | null]>([
    ['without claims', {}, null, null],
    ['with the organization', { org: 'x' }, ['common'], null],
    ['with another organization, who sees an empty registry', { org: 'y' }, [], null],
    ['with a team', { org: ['x'], team: ['other', 'backend'] }, ['common', 'platform'], null],
    ['with a team and no organization', { team: 'backend' }, null, null],
    ['with a malformed claim', { org: ['x', 1] }, null, null],
    ['with a part of a role', { groups: 'admins' }, null, null],
    ['with the super admin role', { org: 'x', groups: ['admins'] }, ['bare', 'common', 'platform'], ['bare']],
    ['with the super admin role by another rule', { sub: 'root' }, ['bare', 'common', 'platform'], ['bare']],
    ['with a claim __proto__', JSON.parse('{"__proto__":{"org":"x"}}'), null, null],
  ])('the registry server shows sources by the claims of a caller %s', async (_name, claims, main, bare) => {
    const { send, calls } = await startDoor(CONFIG(corp.yaml()));
    const authorization = bearer(await corp.token({ claims }));
    for (const [registry, sources] of [
      ['main', main],
      ['bare', bare],
    ] as const) {
      for (const path of ['servers', 'servers/a%2Fb/versions', 'servers/a%2Fb/versions/1']) {
        calls.length = 0;
        const reply = await send(`/registry/${registry}/v0.1/${path}`, authorization);
        expect(reply.status).toBe(sources === null ? 403 : 200);
        if (sources === null) {
          expect(JSON.parse(reply.text)).toEqual({ error: 'forbidden: insufficient claims for registry' });
          expect(reply.headers['www-authenticate']).toBeUndefined();
          expect(calls).toEqual([]);
        } else expect(calls).toMatchObject([{ registry, sources }]);
      }
    }
  });

  test('the registry server compares a claim named __proto__ like any other claim', async () => {
    const { send, calls } = await startDoor(CONFIG(corp.yaml()));
    const token = await corp.token({ claims: JSON.parse('{"__proto__":"z"}') });
    expect((await send('/registry/odd/v0.1/servers', bearer(token))).status).toBe(200);
    expect(calls).toMatchObject([{ registry: 'odd', sources: ['odd'] }]);
    expect((await send('/registry/odd/v0.1/servers', bearer(await corp.token()))).status).toBe(403);
  });

  test('a request without a token to a registry with claims gets 401', async () => {
    const { send } = await startDoor(CONFIG(corp.yaml()));
    expect((await send('/registry/main/v0.1/servers')).status).toBe(401);
  });

  test('the registry server reads the claims of an opaque token from its introspection', async () => {
    const fields = {
      introspectionUrl: corp.idp.introspectionUrl,
      clientId: corp.idp.client.id,
      clientSecretFile: corp.folder.file('secret'),
    };
    const { send, calls } = await startDoor(CONFIG(corp.yaml(fields)));
    const token = await corp.token({ format: 'opaque', claims: { org: ['x'], team: 'platform' } });
    expect((await send('/registry/main/v0.1/servers', bearer(token))).status).toBe(200);
    expect(calls).toMatchObject([{ sources: ['common', 'platform'] }]);
  });
});

describe('visible sources', () => {
  const plan = {
    registries: [{ name: 'main', sources: ['a'], claims: { org: ['x'] } }],
    sources: [{ name: 'a', claims: { org: ['x'] } }],
  } as unknown as ConstructorParameters<typeof Visibility>[0];
  const roles = { superAdmin: [], manageSources: [], manageRegistries: [], manageEntries: [] };
  const caller = (claims: Record<string, unknown>) =>
    createIdentity({
      issuer: 'i',
      subject: 's',
      claims,
      expiresAt: 0,
      token: null,
      upstreamTokens: NO_UPSTREAM_TOKENS,
    });

  test('the registry server decides once per identity which sources are visible', () => {
    const visibility = new Visibility({ ...plan, authorization: { type: 'claims', roles, ruleCount: 0 } });
    let reads = 0;
    const identity = caller({
      get org() {
        reads++;
        return 'x';
      },
    });
    const first = visibility.sources('main', identity);
    const once = reads;
    expect(visibility.sources('main', identity)).toBe(first);
    expect([first, reads]).toEqual([['a'], once]);
    expect(visibility.sources('main', caller({ org: 'y' }))).toBeNull();
  });

  test('a caller sees all sources when the configuration has no authorization', () => {
    const all = new Visibility({ ...plan, authorization: { type: 'authenticated' } });
    expect(all.sources('main', caller({}))).toEqual(['a']);
    expect(new Visibility({ ...plan, authorization: { type: 'none' } }).sources('main', ANONYMOUS)).toEqual(['a']);
  });

  test('an anonymous caller sees no source of a registry with claims, for any names of claims', () => {
    const visibility = new Visibility({ ...plan, authorization: { type: 'claims', roles, ruleCount: 0 } });
    expect(visibility.sources('main', ANONYMOUS)).toBeNull();
    expect(visibility.sources('none', caller({ org: 'x' }))).toBeNull();
  });
});
