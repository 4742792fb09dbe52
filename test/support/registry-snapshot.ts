/** Snapshots of sources, from entries in any order. */
import type { RegistryEntry } from '#schemas';
import { compareEntries, serverEntry } from '../../runtime/registry/contents/server-entry.ts';
import { snapshotOf as ofSorted } from '../../runtime/registry/contents/snapshot-of.ts';
import type { Snapshot } from '../../runtime/registry/snapshot.ts';

/** The snapshot of a source that has these entries. */
export function snapshotOf(source: string, entries: Iterable<RegistryEntry>): Snapshot {
  return ofSorted(source, [...entries].map(entry => serverEntry(entry)).sort(compareEntries));
}
