/** Snapshots of sources, from entries in any order. */
import type { RegistryEntry } from '#schemas';
import { createSnapshot as ofSorted } from '../../runtime/registry/contents/create-snapshot.ts';
import { compareEntries, toServerEntry } from '../../runtime/registry/contents/server-entry.ts';
import type { Snapshot } from '../../runtime/registry/snapshot.ts';

/** The snapshot of a source with these entries. */
export function createTestSnapshot(source: string, entries: Iterable<RegistryEntry>): Snapshot {
  return ofSorted(source, [...entries].map(entry => toServerEntry(entry)).sort(compareEntries));
}
