import { describe, expect, test } from 'vitest';
import { compareVersions, OFFICIAL_META, type RegistryEntry } from '#schemas';
import { corpus } from '../../bench/registry/corpus.ts';
import { described, entry, Listing, listServerNames, read } from './harness.ts';
import { officialErrors } from './official-api.ts';

/** Every member that a `server.json` may have. */
const FULL = described('com.example/full_server.x', {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  title: 'Full \u2028 "title"',
  description: 'Ünïcödé 😀 </script>',
  websiteUrl: 'https://example.com/full',
  repository: { url: 'https://github.com/example/full', source: 'github', id: '1', subfolder: 'servers/full' },
  icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48', 'any'], theme: 'dark' }],
  packages: [
    {
      registryType: 'npm',
      registryBaseUrl: 'https://registry.npmjs.org',
      identifier: '@example/full',
      version: '1.0.0',
      fileSha256: 'a'.repeat(64),
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      runtimeArguments: [{ type: 'named', name: '--port', value: '{port}', variables: { port: { format: 'number' } } }],
      packageArguments: [{ type: 'positional', valueHint: 'file_path', isRepeated: true }],
      environmentVariables: [{ name: 'API_KEY', isRequired: true, isSecret: true, choices: ['a'] }],
    },
  ],
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://{tenant}.example.com/mcp',
      headers: [{ name: 'X-Key', value: '{key}', variables: { key: { isSecret: true } } }],
      variables: { tenant: { description: 'Who', default: 'us' } },
    },
    { type: 'sse', url: 'https://example.com/sse' },
  ],
  _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { 'com.example': { tags: ['a'] } }, 'x.y/z': 1 },
});

const TIMES = { publishedAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-02-01T00:00:00.000Z' };

const listing = new Listing({
  one: [
    FULL,
    entry('com.example/old', '1.0.0', { ...TIMES, status: 'deprecated' }),
    entry('com.example/old', '0.9.0', { status: 'deleted', publishedAt: TIMES.publishedAt }),
    ...[...corpus(20)],
  ],
});
const { api, request } = listing;

describe('the official schema', () => {
  const { server } = FULL;
  const official = (members: object) => ({ servers: [{ server, _meta: { [OFFICIAL_META]: members } }] });

  test.each<[string, unknown]>([
    ["property 'servers'", {}],
    ["/servers/0 must have required property 'server'", { servers: [{}] }],
    ['/servers/0/server/name must match', { servers: [{ server: { ...server, name: 'xyz' } }] }],
    ['/servers/0/server/packages/0', { servers: [{ server: { ...server, packages: [{}] } }] }],
    ['official/status', official({ status: 'gone' })],
    ['official/publishedAt', official({ publishedAt: null })],
    ['official must NOT have additional', official({ source: 'x' })],
  ])('the validator of the official API schema finds %s', (problem, answer) => {
    expect(officialErrors('ServerList', answer).join('\n')).toContain(problem);
  });

  test('the validator of the official API schema accepts an answer of the official registry', () => {
    const members = { status: 'active', statusChangedAt: TIMES.updatedAt, ...TIMES, isLatest: true };
    expect(officialErrors('ServerList', { ...official(members), metadata: { nextCursor: 'x', count: 1 } })).toEqual([]);
  });
});

describe('answers of the registry server', () => {
  test.each([{}, { includeDeleted: 'true' }, { limit: '1' }, { version: 'latest' }, { search: 'nothing at all' }])(
    'the listing for the parameters %j fits the official API schema',
    parameters => {
      expect(officialErrors('ServerList', listing.list(parameters))).toEqual([]);
    },
  );

  test('answers about one server fit the official API schema', () => {
    for (const { server } of listing.list({ limit: '1000' }).servers) {
      expect(officialErrors('ServerList', read(api.versions(request, server.name)))).toEqual([]);
      const one = JSON.parse(api.version(request, server.name, server.version).bytes.toString()) as unknown;
      expect(officialErrors('ServerResponse', one)).toEqual([]);
    }
  });

  test('an answer of the registry server has each server as it was published, and the official metadata next to it', () => {
    const [full, old] = listing.list().servers;
    expect(full).toEqual({
      server: FULL.server,
      _meta: { [OFFICIAL_META]: { status: 'active', isLatest: true } },
    });
    expect(old?._meta).toEqual({ [OFFICIAL_META]: { status: 'deprecated', ...TIMES, isLatest: true } });
  });

  test('an entry has the same bytes in the answers of all operations', () => {
    const one = api.version(request, FULL.server.name, '1.0.0').bytes.toString();
    expect(api.versions(request, FULL.server.name).bytes.toString()).toBe(
      `{"servers":[${one}],"metadata":{"count":1}}`,
    );
    expect(api.servers(request, { search: 'full_server' }).bytes.toString()).toBe(
      `{"servers":[${one}],"metadata":{"count":1}}`,
    );
  });

  test('an answer has the reason for the status of a version, and the time when the status changed', () => {
    const statusMessage = 'Moved to "a/b";\u2028 use that';
    const known = { status: 'deleted', statusMessage, statusChangedAt: '2026-02-03T04:05:06.000Z' } as const;
    const own = new Listing({ one: [entry('a/a', '1.0.0', known)] });
    expect(own.list().servers).toEqual([]);
    const listed = own.list({ includeDeleted: 'true' });
    expect(listed.servers.map(({ _meta }) => _meta)).toEqual([{ [OFFICIAL_META]: { ...known, isLatest: true } }]);
    expect(officialErrors('ServerList', listed)).toEqual([]);
  });

  test('the versions of a server are listed by publication date, and versions without a date last', () => {
    const published = (version: string, publishedAt: string | null) => entry('a/a', version, { publishedAt });
    const own = new Listing({
      one: [
        published('3.0.0', '2026-01-01T00:00:00.000Z'),
        published('1.0.1', '2026-03-01T00:00:00.000Z'),
        published('2.0.0', null),
        published('1.0.0', '2025-01-01T00:00:00.000Z'),
        published('4.0.0', '2025-01-01T00:00:00.000Z'),
        published('5.0.0-rc', null),
      ],
    });
    const order = ['1.0.1', '3.0.0', '4.0.0', '1.0.0', '5.0.0-rc', '2.0.0'];
    expect(listServerNames(read(own.api.versions(own.request, 'a/a')))).toEqual(order.map(version => `a/a@${version}`));
  });

  test('exactly one version of each server is the latest', () => {
    const versions = ['1.0.0', '2.0.0-rc.1', '1.10.0', '1.9.0', 'nightly', 'v2.0.0-rc.2'];
    const own = new Listing({ one: versions.map(version => entry('a/a', version)) });
    const { servers } = own.list();
    expect(servers.map(({ server }) => server.version)).toEqual(versions.toSorted((a, b) => compareVersions(b, a)));
    expect(servers.map(({ _meta }) => _meta[OFFICIAL_META]?.isLatest)).toEqual([true, ...Array(5).fill(false)]);
    expect(latestOf(own)).toEqual(['v2.0.0-rc.2']);
  });

  test('a deleted version is the latest only if all versions are deleted', () => {
    const deleted = (version: string): RegistryEntry => entry('a/a', version, { status: 'deleted' });
    expect(latestOf(new Listing({ one: [entry('a/a', '1.0.0'), deleted('2.0.0')] }))).toEqual(['1.0.0']);
    expect(latestOf(new Listing({ one: [deleted('1.0.0'), deleted('2.0.0')] }))).toEqual(['2.0.0']);
  });
});

function latestOf(own: Listing): string[] {
  const { servers } = own.list({ includeDeleted: 'true' });
  return servers.filter(({ _meta }) => _meta[OFFICIAL_META]?.isLatest).map(({ server }) => server.version);
}
