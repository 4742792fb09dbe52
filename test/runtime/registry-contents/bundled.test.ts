/** Entries next to a bundle: which are listed, and which errors refuse the bundle. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { computeDigest, type EntriesFile, formatCanonicalJson, type RegistryEntry } from '#schemas';
import { EntriesFileError } from '../../../runtime/registry/sources/bundled-source.ts';
import { createSources, findSourceStatus, readContents, server, source, writeFolder } from './harness.ts';

const entry = (name: string, version = '1.0.0', more: object = {}): RegistryEntry => ({
  server: server(name, version, more),
  status: 'active',
  publishedAt: null,
  updatedAt: '2026-01-02T03:04:05.000Z',
});

const TAGGED = entry('io.example/b', '2.0.0', {
  title: 'Ünicode "title"',
  _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { 'com.example': { x: { tags: ['b', 'a'] } } } },
});
const ENTRIES = [entry('io.example/a'), entry('io.example/b', '1.0.0'), TAGGED];

const linesOf = (entries: readonly object[], write: (value: object) => string = formatCanonicalJson) =>
  entries.map(one => `${write(one)}\n`).join('');

async function bundle(text: string, file: Partial<EntriesFile> = {}) {
  const folder = await writeFolder({ 'entries/team.ndjson': text });
  const count = text.split('\n').length - 1;
  const entries = { path: 'entries/team.ndjson', digest: computeDigest(text), count, origin: './team.json', ...file };
  return { folder, sources: [source({ type: 'bundled', entries }, { intervalMs: null })] };
}

describe('spellings of an entry', () => {
  test.each<[string, (value: object) => string]>([
    ['canonical JSON', formatCanonicalJson],
    ['written in another order', value => JSON.stringify(value)],
    ['written with white space', value => JSON.stringify(value, null, ' ').replaceAll('\n', ' ')],
    ['written with escapes', value => formatCanonicalJson(value).replace('"server"', String.raw`"\u0073erver"`)],
  ])('the registry server lists the same entry of a bundle when its line is %s', async (_name, write) => {
    const text = linesOf(ENTRIES, write);
    const { folder, sources } = await bundle(text);
    const { contents } = await readContents(sources, { folder });
    const snapshot = contents.snapshots.get('team');
    expect(snapshot?.revision).toBe(computeDigest(text));
    expect(
      snapshot?.entries.map(({ json, ...rest }) => ({ ...rest, json: JSON.parse(Buffer.from(json).toString()) })),
    ).toEqual(
      ENTRIES.map(one => ({
        name: one.server.name,
        version: one.server.version,
        title: one === TAGGED ? 'Ünicode "title"' : null,
        description: one.server.description,
        tags: one === TAGGED ? ['a', 'b'] : [],
        status: 'active',
        publishedAt: null,
        updatedAt: '2026-01-02T03:04:05.000Z',
        json: one.server,
      })),
    );
  });
});

test('the registry server serves a bundled server with the same bytes as in the entries file of the bundle', async () => {
  const { folder, sources } = await bundle(linesOf([TAGGED]));
  const { contents } = await readContents(sources, { folder });
  const [only] = contents.snapshots.get('team')?.entries ?? [];
  expect(Buffer.from(only?.json ?? []).toString()).toBe(formatCanonicalJson(TAGGED.server));
});

test('the status of a bundled source has its digest, count and phase', async () => {
  const { folder, sources } = await bundle(linesOf(ENTRIES));
  const { contents } = await readContents(sources, { folder, now: () => 0 });
  expect(findSourceStatus(contents)).toEqual({
    name: 'team',
    type: 'bundled',
    phase: 'complete',
    servers: 3,
    lastSync: '1970-01-01T00:00:00.000Z',
    lastAttempt: '1970-01-01T00:00:00.000Z',
    attempts: 0,
    message: '',
    isFromDisk: false,
  });
});

test('the registry server accepts a bundled source without entries', async () => {
  const { folder, sources } = await bundle('');
  const { contents } = await readContents(sources, { folder });
  expect(findSourceStatus(contents)).toMatchObject({ phase: 'complete', servers: 0 });
});

describe('refused bundles', () => {
  const GOOD = linesOf(ENTRIES);
  test.each<[string, string, Partial<EntriesFile>, string]>([
    ['another digest', GOOD, { digest: computeDigest('') }, 'but the bundle has sha256:'],
    ['too few entries', GOOD, { count: 4 }, 'it has 3 entries, but the bundle has 4'],
    ['too many entries', GOOD, { count: 2 }, 'it has 3 entries, but the bundle has 2'],
    ['a path to a missing file', GOOD, { path: 'entries/other.ndjson' }, 'cannot be read (ENOENT)'],
    ['a path to a directory', GOOD, { path: 'entries' }, 'is not a file'],
    ['a path outside of the bundle', GOOD, { path: '../team.ndjson' }, 'is not inside of the bundle'],
    ['an absolute path', GOOD, { path: '/etc/hostname' }, 'is not inside of the bundle'],
    ['a line that is not JSON', `${GOOD}{\n`, {}, 'line 4 is not JSON'],
    ['a last line without a line break', GOOD.slice(0, -1), { count: 3 }, 'line 3 has no end'],
    ['an empty line', `\n${GOOD}`, {}, 'line 1 is not JSON'],
    ['null as an entry', 'null\n', {}, 'line 1 is not an entry of a registry'],
    ['a list as an entry', '[]\n', {}, 'line 1 is not an entry of a registry'],
    [
      'an entry without a server',
      '{"status":"active","publishedAt":null,"updatedAt":null}\n',
      {},
      'line 1 is not an entry',
    ],
    ['an entry without a version', linesOf([{ ...TAGGED, server: { name: 'a/b' } }]), {}, 'line 1 is not an entry'],
    ['an unknown status', linesOf([{ ...TAGGED, status: 'new' }]), {}, 'line 1 is not an entry'],
    ['an invalid time', linesOf([{ ...TAGGED, updatedAt: 5 }]), {}, 'line 1 is not an entry'],
    ['entries in the wrong order', linesOf([...ENTRIES].reverse()), {}, 'line 2 is not in order'],
    ['a version twice', linesOf([TAGGED, TAGGED]), {}, 'line 2 is not in order, or occurs twice'],
  ])('the registry server refuses a bundle with invalid entries: %s', async (_name, text, file, cause) => {
    const { folder, sources } = await bundle(text, file);
    const started = createSources(sources, { folder }).contents.start();
    await expect(started).rejects.toBeInstanceOf(EntriesFileError);
    await expect(started).rejects.toThrow(cause);
    await expect(started).rejects.toThrow('build the bundle again');
  });

  test('when the registry server refuses a bundle, it does not read the other sources of the bundle', async () => {
    const { folder, sources } = await bundle(GOOD, { count: 1 });
    const path = join(folder, 'late.json');
    await writeFile(path, '{}');
    const { contents } = createSources([...sources, source({ type: 'file', path }, { name: 'late' })], { folder });
    await expect(contents.start()).rejects.toBeInstanceOf(EntriesFileError);
    expect(findSourceStatus(contents, 'late').lastAttempt).toBeNull();
  });
});
