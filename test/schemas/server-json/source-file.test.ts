import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  OFFICIAL_META,
  PUBLISHER_META,
  parseSourceFileInSteps,
  readServerResponse,
  readSourceFile,
  toUtcTime,
} from '#schemas';

const GOOD = { name: 'com.example/weather', description: 'Forecasts.', version: '1.0.0' };
const file = (servers: unknown, more: object = {}): string => JSON.stringify({ ...more, data: { servers } });

describe('what a file gives', () => {
  test('a file of registry entries gives its entries in their order, with the time of its last update', () => {
    const text = file([{ ...GOOD, version: '2.0.0' }, GOOD], { meta: { last_updated: '2026-01-01T01:30:00+01:00' } });
    expect(readSourceFile(text)).toEqual({
      entries: ['2.0.0', '1.0.0'].map(version => ({
        server: { ...GOOD, version },
        status: 'active',
        publishedAt: null,
        updatedAt: '2026-01-01T00:30:00.000Z',
      })),
      problems: [],
      newer: [],
    });
  });

  test('the official metadata of a registry entry is taken out of the entry and returned next to it', () => {
    const official = {
      status: 'deprecated',
      publishedAt: '2025-09-01T00:00:00.123456Z',
      updatedAt: '2025-10-01T00:00:00Z',
      isLatest: true,
    };
    const text = file([{ ...GOOD, _meta: { [OFFICIAL_META]: official, [PUBLISHER_META]: { a: 1 } } }]);
    expect(readSourceFile(text).entries).toEqual([
      {
        server: { ...GOOD, _meta: { [PUBLISHER_META]: { a: 1 } } },
        status: 'deprecated',
        publishedAt: '2025-09-01T00:00:00.123Z',
        updatedAt: '2025-10-01T00:00:00.000Z',
      },
    ]);
  });

  test('a registry entry in the format of 2025-09-16 keeps its own status', () => {
    const old = 'https://static.modelcontextprotocol.io/schemas/2025-09-16/server.schema.json';
    const [first, second] = readSourceFile(
      file([
        { ...GOOD, $schema: old, status: 'deleted' },
        { ...GOOD, version: '2.0.0', status: 'deleted' },
      ]),
    ).entries;
    expect([first?.status, second?.status]).toEqual(['deleted', 'active']);
  });

  test('a file of registry entries may begin with a byte order mark', () => {
    expect(readSourceFile(`\uFEFF${file([GOOD])}`).entries).toHaveLength(1);
  });
});

describe('a file with any problem gives nothing', () => {
  test.each<[string, string]>([
    ['{', ' is not JSON'],
    ['[]', ' must be a JSON object with data.servers'],
    ['{"servers": {}}', ' needs data.servers, a list of servers in the format of the official registry'],
    [file([]), '/data/servers needs one server at least'],
    [file([GOOD, GOOD]), '/data/servers/1 is a second entry for version "1.0.0" of com.example/weather'],
    [
      file([GOOD, { ...GOOD, version: '^1' }]),
      '/data/servers/1/version must be one version of 1 to 255 characters: neither "latest" nor a range',
    ],
    [
      file([GOOD], { meta: { last_updated: 'today' } }),
      '/meta/last_updated must be a date and time such as 2026-01-31T12:00:00Z',
    ],
    [
      file([{ ...GOOD, _meta: { [OFFICIAL_META]: { status: 'gone' } } }]),
      '/data/servers/0/_meta/io.modelcontextprotocol.registry~1official/status must be "active", "deprecated" or "deleted"',
    ],
  ])('a file of registry entries with a problem gives no entries: case %#', (text, expected) => {
    const { entries, problems } = readSourceFile(text);
    expect(entries).toEqual([]);
    expect(problems.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual([expected]);
  });

  test('a file with more registry entries than the limit gives no entries', () => {
    const { entries, problems } = readSourceFile(`{"data":{"servers":[${'1,'.repeat(100_000)}1]}}`);
    expect(entries).toEqual([]);
    expect(problems).toEqual([{ pointer: '/data/servers', message: 'has more than 100000 servers' }]);
  });

  test('at most 100 problems of a file of registry entries are listed', () => {
    expect(readSourceFile(file(Array(1000).fill({}))).problems).toHaveLength(100);
  });
});

describe('one element of a listing', () => {
  test('an element of a registry listing gives its entry with the official metadata', () => {
    const _meta = { [OFFICIAL_META]: { status: 'active', publishedAt: '2025-09-01T00:00:00Z', isLatest: false } };
    expect(readServerResponse({ server: GOOD, _meta })).toEqual({
      entry: { server: GOOD, status: 'active', publishedAt: '2025-09-01T00:00:00.000Z', updatedAt: null },
      problems: [],
    });
  });

  test.each<[unknown, string[]]>([
    [null, [' must be an object']],
    [GOOD, [' needs "server"']],
    [
      { server: { ...GOOD, name: 'x' } },
      ['/server/name must be a name such as com.example/weather, of 3 to 200 characters'],
    ],
    [
      { server: GOOD, _meta: { [OFFICIAL_META]: { status: 'gone', updatedAt: 1 } } },
      [
        '/_meta/io.modelcontextprotocol.registry~1official/status must be "active", "deprecated" or "deleted"',
        '/_meta/io.modelcontextprotocol.registry~1official/updatedAt must be a date and time such as 2026-01-31T12:00:00Z',
      ],
    ],
  ])('an element of a registry listing with a problem gives no entry: case %#', (value, expected) => {
    const { entry, problems } = readServerResponse(value);
    expect(entry).toBeUndefined();
    expect(problems.map(({ pointer, message }) => `${pointer} ${message}`)).toEqual(expected);
  });
});

test.each<[unknown, string | undefined]>([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31t12:00:00.5z', '2026-01-31T12:00:00.500Z'],
  ['2026-01-01T00:00:00-02:30', '2026-01-01T02:30:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-02-30T00:00:00Z', undefined],
  ['2026-01-31T25:00:00Z', undefined],
  ['2026-01-31', undefined],
  ['2026-01-31 12:00:00Z', undefined],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['1969-02-30T00:00:00Z', undefined],
  ['9999-12-31T23:59:59-01:00', undefined],
  ['0000-01-01T00:00:00+01:00', undefined],
  ['+275760-09-13T00:00:00Z', undefined],
  [1, undefined],
])('the time %j in a registry entry is read as UTC or refused', (text, expected) => {
  expect(toUtcTime(text)).toBe(expected);
});

test('any text is read as a file of registry entries without an exception', () => {
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(fc.jsonValue()).map(servers => file(servers)),
  );
  fc.assert(
    fc.property(texts, text => {
      const { entries, problems } = readSourceFile(text);
      expect(entries.length > 0).toBe(problems.length === 0);
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const { entry, problems } = readServerResponse({ server: { ...GOOD, x: value }, _meta: value });
      expect(entry === undefined).toBe(problems.length > 0);
    }),
  );
});

test('a file of registry entries is read in steps of at most a hundred entries, with the same result', () => {
  const servers = Array.from({ length: 1_000 }, (_, number) => ({
    name: `io.example/server-${number}`,
    description: 'One of many',
    version: '1.0.0',
  }));
  for (const [text, expected] of [
    [JSON.stringify({ data: { servers } }), 10],
    [JSON.stringify({ data: { servers: [...servers, {}] } }), 10],
    [JSON.stringify({ data: { servers: servers.slice(0, 99) } }), 0],
    ['no JSON', 0],
  ] as const) {
    const steps = parseSourceFileInSteps(text);
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    expect(count).toBe(expected);
    expect(step.value).toEqual(readSourceFile(text));
  }
});
