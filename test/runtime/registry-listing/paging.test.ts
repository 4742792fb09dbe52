import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareText, compareVersions, type RegistryEntry } from '#schemas';
import type { ListParameters } from '../../../runtime/registry/api.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runs.ts';
import { formatEntryKey, someEntries, someSources, term } from './arbitrary.ts';
import { entry, Listing, refusal } from './harness.ts';

/** The entries that a registry with these sources must list, computed in the simplest way. */
function expected(sources: readonly (readonly RegistryEntry[])[], parameters: ListParameters = {}): string[] {
  const names = new Set(sources.flat().map(({ server }) => server.name));
  return [...names].sort(compareText).flatMap(name => {
    const own = sources
      .map(source => source.filter(({ server }) => server.name === name))
      .find(found => found.length > 0);
    const sorted = (own ?? []).toSorted((a, b) => compareVersions(b.server.version, a.server.version));
    const latest = sorted.find(({ status }) => status !== 'deleted') ?? sorted[0];
    return sorted.filter(found => passes(found, found === latest, parameters)).map(formatEntryKey);
  });
}

function passes({ server, status, updatedAt }: RegistryEntry, isLatest: boolean, parameters: ListParameters): boolean {
  const { search, version, updatedSince, includeDeleted } = parameters;
  if (status === 'deleted' && includeDeleted !== 'true' && updatedSince === undefined) return false;
  if (version === 'latest' ? !isLatest : version !== undefined && version !== server.version) return false;
  if (updatedSince !== undefined && updatedAt !== null && Date.parse(updatedAt) <= Date.parse(updatedSince))
    return false;
  const folded = (value: unknown) =>
    String(value ?? '')
      .toLowerCase()
      .replaceAll('ς', 'σ');
  return (
    search === undefined ||
    [server.name, server.title, server.description].some(value => folded(value).includes(folded(search)))
  );
}

const filters: fc.Arbitrary<ListParameters> = fc.record(
  {
    search: term,
    version: fc.constantFrom('latest', '1.0.0', '1.10.0', 'none'),
    updatedSince: fc.constantFrom('2025-01-01T00:00:00Z', '2026-01-01T00:00:00.004Z', '2027-01-01T00:00:00Z'),
    includeDeleted: fc.constantFrom('true', 'false'),
  },
  { requiredKeys: [] },
);

const limits = fc.integer({ min: 1, max: 50 }).map(String);

const listingOf = (sources: readonly RegistryEntry[][]) =>
  new Listing(Object.fromEntries(sources.map((entries, index) => [`source-${index}`, entries])));

describe('pages', () => {
  test('the pages of a registry listing, of any length, contain each entry once, in order, except filtered and shadowed entries', () => {
    fc.assert(
      fc.property(someSources, filters, limits, (sources, parameters, limit) => {
        expect(listingOf(sources).walk({ ...parameters, limit })).toEqual(expected(sources, parameters));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('the versions endpoint of a server returns exactly its listed versions, and a client can read each of them', () => {
    fc.assert(
      fc.property(someSources, sources => {
        const { api, request } = listingOf(sources);
        const listed = Map.groupBy(expected(sources), key => key.slice(0, key.indexOf('@')));
        for (const { server } of sources.flat()) {
          const keys = listed.get(server.name);
          if (keys === undefined) {
            expect(refusal(() => api.versions(request, server.name)).status).toBe(404);
            continue;
          }
          const versions = JSON.parse(api.versions(request, server.name).bytes.toString());
          expect(versions.servers.map(formatEntryKey)).toEqual(keys);
          expect(versions.metadata).toEqual({ count: keys.length });
          versions.servers.forEach((one: RegistryEntry, index: number) => {
            const alone = JSON.parse(api.version(request, server.name, one.server.version).bytes.toString());
            expect(alone).toEqual(one);
            if (index === 0)
              expect(JSON.parse(api.version(request, server.name, 'latest').bytes.toString())).toEqual(one);
          });
        }
      }),
    );
  });

  test('a client that reads page after page while entries are added and removed gets every remaining entry exactly once', () => {
    fc.assert(
      fc.property(
        someSources,
        filters,
        limits,
        fc.array(someEntries, { maxLength: 20 }),
        (sources, parameters, limit, changes) => {
          const listing = listingOf(sources);
          const seen = [sources];
          const walked = listing.walk({ ...parameters, limit }, page => {
            const change = changes[page];
            if (change === undefined) return;
            const place = page % sources.length;
            const next = (seen.at(-1) ?? []).with(place, change);
            seen.push(next);
            listing.replace(`source-${place}`, change);
          });
          expect(walked).toEqual([...new Set(walked)]);
          const known = seen.map(state => expected(state, parameters));
          for (const key of walked) expect(known.some(keys => keys.includes(key))).toBe(true);
          const stayed = known.reduce((left, keys) => left.filter(key => keys.includes(key)));
          expect(walked.filter(key => stayed.includes(key))).toEqual(stayed);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  test('a cursor of a registry listing stays valid when the entry that it names is removed', () => {
    const [a, b, c] = ['a/a', 'a/b', 'a/c'].map(name => entry(name, '1.0.0')) as [
      RegistryEntry,
      RegistryEntry,
      RegistryEntry,
    ];
    const listing = new Listing({ one: [a, b, c] });
    const cursor = listing.list({ limit: '2' }).metadata.nextCursor;
    listing.replace('one', [a, c]);
    expect(listing.walk({ cursor })).toHaveLength(2);
    expect(listing.list({ cursor }).servers.map(({ server }) => server.name)).toEqual(['a/c']);
  });

  test('the registry API accepts any text as a cursor, or refuses it with 400', () => {
    const listing = listingOf([[entry('a/a', '1.0.0'), entry('b/b', '1.0.0')]]);
    const position = fc.tuple(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }));
    const encoded = fc
      .oneof(
        fc.json(),
        position.map(pair => JSON.stringify(pair)),
      )
      .map(text => Buffer.from(text).toString('base64url'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.base64String(), encoded), cursor => {
        try {
          expect(listing.list({ cursor }).servers.length).toBeLessThanOrEqual(2);
        } catch {
          expect(refusal(() => listing.list({ cursor })).status).toBe(400);
        }
      }),
      { numRuns: runs(2_000) },
    );
  });
});

describe('shadowing', () => {
  const listing = new Listing({
    best: [entry('a/both', '1.0.0'), entry('a/gone', '1.0.0', { status: 'deleted' })],
    other: [entry('a/both', '2.0.0'), entry('a/both', '1.0.0'), entry('a/gone', '1.0.0'), entry('a/own', '1.0.0')],
  });

  test('the registry server lists, for each server name, only the entries of the first source that has the name', () => {
    expect(listing.walk()).toEqual(['a/both@1.0.0', 'a/own@1.0.0']);
    expect(listing.walk({ version: '2.0.0' })).toEqual([]);
    const { api, request } = listing;
    expect(refusal(() => api.version(request, 'a/both', '2.0.0'))).toEqual({
      status: 404,
      message: 'version not found',
    });
    expect(refusal(() => api.versions(request, 'a/gone'))).toEqual({ status: 404, message: 'server not found' });
  });

  test('a caller who does not see the first source with a server name gets the entries of the next source with this name', () => {
    const { servers } = JSON.parse(
      listing.api.servers({ registry: 'all', sources: ['other'] }, {}).bytes.toString(),
    ) as { servers: RegistryEntry[] };
    expect(servers.map(formatEntryKey)).toEqual(['a/both@2.0.0', 'a/both@1.0.0', 'a/gone@1.0.0', 'a/own@1.0.0']);
  });
});
