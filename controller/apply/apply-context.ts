/** All that the steps of one source share. */
import type { KubeClient, KubeObject, ObjectCache, ObjectKey, ObjectType } from '../kube/types.ts';
import type { PlannedChange } from '../reconcile/index.ts';
import type { ApplyCache } from './apply-cache.ts';
import type { MissingSecret } from './check-references.ts';
import { inventoryId } from './identity.ts';
import type { SourceIdentity } from './stamp.ts';

export interface ApplyContext {
  readonly source: SourceIdentity;
  /** In the name of the source's ServiceAccount. */
  readonly client: KubeClient;
  readonly cache: ApplyCache;
  /** Undefined for types that are not watched. */
  readonly findCache: (type: ObjectType) => ObjectCache | undefined;
  /** Whether there is a GatewaySource of that `namespace/name`. */
  readonly isSource: (title: string) => boolean;
  /** Is given each change that was made, or was refused with an error. */
  readonly onApplied?: ((change: PlannedChange, error: Error | undefined) => void) | undefined;
  /** Is given each Secret, or key of one, that pods cannot start without and that is not there: nothing is changed then. */
  readonly onMissingSecret?: ((missing: MissingSecret) => void) | undefined;
}

/** An object as the cache has it, else as the API server has it. */
export async function seen(on: ApplyContext, key: ObjectKey, signal: AbortSignal): Promise<KubeObject | undefined> {
  return cached(on, key) ?? (await on.client.get(key, signal));
}

export function cached(on: ApplyContext, key: ObjectKey): KubeObject | undefined {
  return on.findCache(key)?.get(key.namespace, key.name);
}

export function isAsApplied(on: ApplyContext, key: ObjectKey, hash: string, object: KubeObject | undefined): boolean {
  return object !== undefined && on.cache.isAsApplied(inventoryId(key), hash, object);
}
