/** Which registries and sources a caller may see. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClaimMap, hasClaims } from '#schemas';
import { ANONYMOUS, createIdentity, NO_UPSTREAM_TOKENS } from '../../../runtime/auth/identity.ts';
import { Visibility } from '../../../runtime/registry/http/visibility.ts';
import { bearer, startDoor, startTrustedProvider, type TrustedProvider } from './served-door.ts';

/** Claims as parsed from a token. */
const parsed = (text: string): Record<string, unknown> => JSON.parse(text);

describe('claims', () => {
  test.each<[string, held: string, required: string, boolean]>([
    ['a text', '{"org":"a"}', '{"org":["a"]}', true],
    ['a text among those that count', '{"org":"b"}', '{"org":["a","b"]}', true],
    ['another text', '{"org":"c"}', '{"org":["a","b"]}', false],
    ['a part of a text', '{"org":"ab"}', '{"org":["a"]}', false],
    ['texts by a space, which are one text', '{"scope":"a b"}', '{"scope":["a"]}', false],
    ['other letters', '{"org":"A"}', '{"org":["a"]}', false],
    ['a list with it', '{"org":["b","a"]}', '{"org":["a"]}', true],
    ['a list without it', '{"org":["b"]}', '{"org":["a"]}', false],
    ['an empty list', '{"org":[]}', '{"org":["a"]}', false],
    ['all that are required', '{"org":"a","team":["t"]}', '{"org":["a"],"team":["t","u"]}', true],
    ['one of two that are required', '{"org":"a"}', '{"org":["a"],"team":["t"]}', false],
    ['nothing', '{}', '{"org":["a"]}', false],
    ['nothing, where nothing is required', '{"org":"a"}', '{}', false],
    ['something, where no value would do', '{"org":"a"}', '{"org":[]}', false],
    ['the name in other letters', '{"orgid":"a"}', '{"orgId":["a"]}', false],
    ['a number', '{"org":1}', '{"org":["1"]}', false],
    ['true', '{"org":true}', '{"org":["true"]}', false],
    ['null', '{"org":null}', '{"org":["null"]}', false],
    ['an object', '{"org":{"0":"a","length":1}}', '{"org":["a"]}', false],
    ['a list with a number', '{"org":["a",1]}', '{"org":["a"]}', false],
    ['a list with null', '{"org":["a",null]}', '{"org":["a"]}', false],
    ['a list in a list', '{"org":[["a"]]}', '{"org":["a"]}', false],
    ['an empty text', '{"org":""}', '{"org":[""]}', true],
    ['__proto__ as a claim', '{"__proto__":"a"}', '{"__proto__":["a"]}', true],
    ['__proto__ with another value', '{"__proto__":"b"}', '{"__proto__":["a"]}', false],
    ['no __proto__', '{"org":"a"}', '{"__proto__":["a"]}', false],
    ['a member that every object has', '{}', '{"constructor":["a"]}', false],
    ['such a member as a claim', '{"constructor":"a"}', '{"constructor":["a"]}', true],
  ])('%s', (_name, held, required, expected) => {
    expect(hasClaims(parsed(held), parsed(required) as ClaimMap)).toBe(expected);
  });

  const name = fc.constantFrom('a', 'b', '__proto__', 'toString');
  const text = fc.constantFrom('x', 'y', 'z');
  const value = fc.oneof(text, fc.array(text), fc.array(fc.oneof(text, fc.integer())), fc.jsonValue());
  const mapOf = <T>(values: fc.Arbitrary<T>) =>
    fc.array(fc.tuple(name, values)).map(pairs => Object.fromEntries(pairs));

  test('fit as the words say: every key, any value', () => {
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

  test('more claims never show less', () => {
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
    ['of nothing', {}, null, null],
    ['of the organization', { org: 'x' }, ['common'], null],
    ['of another organization, which sees the registry alone', { org: 'y' }, [], null],
    ['of a team', { org: ['x'], team: ['other', 'backend'] }, ['common', 'platform'], null],
    ['of a team without the organization', { team: 'backend' }, null, null],
    ['of a malformed claim', { org: ['x', 1] }, null, null],
    ['of half of a role', { groups: 'admins' }, null, null],
    ['a super admin', { org: 'x', groups: ['admins'] }, ['bare', 'common', 'platform'], ['bare']],
    ['a super admin by the other rule', { sub: 'root' }, ['bare', 'common', 'platform'], ['bare']],
    ['of __proto__', JSON.parse('{"__proto__":{"org":"x"}}'), null, null],
  ])('a caller %s', async (_name, claims, main, bare) => {
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

  test('a claim named __proto__ is a claim', async () => {
    const { send, calls } = await startDoor(CONFIG(corp.yaml()));
    const token = await corp.token({ claims: JSON.parse('{"__proto__":"z"}') });
    expect((await send('/registry/odd/v0.1/servers', bearer(token))).status).toBe(200);
    expect(calls).toMatchObject([{ registry: 'odd', sources: ['odd'] }]);
    expect((await send('/registry/odd/v0.1/servers', bearer(await corp.token()))).status).toBe(403);
  });

  test('the registry hides nothing before the token: without one it is 401', async () => {
    const { send } = await startDoor(CONFIG(corp.yaml()));
    expect((await send('/registry/main/v0.1/servers')).status).toBe(401);
  });

  test('opaque tokens have the claims of the introspection', async () => {
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

describe('what is visible', () => {
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

  test('is decided once for an identity', () => {
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

  test('without authorization is everything', () => {
    const all = new Visibility({ ...plan, authorization: { type: 'authenticated' } });
    expect(all.sources('main', caller({}))).toEqual(['a']);
    expect(new Visibility({ ...plan, authorization: { type: 'none' } }).sources('main', ANONYMOUS)).toEqual(['a']);
  });

  test('to no caller is nothing, whatever the claims are called', () => {
    const visibility = new Visibility({ ...plan, authorization: { type: 'claims', roles, ruleCount: 0 } });
    expect(visibility.sources('main', ANONYMOUS)).toBeNull();
    expect(visibility.sources('none', caller({ org: 'x' }))).toBeNull();
  });
});
