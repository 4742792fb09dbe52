/** Objects that exist only in the cluster, as sources for the compiler. */
import {
  ACCEPTED_API_GROUPS,
  compareText,
  computeDigest,
  type GatewaySource,
  type GatewaySourceStatus,
  KINDS_FILE,
} from '#schemas';
import type { KubeObject, ObjectCache } from '../kube/types.ts';
import { formatClusterFile, formatClusterObject } from './object-text.ts';

/** Kinds of cluster objects that are compiled together with a repository. Objects that run pods come from repositories only. */
export const INPUT_KINDS: readonly string[] = Object.keys(KINDS_FILE).filter(
  kind => !['VirtualMCPServer', 'MCPRegistry', 'GatewaySource'].includes(kind),
);

export interface ClusterTexts {
  /** Changes whenever a text changes. */
  readonly digest: string;
  /** YAML texts of objects, by their name `cluster:Kind/namespace/name`, sorted. The map stays the same object while nothing changes. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface ClusterInputsOptions {
  /** The caches of {@link INPUT_KINDS}: one for each kind and served API group. */
  readonly objects: readonly ObjectCache[];
  /** Only those with the label `lintel.dev/watch: Enabled`. */
  readonly configMaps: ObjectCache;
  /** GatewaySources, whose inventories list applied objects. */
  readonly sources: ObjectCache;
}

export class ClusterInputs {
  readonly #caches: readonly ObjectCache[];
  readonly #sources: ObjectCache;
  readonly #listeners = new Set<(namespace: string) => void>();
  readonly #stops: readonly (() => void)[];
  /** The text of each object. It stays valid, because cached objects are never modified, only replaced. */
  readonly #texts = new WeakMap<KubeObject, string>();
  /** The latest result, by the set of namespaces. */
  readonly #last = new Map<string, ClusterTexts>();
  /** The sources that applied an object, by the object's inventory id; undefined when a source has changed since. */
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
   * All objects in these namespaces that no GatewaySource applied. Compilation drops objects that a repository has as well.
   *
   * @see {@link findNamespaces}
   */
  collectInputs(namespaces: readonly string[]): ClusterTexts {
    const distinct = [...new Set(namespaces)].sort(compareText);
    const found = distinct
      .flatMap(namespace => this.#caches.flatMap(cache => cache.list(namespace)))
      .filter(object => object.metadata.deletionTimestamp === undefined && !this.#isApplied(object))
      .sort(compareByGroup)
      .map(object => [formatClusterFile(object), this.#getText(object)] as const)
      .sort(([a], [b]) => compareText(a, b));
    // Two groups may have a kind of the same name: the first one counts.
    const unique = found.filter(([file], index) => file !== found[index - 1]?.[0]);
    const digest = computeDigest(unique.map(([file, text]) => `${file}\n${text}`).join('\0'));
    const key = distinct.join('/');
    const last = this.#last.get(key);
    if (last?.digest === digest) return last;
    const result = { digest, texts: new Map(unique) };
    this.#last.set(key, result);
    return result;
  }

  /** Called with the namespace when an object's text changes; status changes are ignored. Returns a function to unsubscribe. */
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
    const text = formatClusterObject(object);
    this.#texts.set(object, text);
    return text;
  }

  /** Whether a source applied the object. The sources' inventories decide and not labels, because labels get copied to other objects. */
  #isApplied({ apiVersion, kind, metadata: { namespace = '', name, uid = '' } }: KubeObject): boolean {
    this.#applied ??= indexAppliedObjects(this.#sources.list());
    const uids = this.#applied.get([namespace, name, readGroup(apiVersion), kind].join('_'));
    // An entry without a uid belongs to an object that is being created.
    return uids !== undefined && (uids.has(uid) || uids.has(''));
  }
}

/**
 * The namespaces whose cluster objects a source uses: those of its gateways, present or future.
 * @param compiled - namespaces of the gateways and servers of its last compilation
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

function indexAppliedObjects(sources: readonly KubeObject[]): ReadonlyMap<string, ReadonlySet<string>> {
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

function compareByGroup(a: KubeObject, b: KubeObject): number {
  return ACCEPTED_API_GROUPS.indexOf(readGroup(a.apiVersion)) - ACCEPTED_API_GROUPS.indexOf(readGroup(b.apiVersion));
}

/** The group in an `apiVersion`; empty for the core group. */
function readGroup(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}
