/** Snapshots of sources, as reading a source makes them. */
import { createHash } from 'node:crypto';
import { compareText, type RegistryEntry, tagsOf } from '#schemas';
import type { ServerEntry, Snapshot } from '../../runtime/registry/snapshot.ts';

/** An entry as a snapshot holds it. */
export function serverEntry(entry: RegistryEntry): ServerEntry {
  const { server, status, publishedAt, updatedAt } = entry;
  return {
    name: server.name,
    version: server.version,
    title: typeof server.title === 'string' ? server.title : null,
    description: typeof server.description === 'string' ? server.description : '',
    tags: tagsOf(server),
    status,
    publishedAt,
    updatedAt,
    json: Buffer.from(JSON.stringify(server)),
  };
}

/** The snapshot of a source that has these entries, in any order. */
export function snapshotOf(source: string, entries: Iterable<RegistryEntry>): Snapshot {
  const sorted = [...entries]
    .map(serverEntry)
    .sort((a, b) => compareText(a.name, b.name) || compareText(a.version, b.version));
  const digest = createHash('sha256');
  for (const entry of sorted) digest.update(JSON.stringify({ ...entry, json: Buffer.from(entry.json).toString() }));
  return { source, revision: digest.digest('hex'), entries: sorted };
}
