/** Data that all steps of one source share. */
import type { KubeClient, KubeObject, ObjectCache, ObjectKey, ObjectType } from '../kube/types.ts';
import type { PlannedChange } from '../reconcile/index.ts';
import type { ApplyCache } from './apply-cache.ts';
import type { MissingSecret } from './check-references.ts';
import { formatInventoryId } from './identity.ts';
import type { SourceIdentity } from './source-labels.ts';

export interface ApplyContext {
  readonly source: SourceIdentity;
  /** Calls the API server as the source's ServiceAccount. */
  readonly client: KubeClient;
  readonly cache: ApplyCache;
  /** Finds the cache of a type; undefined for types without a watch. */
  readonly findCache: (type: ObjectType) => ObjectCache | undefined;
  /** Whether a GatewaySource of that `namespace/name` exists. */
  readonly isSource: (title: string) => boolean;
  /** Called for each change that was made or refused. */
  readonly onApplied?: ((change: PlannedChange, error: Error | undefined) => void) | undefined;
  /** Called for each missing Secret or key that pods need to start: nothing is changed then. */
  readonly onMissingSecret?: ((missing: MissingSecret) => void) | undefined;
}

/** An object from the cache, otherwise from the API server. */
export async function getSeen(on: ApplyContext, key: ObjectKey, signal: AbortSignal): Promise<KubeObject | undefined> {
  return getCached(on, key) ?? (await on.client.get(key, signal));
}

export function getCached(on: ApplyContext, key: ObjectKey): KubeObject | undefined {
  return on.findCache(key)?.get(key.namespace, key.name);
}

export function isAsApplied(on: ApplyContext, key: ObjectKey, hash: string, object: KubeObject | undefined): boolean {
  return object !== undefined && on.cache.isAsApplied(formatInventoryId(key), hash, object);
}
