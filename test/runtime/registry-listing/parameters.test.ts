import { describe, expect, test } from 'vitest';
import type { ListParameters } from '../../../runtime/registry/api.ts';
import { described, entry, Listing, listServerNames, read, refusal } from './harness.ts';

const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => entry(`a/s${String(i).padStart(4, '0')}`, '1.0.0'));

describe('limit', () => {
  const listing = new Listing({ one: numbered(1_200) });

  test.each([
    [undefined, 30],
    ['', 30],
    ['1', 1],
    ['0030', 30],
    ['999', 999],
    ['1000', 1_000],
    ['1001', 1_000],
    ['9'.repeat(400), 1_000],
  ])('a registry listing with the limit %j has %i entries', (limit, count) => {
    const { servers, metadata } = listing.list({ limit });
    expect(servers).toHaveLength(count);
    expect(metadata.count).toBe(count);
  });

  test.each(['0', '-1', '-0', '1.0', '1e2', '0x10', ' 5', '5 ', '+5', 'ten', '٣', 'Infinity'])(
    'the registry API refuses the limit %j',
    limit => {
      expect(refusal(() => listing.list({ limit }))).toEqual({
        status: 400,
        message: 'invalid limit: a whole number from 1 to 1000',
      });
    },
  );
});

describe('cursor', () => {
  const listing = new Listing({ one: [entry('a/a', '1.0.0'), entry('a/b', '1.0.0'), entry('a/c', '1,0"\n☃')] });
  const cursorOf = (text: string) => Buffer.from(text).toString('base64url');

  test('the last page of a registry listing has no cursor', () => {
    expect(listing.list({ limit: '3' }).metadata).toEqual({ count: 3 });
    expect(listing.list({ limit: '2' }).metadata).toEqual({ count: 2, nextCursor: cursorOf('["a/b","1.0.0"]') });
  });

  test('an empty cursor gives the first page of a registry listing', () => {
    expect(listing.list({ cursor: '' })).toEqual(listing.list());
  });

  test('a cursor of a registry listing means the entries after a position, whether an entry at the position is listed or not', () => {
    const behind = (text: string) => listServerNames(listing.list({ cursor: cursorOf(text) }));
    expect(behind('["a/a","1.0.0"]')).toEqual(['a/b@1.0.0', 'a/c@1,0"\n☃']);
    expect(behind('["a/a","2.0.0"]')).toEqual(['a/a@1.0.0', 'a/b@1.0.0', 'a/c@1,0"\n☃']);
    expect(behind('["a/a","0.1.0"]')).toEqual(['a/b@1.0.0', 'a/c@1,0"\n☃']);
    expect(behind('["a/aa",""]')).toEqual(['a/b@1.0.0', 'a/c@1,0"\n☃']);
    expect(behind('["",""]')).toHaveLength(3);
    expect(listing.list({ cursor: cursorOf('["z",""]') })).toEqual({ servers: [], metadata: { count: 0 } });
  });

  test.each([
    'x',
    '!',
    'null',
    cursorOf(' '),
    cursorOf('[]'),
    cursorOf('["a/a"]'),
    cursorOf('["a/a","1.0.0",1]'),
    cursorOf('["a/a",1]'),
    cursorOf('{"0":"a/a","1":"1.0.0","length":2}'),
    cursorOf('[ "a/a","1.0.0"]'),
    cursorOf('a/a,1.0.0'),
    Buffer.from('a/a,1.0.0').toString('base64'),
    `${cursorOf('["a/b","1.0.0"]')}=`,
    `${cursorOf('["a/b","1.0.0"]')}\n`,
    ` ${cursorOf('["a/b","1.0.0"]')}`,
    cursorOf('["a/\\u0061","1.0.0"]'),
    Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x2c, 0x22, 0x22, 0x5d]).toString('base64url'),
    cursorOf(`["${'a'.repeat(9_000)}",""]`),
    cursorOf('['.repeat(5_000)),
  ])('the registry API refuses the cursor %j', cursor => {
    expect(refusal(() => listing.list({ cursor }))).toEqual({
      status: 400,
      message: 'invalid cursor: pass the nextCursor of the previous page unchanged',
    });
  });
});

describe('search', () => {
  const listing = new Listing({
    one: [
      described('com.example/Weather', { title: 'Forecasts', description: '100% of the sky_line' }),
      described('com.example/maps', { title: 'Straßen und Plätze', description: 'a*b \\ c? [d]' }),
      described('com.example/mete', { title: 'ΟΔΟΣ', description: 'ПОГОДА в городе' }),
      described('com.example/plain', { description: 'İstanbul' }),
    ],
  });

  test.each([
    ['weather', ['Weather']],
    ['WEATHER', ['Weather']],
    ['EXAMPLE/M', ['maps', 'mete']],
    ['forecast', ['Weather']],
    ['STRASSE', []],
    ['STRAß', ['maps']],
    ['plÄtze', ['maps']],
    ['погода', ['mete']],
    ['οδος', ['mete']],
    ['ΟΔΟ', ['mete']],
    ['οδοσ', ['mete']],
    ['istanbul', []],
    ['İSTANBUL', ['plain']],
    // No wildcards.
    ['%', ['Weather']],
    ['_', ['Weather']],
    ['*', ['maps']],
    ['\\', ['maps']],
    ['?', ['maps']],
    ['[d]', ['maps']],
    ['s.y', []],
    ['com_example', []],
    // Within one of the three, not across them.
    ['forecasts 100', []],
    ['\n', []],
    // Unchanged, spaces included.
    [' sky', ['Weather']],
    ['sky ', []],
    ['the sky', ['Weather']],
    ['', ['Weather', 'maps', 'mete', 'plain']],
    ['x'.repeat(256), []],
  ])('a registry listing with the search %j has the entries %j', (search, names) => {
    expect(listing.walk({ search })).toEqual(names.map(name => `com.example/${name}@1.0.0`));
  });

  test('the registry API refuses a search of more than 256 characters', () => {
    expect(refusal(() => listing.list({ search: 'x'.repeat(257) }))).toEqual({
      status: 400,
      message: 'invalid search: longer than 256 characters',
    });
  });

  test('a search of the registry API looks at each version of a server separately', () => {
    const of = (version: string, title: string) =>
      entry('a/a', version, { server: { name: 'a/a', version, title, description: 'd' } });
    const two = new Listing({ one: [of('1.0.0', 'Old name'), of('2.0.0', 'New name')] });
    expect(two.walk({ search: 'old' })).toEqual(['a/a@1.0.0']);
    expect(two.walk({ search: 'name' })).toEqual(['a/a@2.0.0', 'a/a@1.0.0']);
    expect(two.walk({ search: 'old', version: 'latest' })).toEqual([]);
  });
});

describe('updated_since', () => {
  const at = (name: string, updatedAt: string | null) => entry(name, '1.0.0', { updatedAt });
  const listing = new Listing({
    one: [
      at('a/a', '2026-01-01T00:00:00.000Z'),
      at('a/b', '2026-01-01T00:00:00.001Z'),
      at('a/c', '2026-06-01T00:00:00.000Z'),
      at('a/unknown', null),
    ],
  });

  test.each([
    ['2025-12-31T23:59:59Z', ['a', 'b', 'c', 'unknown']],
    ['2026-01-01T00:00:00Z', ['b', 'c', 'unknown']],
    ['2026-01-01T00:00:00.0005Z', ['b', 'c', 'unknown']],
    ['2026-01-01T00:00:00.001Z', ['c', 'unknown']],
    ['2026-01-01T02:00:00.001+02:00', ['c', 'unknown']],
    ['2025-12-31t23:30:00z', ['a', 'b', 'c', 'unknown']],
    ['2026-06-01T00:00:00Z', ['unknown']],
    ['2999-01-01T00:00:00Z', ['unknown']],
    // Go's zero time, for a time that was not set.
    ['0001-01-01T00:00:00Z', ['a', 'b', 'c', 'unknown']],
    ['', ['a', 'b', 'c', 'unknown']],
  ])('a registry listing with updated_since %j has the entries %j', (updatedSince, names) => {
    expect(listing.walk({ updatedSince, limit: '2' })).toEqual(names.map(name => `a/${name}@1.0.0`));
  });

  test.each([
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T25:00:00Z',
    '1767225600',
    'yesterday',
    '2026-01-01T00:00:00Z; drop',
  ])('the registry API refuses updated_since %j', updatedSince => {
    const { status, message } = refusal(() => listing.list({ updatedSince }));
    expect(status).toBe(400);
    expect(message).toContain('invalid updated_since: a date and time of RFC 3339');
  });

  test('the error of the registry API for updated_since says that a plus sign became a space', () => {
    expect(refusal(() => listing.list({ updatedSince: '2026-01-01T00:00:00 02:00' })).message).toContain(
      'write + as %2B',
    );
  });
});

describe('version', () => {
  const listing = new Listing({
    one: ['1.9.0', '1.10.0', '2.0.0-rc.1', 'nightly'].map(version => entry('a/a', version)),
    two: [entry('a/b', '1.9.0'), entry('a/c', 'latest')],
  });

  test.each([
    [undefined, ['a/a@2.0.0-rc.1', 'a/a@1.10.0', 'a/a@1.9.0', 'a/a@nightly', 'a/b@1.9.0', 'a/c@latest']],
    ['', ['a/a@2.0.0-rc.1', 'a/a@1.10.0', 'a/a@1.9.0', 'a/a@nightly', 'a/b@1.9.0', 'a/c@latest']],
    ['latest', ['a/a@2.0.0-rc.1', 'a/b@1.9.0', 'a/c@latest']],
    ['1.9.0', ['a/a@1.9.0', 'a/b@1.9.0']],
    ['nightly', ['a/a@nightly']],
    ['1.9', []],
    ['v1.9.0', []],
    ['Latest', []],
  ])('a registry listing with the version %j has the entries %j', (version, expected) => {
    for (const limit of ['1', '2', '30']) expect(listing.walk({ version, limit })).toEqual(expected);
  });
});

describe('include_deleted', () => {
  const time = { updatedAt: '2026-01-02T00:00:00.000Z' };
  const listing = new Listing({
    one: [
      entry('a/a', '1.0.0', time),
      entry('a/a', '2.0.0', { ...time, status: 'deleted' }),
      entry('a/b', '1.0.0', { ...time, status: 'deprecated' }),
      entry('a/gone', '1.0.0', { ...time, status: 'deleted' }),
    ],
  });
  const kept = ['a/a@1.0.0', 'a/b@1.0.0'];
  const all = ['a/a@2.0.0', 'a/a@1.0.0', 'a/b@1.0.0', 'a/gone@1.0.0'];

  test.each<[ListParameters, string[]]>([
    [{}, kept],
    [{ includeDeleted: '' }, kept],
    [{ includeDeleted: 'false' }, kept],
    [{ includeDeleted: 'true' }, all],
    [{ updatedSince: '2026-01-01T00:00:00Z' }, all],
    [{ updatedSince: '2026-01-01T00:00:00Z', includeDeleted: 'false' }, all],
    [{ version: 'latest' }, kept],
    [{ version: 'latest', includeDeleted: 'true' }, ['a/a@1.0.0', 'a/b@1.0.0', 'a/gone@1.0.0']],
  ])('a registry listing with the parameters %j has the entries %j', (parameters, expected) => {
    expect(listing.walk({ ...parameters, limit: '1' })).toEqual(expected);
  });

  test.each(['1', 'yes', 'TRUE', 'true '])('the registry API refuses include_deleted %j', includeDeleted => {
    const refused = { status: 400, message: 'invalid include_deleted: true or false' };
    const { api, request } = listing;
    expect(refusal(() => listing.list({ includeDeleted }))).toEqual(refused);
    expect(refusal(() => api.versions(request, 'a/a', { includeDeleted }))).toEqual(refused);
    expect(refusal(() => api.version(request, 'a/a', '1.0.0', { includeDeleted }))).toEqual(refused);
  });

  test('include_deleted=true shows deleted versions of one server', () => {
    const { api, request } = listing;
    const includeDeleted = 'true';
    expect(listServerNames(read(api.versions(request, 'a/a')))).toEqual(['a/a@1.0.0']);
    expect(listServerNames(read(api.versions(request, 'a/a', { includeDeleted })))).toEqual(['a/a@2.0.0', 'a/a@1.0.0']);
    expect(refusal(() => api.version(request, 'a/a', '2.0.0'))).toEqual({ status: 404, message: 'version not found' });
    expect(api.version(request, 'a/a', '2.0.0', { includeDeleted }).bytes.toString()).toContain('"status":"deleted"');
    expect(refusal(() => api.versions(request, 'a/gone'))).toEqual({ status: 404, message: 'server not found' });
    expect(refusal(() => api.version(request, 'a/gone', 'latest'))).toEqual({
      status: 404,
      message: 'version not found',
    });
    expect(api.version(request, 'a/gone', 'latest', { includeDeleted }).bytes.toString()).toContain('"isLatest":true');
  });
});

test('each entry of a registry listing satisfies all parameters of the request', () => {
  const listing = new Listing({
    one: [
      entry('a/one', '1.0.0', { updatedAt: '2026-01-01T00:00:00.000Z' }),
      entry('a/one', '2.0.0', { updatedAt: '2026-03-01T00:00:00.000Z' }),
      entry('a/other', '2.0.0', { updatedAt: '2026-03-01T00:00:00.000Z', status: 'deleted' }),
      entry('b/one', '2.0.0', { updatedAt: '2026-01-01T00:00:00.000Z' }),
    ],
  });
  const updatedSince = '2026-02-01T00:00:00Z';
  expect(listing.walk({ search: 'A/O', updatedSince, version: '2.0.0', limit: '1' })).toEqual([
    'a/one@2.0.0',
    'a/other@2.0.0',
  ]);
  expect(listing.walk({ search: 'one', updatedSince, version: 'latest' })).toEqual(['a/one@2.0.0']);
  expect(listing.walk({ search: 'one', updatedSince, version: '1.0.0' })).toEqual([]);
});

describe('unknown names', () => {
  const listing = new Listing({ one: [entry('a/a', '1.0.0')] });
  const { api, request } = listing;

  test.each(['', 'a', 'a/', 'a/A', 'a/aa', 'A/A', ' a/a', '__proto__', 'constructor'])(
    'a request to the registry API for the unknown server %j gets 404',
    name => {
      expect(refusal(() => api.versions(request, name))).toEqual({ status: 404, message: 'server not found' });
      expect(refusal(() => api.version(request, name, 'latest'))).toEqual({ status: 404, message: 'server not found' });
    },
  );

  test.each(['', '1', '1.0', 'v1.0.0', 'LATEST'])(
    'a request to the registry API for the unknown version %j gets 404',
    version => {
      expect(refusal(() => api.version(request, 'a/a', version))).toEqual({
        status: 404,
        message: 'version not found',
      });
    },
  );

  test('a request to the registry API for an unknown registry gets 404', () => {
    const other = { ...request, registry: 'other' };
    for (const call of [
      () => api.servers(other, {}),
      () => api.versions(other, 'a/a'),
      () => api.version(other, 'a/a', '1.0.0'),
    ]) {
      expect(refusal(call)).toEqual({ status: 404, message: 'registry not found' });
    }
  });

  test('a registry whose sources were not read, or that has no sources, has an empty listing', () => {
    const none = { servers: [], metadata: { count: 0 } };
    expect(read(api.servers({ registry: 'all', sources: ['unread'] }, {}))).toEqual(none);
    expect(read(api.servers({ registry: 'all', sources: [] }, { search: 'a' }))).toEqual(none);
    expect(listServerNames(read(api.servers({ registry: 'all', sources: ['unread', 'one'] }, {})))).toEqual([
      'a/a@1.0.0',
    ]);
  });
});
