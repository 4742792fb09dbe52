/** Objects that live in the cluster and in no repository, as sources for the compiler. */
import {
  ACCEPTED_API_GROUPS,
  compareText,
  computeDigest,
  type GatewaySource,
  type GatewaySourceStatus,
  KINDS_FILE,
} from '#schemas';
import type { KubeObject, ObjectCache } from '../kube/types.ts';
import { clusterFile, clusterText } from './object-text.ts';

/** Kinds that are compiled in. What runs comes from repositories only. */
export const INPUT_KINDS: readonly string[] = Object.keys(KINDS_FILE).filter(
  kind => !['VirtualMCPServer', 'MCPRegistry', 'GatewaySource'].includes(kind),
);

export interface ClusterTexts {
  /** Changes when any of the texts does. */
  readonly digest: string;
  /** By name, sorted: `cluster:Kind/namespace/name`. The very same map while nothing changes. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface ClusterInputsOptions {
  /** The caches of {@link INPUT_KINDS}: one for each kind and API group that the cluster serves. */
  readonly objects: readonly ObjectCache[];
  /** Those with the label `lintel.dev/watch: Enabled`, and no others. */
  readonly configMaps: ObjectCache;
  /** GatewaySources, which tell what they applied. */
  readonly sources: ObjectCache;
}

export class ClusterInputs {
  readonly #caches: readonly ObjectCache[];
  readonly #sources: ObjectCache;
  readonly #listeners = new Set<(namespace: string) => void>();
  readonly #stops: readonly (() => void)[];
  /** Objects in caches are never changed, only replaced. */
  readonly #texts = new WeakMap<KubeObject, string>();
  /** By namespaces. */
  readonly #last = new Map<string, ClusterTexts>();
  /** By id in inventories; undefined after a change. */
  #applied: ReadonlyMap<string, ReadonlySet<string>> | undefined;

  constructor({ objects, configMaps, sources }: ClusterInputsOptions) {
    this.#caches = [...objects, configMaps];
    this.#sources = sources;
    this.#stops = [
      ...this.#caches.map(cache => cache.onChange((now, before) => this.#changed(now, before))),
      sources.onChange(() => {
        this.#applied = undefined;
      }),
    ];
  }

  /**
   * Everything in these namespaces that no GatewaySource applied. What a repository has as well is left out where it is compiled.
   *
   * @see {@link findNamespaces}
   */
  inputs(namespaces: readonly string[]): ClusterTexts {
    const wanted = [...new Set(namespaces)].sort(compareText);
    const found = wanted
      .flatMap(namespace => this.#caches.flatMap(cache => cache.list(namespace)))
      .filter(object => object.metadata.deletionTimestamp === undefined && !this.#isApplied(object))
      .sort(byGroup)
      .map(object => [clusterFile(object), this.#getText(object)] as const)
      .sort(([a], [b]) => compareText(a, b));
    // Two groups may have a kind of the same name: the first of them counts.
    const unique = found.filter(([file], index) => file !== found[index - 1]?.[0]);
    const digest = computeDigest(unique.map(([file, text]) => `${file}\n${text}`).join('\0'));
    const key = wanted.join('/');
    const last = this.#last.get(key);
    if (last?.digest === digest) return last;
    const result = { digest, texts: new Map(unique) };
    this.#last.set(key, result);
    return result;
  }

  /** Called with the namespace when an object there reads otherwise: not for changes of status. Returns how to stop. */
  onChange(listener: (namespace: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #changed(now: KubeObject | undefined, before: KubeObject | undefined): void {
    const text = (object: KubeObject | undefined) =>
      object === undefined || object.metadata.deletionTimestamp !== undefined ? undefined : this.#getText(object);
    if (text(now) === text(before)) return;
    const namespace = (now ?? before)?.metadata.namespace ?? '';
    for (const listener of this.#listeners) listener(namespace);
  }

  #getText(object: KubeObject): string {
    const known = this.#texts.get(object);
    if (known !== undefined) return known;
    const text = clusterText(object);
    this.#texts.set(object, text);
    return text;
  }

  /** By inventory, not by label: labels get copied to objects that no source applied. */
  #isApplied({ apiVersion, kind, metadata: { namespace = '', name, uid = '' } }: KubeObject): boolean {
    this.#applied ??= appliedBy(this.#sources.list());
    const uids = this.#applied.get([namespace, name, readGroup(apiVersion), kind].join('_'));
    // An entry without a uid is of an object that is being created.
    return uids !== undefined && (uids.has(uid) || uids.has(''));
  }
}

/**
 * Where objects of the cluster count for a source: where its gateways are, or are to be.
 *
 * @param compiled - namespaces of the units of its last compilation
 */
export function findNamespaces(
  source: {
    readonly metadata: { readonly namespace?: string };
    readonly spec?: Partial<Pick<GatewaySource['spec'], 'targetNamespace'>>;
    readonly status?: GatewaySourceStatus;
  },
  compiled: readonly string[] = [],
): readonly string[] {
  const { targetNamespace } = source.spec ?? {};
  if (targetNamespace !== undefined) return [targetNamespace];
  const deployed = (source.status?.gateways ?? []).map(({ namespace }) => namespace);
  return [...new Set([source.metadata.namespace ?? '', ...deployed, ...compiled])].sort(compareText);
}

function appliedBy(sources: readonly KubeObject[]): ReadonlyMap<string, ReadonlySet<string>> {
  const applied = new Map<string, Set<string>>();
  for (const { status } of sources) {
    for (const { id, uid } of (status as GatewaySourceStatus | undefined)?.inventory?.entries ?? []) {
      const uids = applied.get(id);
      if (uids === undefined) applied.set(id, new Set([uid]));
      else uids.add(uid);
    }
  }
  return applied;
}

function byGroup(a: KubeObject, b: KubeObject): number {
  return ACCEPTED_API_GROUPS.indexOf(readGroup(a.apiVersion)) - ACCEPTED_API_GROUPS.indexOf(readGroup(b.apiVersion));
}

/** Empty for the core group. */
function readGroup(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}
