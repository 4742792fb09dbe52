/** The interface of a source to `RegistrySources`, whether it is part of the bundle or polled. */
import { computeDigest, formatCanonicalJson, type RegistrySourcePlan } from '#schemas';
import type { Snapshot, SourceStatus } from '../snapshot.ts';

export interface ListedSource {
  /** Equal for sources that are read in the same way. Claims are not part of it: they only decide who may see the entries. */
  readonly key: string;
  readonly snapshot: Snapshot;
  status(): SourceStatus;
  /** Loads the stored entries, of the bundle or on disk, as the snapshot. All calls share one loading. */
  load(): Promise<void>;
  /** Starts polling the source. May be called again. */
  follow(): void;
  /** Resolves when there are entries of a reading, by this process or an earlier one, or when a reading has failed. */
  readonly tried: Promise<void>;
  /** Adds a user of the source, which receives every new snapshot. */
  retain(changed: () => void): void;
  /** Removes a user of the source; after the last one it ends. */
  release(changed: () => void): Promise<void>;
}

/** The snapshot before the first reading. */
export function createEmptySnapshot(source: string): Snapshot {
  return { source, revision: computeDigest(''), entries: [] };
}

export function computeSourceKey({ name, from, filter, intervalMs }: RegistrySourcePlan): string {
  return computeDigest(formatCanonicalJson({ name, from, filter, intervalMs }));
}

/** Equal for sources with the same entries, however and whenever they are fetched. */
export function computeSourceIdentity(plan: RegistrySourcePlan): string {
  return computeDigest(formatCanonicalJson({ place: computeSourceLocation(plan), filter: plan.filter }));
}

/** Equal for sources that differ only in their filters, intervals and timeouts. */
export function computeSourceLocation({ name, from }: RegistrySourcePlan): string {
  const { timeoutMs: _, ...place } = { timeoutMs: 0, ...from };
  return computeDigest(formatCanonicalJson({ name, from: place }));
}
