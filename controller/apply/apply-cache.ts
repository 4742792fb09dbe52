/** What was last applied, so that what has not changed costs no call. Lost at a restart: then all is asked for once. */
import { computeDigest } from '#schemas';
import type { KubeObject } from '../kube/types.ts';
import { adoptedFields } from './field-adoption.ts';
import { type Fields, selectValues, sharedFields } from './fields.ts';
import { ourFields } from './whole-spec.ts';

interface CachedObject {
  /** The hash of what was asked for. */
  readonly hash: string;
  readonly uid: string | undefined;
  /** The newest version that is known to have what was asked for. */
  resourceVersion: string | undefined;
  readonly fields: Fields;
  /** The values that the object has at these fields. */
  readonly values: string;
}

export class ApplyCache {
  readonly #objects = new Map<string, CachedObject>();

  /** @param live the object as it is once it has what was asked for */
  remember(id: string, hash: string, live: KubeObject): void {
    // Fields that other clients set before this object was managed are known only now.
    if (adoptedFields(live) !== undefined) {
      this.forget(id);
      return;
    }
    const fields = sharedFields(ourFields(live) ?? {});
    this.#objects.set(id, {
      hash,
      uid: live.metadata.uid,
      resourceVersion: live.metadata.resourceVersion,
      fields,
      values: fingerprint(live, fields),
    });
  }

  forget(id: string): void {
    this.#objects.delete(id);
  }

  /** Undefined when nothing is known. */
  getHash(id: string): string | undefined {
    return this.#objects.get(id)?.hash;
  }

  /**
   * Whether an object still has what was asked for. Of an object with a newer resourceVersion (a status, a number of replicas, a foreign
   * label) only the fields that are ours are looked at: of a custom resource of ours that is all of its spec.
   */
  isAsApplied(id: string, hash: string, seen: KubeObject): boolean {
    const known = this.#objects.get(id);
    if (known === undefined || known.hash !== hash || known.uid !== seen.metadata.uid) return false;
    if (known.resourceVersion === seen.metadata.resourceVersion) return true;
    if (seen.metadata.deletionTimestamp !== undefined || adoptedFields(seen) !== undefined) return false;
    if (fingerprint(seen, known.fields) !== known.values) return false;
    known.resourceVersion = seen.metadata.resourceVersion;
    return true;
  }
}

function fingerprint(object: KubeObject, fields: Fields): string {
  return computeDigest(JSON.stringify(selectValues(object, fields)) ?? '');
}
