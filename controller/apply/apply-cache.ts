/**
 * Caches what was last applied, so that an unchanged object costs no call to the API server. After a restart of the controller, each object is read
 * once.
 */
import { computeDigest } from '#schemas';
import type { KubeObject } from '../kube/types.ts';
import { findAdoptedFields } from './field-adoption.ts';
import { findSharedFields, type ManagedFieldTree, selectValues } from './fields.ts';
import { findOwnFields } from './whole-spec.ts';

interface CachedObject {
  /** The hash of the desired object. */
  readonly hash: string;
  readonly uid: string | undefined;
  /** The newest version that is known to match the desired object. */
  resourceVersion: string | undefined;
  readonly fields: ManagedFieldTree;
  /** The object's values at the managed fields. */
  readonly values: string;
}

export class ApplyCache {
  readonly #objects = new Map<string, CachedObject>();

  /**
   * Remembers what was applied.
   * @param live the object in the cluster, once it matches the desired one
   */
  remember(id: string, hash: string, live: KubeObject): void {
    // An object of which fields still have to be adopted is not remembered, so that the next run reads it again.
    if (findAdoptedFields(live) !== undefined) {
      this.forget(id);
      return;
    }
    const fields = findSharedFields(findOwnFields(live) ?? {});
    this.#objects.set(id, {
      hash,
      uid: live.metadata.uid,
      resourceVersion: live.metadata.resourceVersion,
      fields,
      values: computeFingerprint(live, fields),
    });
  }

  forget(id: string): void {
    this.#objects.delete(id);
  }

  /** The hash of the desired object as it was last applied; undefined when the cache does not have the object. */
  getHash(id: string): string | undefined {
    return this.#objects.get(id)?.hash;
  }

  /**
   * Whether an object still matches the desired one. If its resourceVersion is newer (because of a status, a replica count, a foreign label),
   * only the managed fields are compared; for Lintel's custom resources that is the whole spec.
   */
  isAsApplied(id: string, hash: string, seen: KubeObject): boolean {
    const known = this.#objects.get(id);
    if (known === undefined || known.hash !== hash || known.uid !== seen.metadata.uid) return false;
    if (known.resourceVersion === seen.metadata.resourceVersion) return true;
    if (seen.metadata.deletionTimestamp !== undefined || findAdoptedFields(seen) !== undefined) return false;
    if (computeFingerprint(seen, known.fields) !== known.values) return false;
    known.resourceVersion = seen.metadata.resourceVersion;
    return true;
  }
}

function computeFingerprint(object: KubeObject, fields: ManagedFieldTree): string {
  return computeDigest(JSON.stringify(selectValues(object, fields)) ?? '');
}
