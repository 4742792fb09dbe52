/** The interface of a source to `RegistrySources`, whether it is part of the bundle or polled. */
import { computeDigest, formatCanonicalJson, type RegistrySourcePlan } from '#schemas';
import type { Snapshot, SourceStatus } from '../snapshot.ts';

export interface ListedSource {
  /** A text that is the same for sources that are read in the same way. It does not depend on claims, which only decide who may see the entries. */
  readonly key: string;
  readonly snapshot: Snapshot;
  status(): SourceStatus;
  /** Loads the stored entries (in the bundle or on disk) as the snapshot. All calls share one loading. */
  load(): Promise<void>;
  /** Starts polling the source. May be called again. */
  follow(): void;
  /** Resolves when this process or an earlier one has read the entries, or when a reading has failed. */
  readonly tried: Promise<void>;
  /** Adds a user of the source; `changed` is called with each new snapshot. */
  retain(changed: () => void): void;
  /** Removes a user of the source. Without users, the source ends. */
  release(changed: () => void): Promise<void>;
}

/** The snapshot before the first reading. */
export function createEmptySnapshot(source: string): Snapshot {
  return { source, revision: computeDigest(''), entries: [] };
}

export function computeSourceKey({ name, from, filter, intervalMs }: RegistrySourcePlan): string {
  return computeDigest(formatCanonicalJson({ name, from, filter, intervalMs }));
}

/** A text that is the same for sources with the same location and filter, no matter how often they are read. */
export function computeSourceIdentity(plan: RegistrySourcePlan): string {
  return computeDigest(formatCanonicalJson({ place: computeSourceLocation(plan), filter: plan.filter }));
}

/** A text that is the same for sources with the same location, even with another filter, interval or timeout. */
export function computeSourceLocation({ name, from }: RegistrySourcePlan): string {
  const { timeoutMs: _, ...place } = { timeoutMs: 0, ...from };
  return computeDigest(formatCanonicalJson({ name, from: place }));
}
