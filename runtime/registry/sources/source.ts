/** What `Contents` knows of a source, whether it is part of the bundle or read again and again. */
import { computeDigest, formatCanonicalJson, type RegistrySourcePlan } from '#schemas';
import type { Snapshot, SourceStatus } from '../snapshot.ts';

export interface ListedSource {
  /** Equal for sources that are read in the same way; claims are no part of it, they only say who may see the entries. */
  readonly key: string;
  readonly snapshot: Snapshot;
  status(): SourceStatus;
  /** Makes the stored entries, of the bundle or on disk, the snapshot. Once for all calls. */
  load(): Promise<void>;
  /** Reads the source from now on. May be called again. */
  follow(): void;
  /** Resolves when there are entries of a reading, of this process or one before, or when one has failed. */
  readonly tried: Promise<void>;
  /** Adds a user of the source, which receives every new snapshot. */
  retain(changed: () => void): void;
  /** A holder no longer needs it; after the last one it ends. */
  release(changed: () => void): Promise<void>;
}

/** Nothing was read yet. */
export function createEmptySnapshot(source: string): Snapshot {
  return { source, revision: computeDigest(''), entries: [] };
}

export function computeSourceKey({ name, from, filter, intervalMs }: RegistrySourcePlan): string {
  return computeDigest(formatCanonicalJson({ name, from, filter, intervalMs }));
}

/** Equal for sources whose entries are the same, however and whenever they are fetched. */
export function computeSourceIdentity(plan: RegistrySourcePlan): string {
  return computeDigest(formatCanonicalJson({ place: computeSourceLocation(plan), filter: plan.filter }));
}

/** Equal for sources that differ only in their filters, intervals and timeouts. */
export function computeSourceLocation({ name, from }: RegistrySourcePlan): string {
  const { timeoutMs: _, ...place } = { timeoutMs: 0, ...from };
  return computeDigest(formatCanonicalJson({ name, from: place }));
}
