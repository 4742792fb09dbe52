/** How a registry server parses the query of a request for a listing. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../runtime/registry/api.ts';
import { listParameters } from '../../../runtime/registry/http/request-text.ts';
import { startDoor } from './served-door.ts';

const ANONYMOUS = `sources: [{ name: a, file: { path: /srv/a.json } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`;
const LISTING = '/registry/main/v0.1/servers';

describe('valid queries', () => {
  test.each<[string, object]>([
    ['', {}],
    ['?', {}],
    ['?limit=3', { limit: '3' }],
    [
      '?cursor=c&limit=1&search=s&updated_since=u&version=v&include_deleted=true',
      { cursor: 'c', limit: '1', search: 's', updatedSince: 'u', version: 'v', includeDeleted: 'true' },
    ],
    ['?search=', { search: '' }],
    ['?search', { search: '' }],
    ['?search=a=b', { search: 'a=b' }],
    ['?search=a+b%20c%2Bd', { search: 'a b c+d' }],
    ['?search=%C3%A9%F0%9F%98%80', { search: 'é😀' }],
    ['?search=%25', { search: '%' }],
    ['?search=%2525', { search: '%25' }],
    ['?sear%63h=x', { search: 'x' }],
    ['?other=1&other=2&limit=3', { limit: '3' }],
    ['?other=%zz&limit=3', { limit: '3' }],
    ['?Limit=3&updatedSince=x&includeDeleted=x', {}],
    ['?__proto__=x&constructor=y', {}],
    ['?&&limit=3&', { limit: '3' }],
    ['?limit=1?limit=2', { limit: '1?limit=2' }],
    ['?limit=1;limit=2', { limit: '1;limit=2' }],
  ])('the registry server accepts the query "%s"', async (query, parameters) => {
    const { send, calls } = await startDoor(ANONYMOUS);
    expect((await send(`${LISTING}${query}`)).status).toBe(200);
    expect(calls).toEqual([{ operation: 'servers', registry: 'main', sources: ['a'], parameters }]);
  });
});

describe('invalid queries', () => {
  test.each([
    ['?limit=1&limit=2', 'limit is given more than once'],
    ['?limit=1&limit=1', 'limit is given more than once'],
    ['?limit=&limit=1', 'limit is given more than once'],
    ['?limi%74=1&limit=2', 'limit is given more than once'],
    ['?updated_since=a&updated_since=b', 'updated_since is given more than once'],
    ['?search=%', 'search is not percent-encoded UTF-8'],
    ['?search=%c0%af', 'search is not percent-encoded UTF-8'],
    ['?search=%e9', 'search is not percent-encoded UTF-8'],
    ['?search=%ed%a0%80', 'search is not percent-encoded UTF-8'],
    ['?%zz=1', 'the query is not percent-encoded UTF-8'],
    ['?search=a%00', 'search has control characters'],
    ['?cursor=%0d%0aSet-Cookie:x', 'cursor has control characters'],
    ['?search%00=a', 'the query has control characters'],
  ])('the registry server answers 400 to the query "%s"', async (query, error) => {
    const { send, calls } = await startDoor(ANONYMOUS);
    const reply = await send(`${LISTING}${query}`);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([400, { error }]);
    expect(calls).toEqual([]);
  });
});

describe('the query of a single server', () => {
  test.each(['versions', 'versions/1'])(
    'the registry server reads only include_deleted of the query of %s',
    async path => {
      const { send, calls } = await startDoor(ANONYMOUS);
      expect((await send(`${LISTING}/a/${path}?limit=1&limit=2&include_deleted=true&search=%`)).status).toBe(200);
      expect(calls).toMatchObject([{ name: 'a', parameters: { includeDeleted: 'true' } }]);
      expect((await send(`${LISTING}/a/${path}?include_deleted=true&include_deleted=false`)).status).toBe(400);
    },
  );

  test('the registry server ignores the query of a request for the API description', async () => {
    const { send } = await startDoor(ANONYMOUS);
    expect((await send('/openapi.json?limit=1&limit=2&%')).status).toBe(200);
  });
});

test('the registry server answers 414 to a URL of more than 8 KiB', async () => {
  const { send, calls } = await startDoor(ANONYMOUS);
  const rest = (length: number) => 'x'.repeat(length - `${LISTING}?search=`.length);
  expect((await send(`${LISTING}?search=${rest(8_192)}`)).status).toBe(200);
  expect((await send(`${LISTING}?search=${rest(8_193)}`)).status).toBe(414);
  expect(calls).toHaveLength(1);
});

test('the registry server reads any query as URLSearchParams does, or refuses it', () => {
  const names = ['cursor', 'limit', 'search', 'updated_since', 'version', 'include_deleted'] as const;
  const piece = fc.oneof(fc.constantFrom(...names, '=', '&', '+', '%20', '%', '%c3%a9', '%00'), fc.string());
  fc.assert(
    fc.property(fc.array(piece), pieces => {
      const query = pieces.join('');
      let read: object;
      try {
        read = listParameters(`/x?${query}`);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        return;
      }
      const expected = new URLSearchParams(query.replace(/^\?/, '%3F'));
      const found = Object.values(read);
      expect(found.toSorted()).toEqual(names.flatMap(name => expected.getAll(name)).toSorted());
    }),
    { numRuns: 2_000 },
  );
});
