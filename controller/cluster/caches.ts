/** The caches of all objects that the controller watches in a cluster. */
import { ACCEPTED_API_GROUPS, KINDS_FILE, OBJECT_KIND, STORAGE_VERSION, WATCH_ENABLED, WATCH_LABEL } from '#schemas';
import { SOURCE_LABEL, trimForCache } from '../apply/index.ts';
import { INPUT_KINDS } from '../cluster-inputs/index.ts';
import { type CacheEvent, type CacheOptions, ListWatch } from '../kube/cache.ts';
import { type Clock, systemClock } from '../kube/clock.ts';
import type { KubeClient, ObjectCache, ObjectType } from '../kube/types.ts';
import { trimPodForCache } from '../pods/index.ts';

export const GATEWAY_SOURCE: ObjectType = {
  apiVersion: `${ACCEPTED_API_GROUPS[0]}/${STORAGE_VERSION}`,
  kind: 'GatewaySource',
};

/** Kinds that are compiled into gateways, each served by a gateway of its own. */
const SERVED_KINDS: readonly string[] = [OBJECT_KIND.server, OBJECT_KIND['remote-proxy']];

/** Objects that run gateways; all of a source's objects have its label. */
const APPLIED: readonly ObjectType[] = [
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
];

/** Pods of gateways and registry servers, including those of Deployments of other clients. */
const POD_SELECTOR = 'app.kubernetes.io/managed-by=lintel';

export interface CachesOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  /** The only namespace; undefined for all. */
  readonly namespace: string | undefined;
  readonly onEvent: (type: ObjectType, event: CacheEvent) => void;
  readonly clock?: Clock;
}

export class Caches {
  readonly sources: ObjectCache;
  readonly pods: ObjectCache;
  /** ConfigMaps of the cluster that are compiled in. */
  readonly inputConfigMaps: ObjectCache;
  /** Kinds that are compiled in, for all API groups. */
  readonly inputs: readonly ObjectCache[];
  /** VirtualMCPServers and MCPRegistries of all API groups, and Lintel's MCPServers and MCPRemoteProxies. */
  readonly workloads: readonly ListWatch[];
  /** All types that a source may have applied. */
  readonly applied: readonly ListWatch[];
  readonly #all: ListWatch[] = [];
  readonly #byType = new Map<string, ObjectCache>();

  constructor({ client, namespace, onEvent, clock = systemClock }: CachesOptions) {
    const open = (type: ObjectType, options: Partial<CacheOptions> = {}): ListWatch => {
      const cache = new ListWatch({
        ...{ client, type, namespace, clock },
        onEvent: event => onEvent(type, event),
        ...options,
      });
      this.#all.push(cache);
      return cache;
    };
    this.sources = open(GATEWAY_SOURCE);
    this.pods = open({ apiVersion: 'v1', kind: 'Pod' }, { labelSelector: POD_SELECTOR, transform: trimPodForCache });
    this.inputConfigMaps = open(
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { labelSelector: `${WATCH_LABEL}=${WATCH_ENABLED}` },
    );
    const own = ACCEPTED_API_GROUPS.flatMap((group, index) =>
      Object.keys(KINDS_FILE)
        .filter(kind => kind !== GATEWAY_SOURCE.kind)
        .map(kind =>
          open(
            { apiVersion: `${group}/${STORAGE_VERSION}`, kind },
            // Only the definitions of Lintel's own API group are installed with the controller; the definitions of further groups are optional.
            { transform: trimForCache, isOptional: index > 0 },
          ),
        ),
    );
    this.inputs = own.filter(({ type }) => INPUT_KINDS.includes(type.kind));
    this.workloads = own.filter(({ type }) => !INPUT_KINDS.includes(type.kind) || isServed(type));
    const derived = APPLIED.map(type => open(type, { labelSelector: SOURCE_LABEL, transform: trimForCache }));
    this.applied = [...own, ...derived];
    for (const cache of this.applied) this.#byType.set(formatType(cache.type), cache);
  }

  /** The cache of a type that sources may apply; undefined for a type without a cache. */
  findCache(type: ObjectType): ObjectCache | undefined {
    return this.#byType.get(formatType(type));
  }

  /** Types of which the API server has not sent a list yet. */
  get missing(): readonly string[] {
    return this.#all.filter(({ isSynced }) => !isSynced).map(({ type }) => formatType(type));
  }

  get synced(): Promise<unknown> {
    return Promise.all(this.#all.map(({ synced }) => synced));
  }

  /** Keeps all caches up to date until the signal is aborted; never fails. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map(cache => cache.run(signal)));
  }
}

/** Whether this controller reconciles objects of the type: other operators reconcile the objects of other API groups. */
function isServed({ apiVersion, kind }: ObjectType): boolean {
  return apiVersion === GATEWAY_SOURCE.apiVersion && SERVED_KINDS.includes(kind);
}

function formatType({ apiVersion, kind }: ObjectType): string {
  return `${apiVersion}/${kind}`;
}
