/** An in-memory cluster with a destination: revisions of a few small objects, applied over real HTTP. */
import { createClusterDestination, type SourceIdentity, trimForCache } from '../../controller/apply/index.ts';
import type { CompiledUnit, CompileOutcome } from '../../controller/compile/index.ts';
import {
  createKubeClient,
  type DisposableKubeClient,
  type KubeObject,
  ListWatch,
  type ObjectKey,
  type ObjectType,
} from '../../controller/kube/index.ts';
import type { PodReport } from '../../controller/pods/index.ts';
import {
  type ApplyPlan,
  type Destination,
  formatUnitKey,
  type LastGood,
  PartlyApplied,
  readLastGood,
  type SourceHistory,
} from '../../controller/reconcile/index.ts';
import type { InventoryEntry, UnitState } from '../../controller/status/index.ts';
import { crds, type KubeApi, type KubeApiOptions, startKubeApi, TOKEN } from './kube-api/index.ts';

export const NAMESPACE = 'team';

/** All types of objects that the controller applies for a source. */
export const APPLIED_TYPES: readonly ObjectType[] = [
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'lintel.dev/v1beta1', kind: 'MCPGroup' },
  { apiVersion: 'lintel.dev/v1beta1', kind: 'MCPServerEntry' },
  { apiVersion: 'lintel.dev/v1beta1', kind: 'VirtualMCPServer' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
];

/** Lintel's CRDs, parsed once, because parsing takes most of the time of a small test. */
const CRDS: readonly object[] = crds();

export const digestNamed = (letter: string): string => `sha256:${letter.repeat(64)}`;

export interface AppliedClusterOptions extends KubeApiOptions {
  readonly source?: SourceIdentity;
  readonly account?: { readonly namespace: string; readonly name: string };
  /** Caches of all applied types; without them each object costs a call. */
  readonly isCached?: boolean;
  /** Adds another source to the cluster of the first. */
  readonly api?: KubeApi;
  readonly isSource?: (title: string) => boolean;
}

/** A destination with the state that the reconciler would keep for it. */
export class AppliedCluster implements AsyncDisposable {
  readonly api: KubeApi;
  readonly client: DisposableKubeClient;
  destination!: Destination;
  /** The reports about each gateway's pods, by the gateway's name. */
  readonly pods = new Map<string, readonly PodReport[]>();
  /** Names of the gateways whose pods were queried. */
  readonly asked: string[] = [];
  inventory: readonly InventoryEntry[] = [];
  units: readonly UnitState[] = [];
  /** The outcomes of changes, in order: action, kind, and `refused` where the API server refused it. */
  readonly outcomes: string[] = [];
  /** The missing Secrets without which pods cannot start, as the destination reported them. */
  readonly missingSecrets: string[] = [];
  now = Date.parse('2026-01-01T00:00:00Z');
  readonly #options: AppliedClusterOptions;
  readonly #caches = new Map<string, ListWatch>();
  readonly #ended = new AbortController();
  readonly #running: Promise<void>[] = [];

  private constructor(api: KubeApi, options: AppliedClusterOptions) {
    this.api = api;
    this.#options = options;
    const config = {
      server: api.url,
      namespace: NAMESPACE,
      isInsecure: false,
      warnings: [],
      authorities: async () => undefined,
      credentials: async () => ({ authorization: `Bearer ${TOKEN}` }),
      forget: () => {},
    };
    this.client = createKubeClient(config, { userAgent: 'test' });
    this.restart();
  }

  static async start(options: AppliedClusterOptions = {}): Promise<AppliedCluster> {
    const api = options.api ?? (await startKubeApi({ crds: CRDS, namespaces: [NAMESPACE], ...options }));
    const cluster = new AppliedCluster(api, options);
    if (options.isCached === true) await cluster.#cache();
    return cluster;
  }

  /** Like a restart of the controller: its in-memory state is lost. */
  restart(): void {
    this.destination = createClusterDestination({
      source: this.#options.source ?? { namespace: NAMESPACE, name: 'gateways' },
      account: this.#options.account,
      client: this.client,
      findCache: ({ kind }) => this.#caches.get(kind),
      isSource: this.#options.isSource ?? (() => true),
      listPods: async ({ name }) => {
        this.asked.push(name);
        return this.pods.get(name) ?? [];
      },
      getVersionOfPods: ({ name }) => (this.pods.get(name) ?? []).map(({ uid, digest }) => `${uid}/${digest}`).join(),
      onApplied: ({ action, object }, error) =>
        this.outcomes.push([action, object.kind, ...(error === undefined ? [] : ['refused'])].join(' ')),
      onMissingSecret: ({ object, message }) =>
        this.missingSecrets.push(`${object.kind} ${object.metadata.name}: ${message}`),
      now: () => this.now,
    });
  }

  /** The recorded state; a unit whose bundle is held keeps its current one. */
  beforeOf(outcome: CompileOutcome): SourceHistory {
    const held = this.units.filter(({ heldDigest, ...unit }) =>
      outcome.units.some(one => formatUnitKey(one) === formatUnitKey(unit) && one.digest === heldDigest),
    );
    const stays = new Set(held.map(formatUnitKey));
    return { inventory: this.inventory, units: this.units, lastAppliedRevision: undefined, stays };
  }

  plan(outcome: CompileOutcome, before: Pick<SourceHistory, 'hasNotes'> = {}): Promise<ApplyPlan> {
    return this.destination.plan(outcome, { ...this.beforeOf(outcome), ...before }, AbortSignal.timeout(200_000));
  }

  /** Plans, applies and prunes as the reconciler does, and keeps the same state. */
  async reconcile(outcome: CompileOutcome, before: Pick<SourceHistory, 'hasNotes'> = {}): Promise<ApplyPlan> {
    const signal = AbortSignal.timeout(200_000);
    const plan = await this.plan(outcome, before);
    const rest = new Map([...this.inventory, ...plan.kept].map(entry => [entry.id, entry]));
    try {
      for (const entry of await this.destination.apply(plan.changes, signal)) rest.set(entry.id, entry);
      const left = new Set((await this.destination.prune(plan.deletions, signal)).map(({ id }) => id));
      for (const { id } of plan.deletions) if (!left.has(id)) rest.delete(id);
    } catch (error) {
      if (error instanceof PartlyApplied) for (const entry of error.entries) rest.set(entry.id, entry);
      throw error;
    } finally {
      this.inventory = [...rest.values()];
    }
    this.units = outcome.units.map(unit => ({ ...this.#stateOf(unit), ...nameOf(unit), digest: unit.digest ?? '' }));
    return plan;
  }

  /** Makes every unit run: writes the status of its Deployment, and adds a pod. */
  async activate(outcome: CompileOutcome): Promise<void> {
    for (const unit of outcome.units) this.rollOut(unit);
    await this.caughtUp();
    for (const rollout of await this.destination.rollouts(outcome.units, AbortSignal.timeout(200_000))) {
      if (rollout.state !== 'active') throw new Error(`${rollout.unit.name} is ${rollout.state}: ${rollout.message}`);
      const { unit: found, release, manifests } = rollout;
      const active = {
        ...(release !== undefined && { activeRelease: release }),
        ...(manifests !== undefined && { activeManifests: manifests }),
      };
      this.units = this.units.map(unit =>
        unit.name === found.name ? { ...unit, activeDigest: unit.digest, ...active } : unit,
      );
    }
  }

  /** What a gateway ran last while it was healthy, according to the recorded state. */
  lastGood(name: string): LastGood {
    const found = readLastGood(this.units.find(unit => unit.name === name));
    if (found === undefined) throw new Error(`${name} was never active`);
    return found;
  }

  /** Does what Kubernetes does for a Deployment: adds one ready pod that serves the bundle of its template. */
  rollOut({ namespace, name }: Pick<CompiledUnit, 'namespace' | 'name'>): void {
    const key = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name };
    const live = this.api.get(key) as KubeObject;
    const status = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 };
    this.api.put({ ...live, status: { observedGeneration: live.metadata.generation, ...status } }, 'deployments');
    const template = (live.spec as { template: { metadata: { annotations: { [name: string]: string } } } }).template;
    const digest = template.metadata.annotations['lintel.dev/bundle-digest'] ?? null;
    this.pods.set(name, [createPodReport(digest)]);
  }

  /** Resolves when the caches have received the cluster's current state. */
  async caughtUp(): Promise<void> {
    for (const [, cache] of this.#caches) await this.#caughtUp(cache);
  }

  get(kind: string, name: string): KubeObject | undefined {
    const type = APPLIED_TYPES.find(type => type.kind === kind) ?? { apiVersion: 'v1', kind };
    return this.api.get({ ...type, namespace: NAMESPACE, name });
  }

  /** Changes an object like another client that uses this field manager. */
  edit(kind: string, name: string, manager: string, change: (object: KubeObject) => object): void {
    const live = this.get(kind, name) as KubeObject;
    this.api.put({ ...live, ...change(live) } as KubeObject, manager);
  }

  /** Objects of this source, as `Kind/name`, sorted. */
  inventoried(): readonly string[] {
    return this.inventory
      .map(({ id }) => id.split('_'))
      .map(([, name, , kind]) => `${kind}/${name}`)
      .sort();
  }

  keyOf(kind: string, name: string): ObjectKey {
    const type = APPLIED_TYPES.find(type => type.kind === kind) ?? { apiVersion: 'v1', kind };
    return { ...type, namespace: NAMESPACE, name };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.client.close();
    await Promise.all(this.#running);
    if (this.#options.api === undefined) await this.api.close();
  }

  async #cache(): Promise<void> {
    for (const type of APPLIED_TYPES) {
      const cache = new ListWatch({ client: this.client, type, transform: trimForCache });
      this.#caches.set(type.kind, cache);
      this.#running.push(cache.run(this.#ended.signal));
      await cache.synced;
    }
  }

  async #caughtUp(cache: ListWatch): Promise<void> {
    const versions = (objects: readonly KubeObject[]): string =>
      objects
        .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
        .sort()
        .join();
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (versions(cache.list()) === versions(this.api.objects(cache.type))) resolve();
    };
    const stop = cache.onChange(look);
    look();
    await promise;
    stop();
  }

  #stateOf(unit: CompiledUnit): Partial<UnitState> | undefined {
    return this.units.find(({ name }) => name === unit.name);
  }
}

/** A ready pod that serves the bundle of its template. */
export function createPodReport(digest: string | null): PodReport {
  return {
    name: 'pod',
    uid: 'pod',
    isReady: true,
    templateDigest: digest,
    digest,
    refused: null,
    problem: null,
    isStuck: false,
    failsRequests: false,
    backends: [],
  };
}

function nameOf({ kind, namespace, name }: CompiledUnit): Pick<UnitState, 'kind' | 'namespace' | 'name'> {
  return { kind, namespace, name };
}

export function createOutcome(parts: Partial<CompileOutcome>): CompileOutcome {
  return {
    isGood: true,
    units: [],
    objects: [],
    diagnostics: [],
    counts: { errors: 0, warnings: 0, hints: 0 },
    digest: digestNamed('0'),
    ignored: 0,
    programs: [],
    ...parts,
  };
}

export interface UnitParts {
  readonly image?: string;
  readonly ports?: readonly object[];
  readonly replicas?: number;
  readonly env?: readonly object[];
  /** The content of the bundle, where the digest does not imply it. */
  readonly text?: string;
}

/** A gateway with the smallest object of each kind that runs it. */
export function createUnit(name: string, letter: string, parts: UnitParts = {}): CompiledUnit {
  const digest = digestNamed(letter);
  const labels = { 'app.kubernetes.io/instance': name };
  const metadata = { name, namespace: NAMESPACE, labels };
  const annotations = { 'lintel.dev/bundle-digest': digest };
  const bundle = `${name}-bundle-${letter.repeat(16)}`;
  const manifests: KubeObject[] = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...metadata, name: `${name}-vmcp` } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, name: bundle, annotations },
      immutable: true,
      data: { 'bundle.json': parts.text ?? letter },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata, name: `vmcp-${name}` },
      spec: {
        type: 'ClusterIP',
        selector: labels,
        ports: parts.ports ?? [{ name: 'http', port: 4483, protocol: 'TCP' }],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata, annotations },
      spec: {
        ...(parts.replicas === undefined ? {} : { replicas: parts.replicas }),
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations },
          spec: {
            containers: [{ name: 'vmcp', image: parts.image ?? 'runtime:1', env: parts.env ?? [] }],
            volumes: [{ name: 'lintel-bundle', projected: { sources: [{ configMap: { name: bundle } }] } }],
          },
        },
      },
    },
  ];
  return {
    kind: 'gateway',
    namespace: NAMESPACE,
    name,
    digest,
    manifests,
    files: [],
    diagnostics: [],
    configHashes: {},
    statusReportingIntervalMs: 30_000,
    backends: [],
  };
}

export function createGroup(name: string, description = 'Ours.'): KubeObject {
  return {
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'MCPGroup',
    metadata: { name, namespace: NAMESPACE },
    spec: { description },
  };
}

export function createConfigMap(name: string, data: { readonly [key: string]: string }, more: object = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE }, data, ...more };
}

export function createSecret(name: string, data: { readonly [key: string]: string }): KubeObject {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: NAMESPACE },
    data: Object.fromEntries(encoded),
  };
}
