import { expect, test } from 'vitest';
import type { RegistryEntry } from '#schemas';
import { formatEntryLines, readEntryLines } from '../../../runtime/registry/sources/entry-lines.ts';
import { toServerEntry } from '../../../runtime/registry/sources/server-entry.ts';

const SERVER = { name: 'io.example/a', version: '1.0.0', description: '"server":0' };
const PLAIN: RegistryEntry = { server: SERVER, status: 'active', publishedAt: null, updatedAt: null };

test.each<[string, RegistryEntry]>([
  ['the fields of every entry', PLAIN],
  [
    'the reason and time of a status',
    { ...PLAIN, status: 'deleted', statusMessage: 'Not "server":0 kept', statusChangedAt: '2026-01-02T03:04:05.000Z' },
  ],
  ['an empty status message', { ...PLAIN, statusMessage: '' }],
])('a line of an entries file that is written and read again still has %s', (_, entry) => {
  const listed = toServerEntry(entry);
  const [read, ...others] = readEntryLines(Buffer.concat([...formatEntryLines([listed])]));
  expect(others).toEqual([]);
  expect({ ...read, json: Buffer.from(read?.json ?? []).toString() }).toEqual({
    ...listed,
    json: JSON.stringify(SERVER),
  });
});
