/** Entries for property tests: few names, versions and words, so that they collide. */
import fc from 'fast-check';
import type { RegistryEntry } from '#schemas';
import { entry } from './harness.ts';

const name = fc.constantFrom('a/a', 'a/A', 'a/a-b', 'a/ab', 'a.b/c', 'B/x', 'b/x', 'b/x.y', 'z/İ_%');
const version = fc.constantFrom(
  '1.0.0',
  '1.0.0+b',
  'v1.0.0',
  '1.0.0-rc.1',
  '1.9.0',
  '1.10.0',
  '10.0.0',
  'nightly',
  '2026-01',
  '☃',
);
const text = fc.array(fc.constantFrom('a', 'B', 'ß', 'Σ', 'ς', 'İ', ' ', '%', '_', '*', '\\', '😀', '\n', 'ab', 'Я'), {
  minLength: 1,
  maxLength: 8,
});
const words = text.map(parts => parts.join(''));
const time = fc.option(
  fc
    .date({ min: new Date('2026-01-01T00:00:00Z'), max: new Date('2026-01-01T00:00:00.009Z'), noInvalidDate: true })
    .map(date => date.toISOString()),
);

export const term: fc.Arbitrary<string> = fc.oneof(
  words,
  fc.constantFrom('a/', 'A', '/x', 'b/x', '%', '_', 'ss', 'σ', 'i̇', '\u0307'),
);

export const someEntry: fc.Arbitrary<RegistryEntry> = fc
  .record({
    name,
    version,
    title: fc.option(words, { nil: undefined }),
    description: words,
    status: fc.constantFrom('active', 'active', 'deprecated', 'deleted'),
    updatedAt: time,
  })
  .map(({ name, version, title, description, status, updatedAt }) =>
    entry(name, version, {
      status,
      updatedAt,
      server: { name, version, description, ...(title === undefined ? {} : { title }) },
    }),
  );

/** Random entries, at most one for each name and version. */
export const someEntries: fc.Arbitrary<RegistryEntry[]> = fc.uniqueArray(someEntry, {
  maxLength: 40,
  selector: formatEntryKey,
});

export const someSources: fc.Arbitrary<RegistryEntry[][]> = fc.array(someEntries, { minLength: 1, maxLength: 4 });

export function formatEntryKey({ server }: RegistryEntry): string {
  return `${server.name}@${server.version}`;
}
