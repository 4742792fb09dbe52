/** How a registry server sends a response: entity tags, content codings, caching. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PreparedBody } from '../../../runtime/registry/api.ts';
import { parseAcceptedCodings } from '../../../runtime/registry/http/content-coding.ts';
import { isKnownToClient } from '../../../runtime/registry/http/entity-tag.ts';
import { atOnce, bearer as bearerOf } from '../edge-auth/tokens.ts';
import { preparedBody } from './fake-api.ts';
import { type DoorParts, type Reply, startDoor, twoRegistries } from './served-door.ts';

const CONFIG = twoRegistries('      - { name: corp, issuerUrl: "https://login.invalid", audience: x }');
const ALICE = { Authorization: bearerOf({ sub: 'alice' }) };
const BODY = preparedBody({ servers: ['x'.repeat(4_000)] });

/** A registry server whose callers state their own names, with a listing that never changes. */
function door(body: PreparedBody = BODY, parts: DoorParts = {}, config: string = CONFIG) {
  const routes = new Map([['/.well-known/oauth-protected-resource', () => {}]]);
  const api = { servers: () => body, versions: () => body, version: () => body };
  return startDoor(config, {
    authenticator: { ...atOnce, routes },
    api,
    openapi: { json: body, yaml: body },
    ...parts,
  });
}

const PRIVATE = '/registry/main/v0.1/servers';
const PUBLIC = '/registry/open/v0.1/servers';
const decoded = ({ body, headers }: Reply): Buffer => {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(body);
  return headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
};

describe('answers', () => {
  test.each([
    ['for a caller', PRIVATE, 'private, no-cache', 'Accept-Encoding, Authorization, Origin'],
    ['for any caller', PUBLIC, 'public, no-cache', 'Accept-Encoding, Origin'],
    ['with the description of the API', '/openapi.json', 'public, no-cache', 'Accept-Encoding, Origin'],
  ])(
    'an answer of the registry server %s has the caching headers for this kind of answer',
    async (_name, path, cacheControl, vary) => {
      const { send } = await door();
      const reply = await send(path, ALICE);
      expect(reply).toMatchObject({
        status: 200,
        headers: {
          'content-type': 'application/json',
          'content-length': `${BODY.bytes.length}`,
          'cache-control': cacheControl,
          vary,
          etag: BODY.etag,
          'x-content-type-options': 'nosniff',
        },
      });
      expect(reply.body.equals(BODY.bytes)).toBe(true);
      const unchanged = await send(path, { ...ALICE, 'If-None-Match': BODY.etag });
      expect(unchanged).toMatchObject({
        status: 304,
        text: '',
        headers: { 'cache-control': cacheControl, vary, etag: BODY.etag },
      });
      expect(unchanged.headers['content-length']).toBeUndefined();
    },
  );

  const strict = `${CONFIG.replace('name: main, ', 'name: main, claims: { org: x }, ')}  authz: {}\n`;

  test.each<[number, string, string, Record<string, string>, string]>([
    [400, CONFIG, 'GET', ALICE, `${PRIVATE}?limit=1&limit=2`],
    [401, CONFIG, 'GET', {}, PRIVATE],
    [403, strict, 'GET', ALICE, PRIVATE],
    [404, CONFIG, 'GET', ALICE, '/none'],
    [405, CONFIG, 'POST', ALICE, PRIVATE],
  ])(
    'an error answer (%i) of the registry server has Cache-Control no-store',
    async (status, config, method, headers, path) => {
      const { send } = await door(BODY, {}, config);
      const reply = await send(path, headers, method);
      expect(reply).toMatchObject({
        status,
        headers: {
          'cache-control': 'no-store',
          'content-type': 'application/json',
          'x-content-type-options': 'nosniff',
        },
      });
      expect(JSON.parse(reply.text)).toEqual({ error: expect.any(String) });
    },
  );
});

describe('If-None-Match', () => {
  const TAG = '"abc"';

  test.each<[string, string | undefined, boolean]>([
    ['no header', undefined, false],
    ['an equal tag', '"abc"', true],
    ['an equal tag that is weak', 'W/"abc"', true],
    ['a star', '*', true],
    ['a tag among others', '"x", W/"y" ,"abc"', true],
    ['a tag with commas among others', '"a,b","abc"', true],
    ['empty elements', ', ,"abc",', true],
    ['another tag', '"abcd"', false],
    ['the entity tag without quotes', 'abc', false],
    ['the entity tag within another tag', '"x\\"abc\\""', false],
    ['the prefix w/ in lower case', 'w/"abc"', false],
    ['a star among others', '"x", *', false],
    ['the entity tag after invalid text', 'x, "abc"', false],
    ['two tags without a comma', '"x" "abc"', false],
    ['an empty header', '', false],
  ])('the registry server compares If-None-Match with the entity tag: %s', (_name, header, expected) => {
    expect(isKnownToClient(header, TAG)).toBe(expected);
  });

  test('the time to read If-None-Match grows only with its length, for any content of the header', () => {
    for (const unit of ['"', ', ', 'W/', '"x",', ' \t', '"abc']) {
      expect(isKnownToClient(unit.repeat(200_000), TAG)).toBe(false);
    }
  });

  test('the registry server finds its entity tag in any list of tags in If-None-Match', () => {
    const tag = fc.string({ unit: fc.constantFrom('a', 'b', ',', '!', '/', '*') }).map(text => `"${text}"`);
    const weak = fc.tuple(fc.constantFrom('', 'W/'), tag);
    fc.assert(
      fc.property(fc.array(weak), tag, (list, wanted) => {
        const header = list.map(parts => parts.join('')).join(', ');
        expect(isKnownToClient(header, wanted)).toBe(list.some(([, one]) => one === wanted));
      }),
      { numRuns: 1_000 },
    );
  });

  test('the registry server answers 304 for the entity tag of a compressed answer', async () => {
    const { send } = await door();
    const first = await send(PUBLIC, { 'Accept-Encoding': 'gzip' });
    const etag = first.headers.etag as string;
    expect(etag).toBe(`W/${BODY.etag}`);
    for (const headers of [{ 'Accept-Encoding': 'gzip' }, {}, { 'Accept-Encoding': 'br' }]) {
      expect((await send(PUBLIC, { ...headers, 'If-None-Match': etag } as Record<string, string>)).status).toBe(304);
    }
  });

  test('the registry server checks the token before If-None-Match', async () => {
    const { send } = await door();
    expect((await send(PRIVATE, { 'If-None-Match': '*' })).status).toBe(401);
    expect((await send('/none', { ...ALICE, 'If-None-Match': '*' })).status).toBe(404);
  });
});

describe('Accept-Encoding', () => {
  test.each<[string | undefined, string | undefined, boolean]>([
    [undefined, 'identity', true],
    ['', 'identity', true],
    ['gzip', 'gzip', true],
    ['GZip', 'gzip', true],
    ['x-gzip', 'gzip', true],
    ['br', 'br', true],
    ['gzip, deflate, br', 'br', true],
    ['gzip, deflate, br, zstd', 'br', true],
    ['gzip;q=1.0, br;q=0.5', 'gzip', true],
    ['br ; q=0.5 , gzip\t;q=0.8', 'gzip', true],
    ['gzip;q=0', 'identity', true],
    ['gzip;q=0.000, br;q=0', 'identity', true],
    ['gzip;Q=0.5', 'gzip', true],
    ['*', 'br', true],
    ['*;q=0.5, br;q=0', 'gzip', true],
    ['*;q=0', undefined, false],
    ['identity;q=0', undefined, false],
    ['identity;q=0, gzip', 'gzip', false],
    ['*;q=0, gzip;q=0.1', 'gzip', false],
    ['*;q=0, identity', 'identity', true],
    ['identity, gzip;q=0.5', 'identity', true],
    ['identity;q=0.5, gzip;q=0.5', 'gzip', true],
    ['deflate', 'identity', true],
    ['deflate, identity;q=0', undefined, false],
    ['gzip;q=2', 'identity', true],
    ['gzip;q=-1', 'identity', true],
    ['gzip;q=0.1234', 'identity', true],
    ['gzip;level=9', 'identity', true],
    ['gzip;q=, br;q=0.1', 'br', true],
    ['gzip br', 'identity', true],
    [',,,', 'identity', true],
  ])('the registry server chooses a content coding for the Accept-Encoding %j', (header, best, acceptsPlain) => {
    expect(parseAcceptedCodings(header)).toEqual({ best, acceptsPlain });
    // From the cache.
    expect(parseAcceptedCodings(header)).toEqual({ best, acceptsPlain });
  });

  test('the registry server never chooses an excluded content coding, for any Accept-Encoding', () => {
    const element = fc.tuple(
      fc.constantFrom('gzip', 'br', 'identity', '*', 'deflate', ''),
      fc.constantFrom('', ';q=0', ';q=0.5', ';q=1', ';x'),
    );
    fc.assert(
      fc.property(fc.uniqueArray(element, { selector: ([name]) => name }), list => {
        const { best } = parseAcceptedCodings(list.map(parts => parts.join('')).join(','));
        const named = new Map(list.filter(([, weight]) => weight !== ';x'));
        if (best !== undefined) expect(named.get(best)).not.toBe(';q=0');
        if (best !== undefined && best !== 'identity') expect(named.has(best) || named.has('*')).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(['gzip', 'br', 'identity'])(
    'the registry server sends the content coding %s that it announces',
    async coding => {
      const { send } = await door();
      for (const path of [PRIVATE, PUBLIC, '/openapi.json']) {
        const reply = await send(path, { ...ALICE, 'Accept-Encoding': coding });
        expect(reply.status).toBe(200);
        expect(reply.headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
        expect(reply.headers['content-length']).toBe(`${reply.body.length}`);
        expect(decoded(reply).equals(BODY.bytes)).toBe(true);
        const head = await send(path, { ...ALICE, 'Accept-Encoding': coding }, 'HEAD');
        expect(head.headers).toMatchObject({ 'content-length': `${reply.body.length}`, etag: reply.headers.etag });
      }
    },
  );

  test('the registry server sends an answer uncompressed when it has no smaller compressed form, unless the client excludes identity', async () => {
    const { send } = await door({ ...BODY, encoded: () => undefined });
    const plain = await send(PUBLIC, { 'Accept-Encoding': 'gzip, br' });
    expect([plain.headers['content-encoding'], plain.headers.etag]).toEqual([undefined, BODY.etag]);
    for (const coding of ['gzip', 'br']) {
      const forced = await send(PUBLIC, { 'Accept-Encoding': `${coding}, identity;q=0` });
      expect([forced.status, forced.headers['content-encoding']]).toEqual([200, coding]);
      expect(decoded(forced).equals(BODY.bytes)).toBe(true);
    }
  });

  test('the registry server answers 406 to an Accept-Encoding that allows no coding', async () => {
    const { send } = await door();
    expect(await send(PUBLIC, { 'Accept-Encoding': 'zstd, *;q=0' })).toMatchObject({
      status: 406,
      headers: { vary: 'Accept-Encoding, Origin' },
    });
  });

  test('the registry server answers 500, and nothing incomplete, when compression fails', async () => {
    const { send } = await door({ ...BODY, encoded: () => Promise.reject(new Error('no memory')) });
    expect((await send(PUBLIC, { 'Accept-Encoding': 'gzip' })).status).toBe(500);
  });
});
