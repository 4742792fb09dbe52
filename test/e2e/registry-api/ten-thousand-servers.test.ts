/** Ten thousand servers with three versions each, read by a client of the official API. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corpus, VERSIONS } from '../../bench/registry/corpus.ts';
import { anonymousConfig, type RegistryServer, sourceFile, startRegistry } from '../registry/registry-server.ts';
import { OfficialClient, type ServerResponse } from './official-client.ts';

const COUNT = 10_000;
const ENTRIES = [...corpus(COUNT)].map(({ server }) => server);
const NAMES = [...new Set(ENTRIES.map(({ name }) => name))];
const NEWEST = VERSIONS.at(-1) ?? '';

let registry: RegistryServer;
let client: OfficialClient;

beforeAll(async () => {
  registry = await startRegistry({
    'registry.yaml': anonymousConfig('{ name: ours, file: { path: DIR/servers.json } }'),
    'servers.json': sourceFile(ENTRIES),
  });
  client = new OfficialClient(registry.main.replace(/\/v0\.1\/servers$/, ''));
});

afterAll(() => registry[Symbol.asyncDispose]());

const idOf = ({ server: { name, version } }: ServerResponse): string => `${name}@${version}`;
const officialOf = (entry: ServerResponse | undefined) => entry?._meta?.['io.modelcontextprotocol.registry/official'];

describe('ten thousand servers', () => {
  test.each([
    ['pages of the default size with the latest versions', { version: 'latest' }, 30, [NEWEST]],
    [
      'pages of a hundred with one version of each server',
      { limit: 100, version: VERSIONS[0] ?? '' },
      100,
      VERSIONS.slice(0, 1),
    ],
    ['the largest pages with all versions, newest first', { limit: 1000 }, 1000, VERSIONS.toReversed()],
  ])(
    'the pages of a registry of ten thousand servers contain each server once, in order: %s',
    async (_, options, size, versions) => {
      const before = client.answers;
      const seen: string[] = [];
      const sizes = new Set<number>();
      for await (const { servers, metadata } of client.pages(options)) {
        expect(metadata?.count).toBe(servers.length);
        sizes.add(servers.length);
        for (const entry of servers) {
          seen.push(idOf(entry));
          expect(officialOf(entry)?.isLatest).toBe(entry.server.version === NEWEST);
        }
      }
      expect(seen).toEqual(NAMES.flatMap(name => versions.map(version => `${name}@${version}`)));
      expect(client.answers - before).toBe(Math.ceil(seen.length / size));
      expect(Math.max(...sizes)).toBe(size);
    },
  );

  test('a registry server returns each entry as it was published, by list and by name', async () => {
    for (const { name, ...published } of ENTRIES.filter((_, index) => index % 991 === 0)) {
      expect((await client.version(name, published.version)).server).toEqual({ name, ...published });
      expect(idOf(await client.version(name, 'latest'))).toBe(`${name}@${NEWEST}`);
      const { servers, metadata } = await client.versions(name);
      expect(servers.map(idOf)).toEqual(VERSIONS.toReversed().map(version => `${name}@${version}`));
      expect(metadata?.nextCursor ?? '').toBe('');
    }
  });

  test('a search in a registry of ten thousand servers finds all entries with the text, in upper and lower case', async () => {
    const text = (NAMES[4711] ?? '').slice(-9);
    const found: string[] = [];
    for await (const { servers } of client.pages({ search: text.toUpperCase(), version: 'latest', limit: 2 })) {
      found.push(...servers.map(({ server }) => server.name));
    }
    const holds = ({ name, title, description }: (typeof ENTRIES)[number]) =>
      [name, title, description].some(one =>
        String(one ?? '')
          .toLowerCase()
          .includes(text.toLowerCase()),
      );
    const expected = ENTRIES.filter(one => one.version === NEWEST && holds(one)).map(({ name }) => name);
    expect(expected.length).toBeGreaterThan(0);
    expect(found).toEqual(expected);
  });

  test.each([
    ['a request for an unknown server', () => client.versions('com.example/none'), 404],
    ['a request for an unknown version', () => client.version(NAMES[0] ?? '', '99.0.0'), 404],
    ['an invalid cursor', () => client.list({ cursor: 'no cursor' }), 400],
    ['a limit of 0', () => client.list({ limit: 0 }), 400],
    ['an invalid time', () => client.list({ updated_since: 'yesterday' }), 400],
  ])('a registry server answers %s with an error message', async (_, ask, status) => {
    await expect(ask()).rejects.toMatchObject({ status, message: expect.stringMatching(/\w/) });
  });
});
