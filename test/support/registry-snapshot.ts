/** Makes snapshots of registry sources from entries in any order. */
import type { RegistryEntry } from '#schemas';
import type { Snapshot } from '../../runtime/registry/snapshot.ts';
import { createSnapshot as ofSorted } from '../../runtime/registry/sources/create-snapshot.ts';
import { compareEntries, toServerEntry } from '../../runtime/registry/sources/server-entry.ts';

/** The snapshot of a source with these entries. */
export function createTestSnapshot(source: string, entries: Iterable<RegistryEntry>): Snapshot {
  return ofSorted(source, [...entries].map(entry => toServerEntry(entry)).sort(compareEntries));
}
