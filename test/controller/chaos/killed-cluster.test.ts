/** A controller in a cluster is killed at every request to the API server, before the request takes effect and afterwards. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createClusterDestination } from '../../../controller/apply/index.ts';
import { SourceStore } from '../../../controller/cluster/source-store.ts';
import { createTreeCompiler } from '../../../controller/compile/compile-tree.ts';
import type { KubeObject, ObjectKey } from '../../../controller/kube/index.ts';
import {
  createReconcileCache,
  type ObservedSource,
  type ReconcileContext,
  reconcileSource,
} from '../../../controller/reconcile/index.ts';
import { AppliedCluster, NAMESPACE } from '../../support/applied-cluster.ts';
import { gatewayFile } from '../../support/gateway-specs.ts';
import { temporaryFolder } from '../../support/process.ts';
import { StatusInvariants } from '../../support/status-invariants.ts';

const SOURCE: ObjectKey = {
  ...{ apiVersion: 'lintel.dev/v1beta1', kind: 'GatewaySource', namespace: NAMESPACE, name: 'gateways' },
};
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };
const BEFORE = { 'a.yaml': gatewayFile('a'), 'b.yaml': gatewayFile('b') };
const OTHER = 'https://other.example.com/mcp';
/** One gateway changes, one is renamed, one is new. */
const AFTER = { 'a.yaml': gatewayFile('a', { url: OTHER }), 'b.yaml': gatewayFile('z'), 'c.yaml': gatewayFile('c') };

class Killed extends Error {}

class ClusterWorld {
  readonly cluster: AppliedCluster;
  readonly invariants = new StatusInvariants();
  readonly #root: string;
  #head = '';
  #process!: { context: ReconcileContext; memory: ReturnType<typeof createReconcileCache>; store: SourceStore };

  private constructor(cluster: AppliedCluster, root: string) {
    this.cluster = cluster;
    this.#root = root;
    this.restart();
  }

  static async start(root: string): Promise<ClusterWorld> {
    const world = new ClusterWorld(await AppliedCluster.start(), root);
    const spec = { url: 'https://example.com/gateways.git', deletion: { maxPercent: 100 } };
    const { namespace, name, ...type } = SOURCE;
    world.cluster.api.put({ ...type, metadata: { namespace: namespace ?? '', name }, spec });
    await world.commit('1', BEFORE);
    await world.settle();
    return world;
  }

  async commit(id: string, files: { readonly [path: string]: string }): Promise<void> {
    this.#head = id.padStart(40, '0');
    const tree = join(this.#root, this.#head);
    await mkdir(tree, { recursive: true });
    for (const [path, text] of Object.entries(files)) await writeFile(join(tree, path), text);
  }

  /** A process that knows only what is in the cluster. */
  restart(): void {
    const { client } = this.cluster;
    const treeOf = (commit: string) => ({ revision: `main@sha1:${commit}`, commit, folder: join(this.#root, commit) });
    const compile = createTreeCompiler();
    const store = new SourceStore(client);
    const destination = createClusterDestination({
      source: { namespace: NAMESPACE, name: SOURCE.name },
      client,
      findCache: () => undefined,
      isSource: () => true,
      listPods: async ({ name }) => this.#listPods(name),
      now: () => this.cluster.now,
    });
    this.#process = {
      store,
      memory: createReconcileCache(),
      context: {
        repository: {
          fetchLatest: async () => treeOf(this.#head),
          checkoutPrevious: async (_, revision) => treeOf(revision.slice('main@sha1:'.length)),
          evict: async () => {},
        },
        compile: async request => compile(request),
        clusterInputs: () => ({ digest: '', texts: new Map() }),
        destination: () => destination,
        output: { withExposure: false, manifests: {} },
        store,
        forge: { publish: async () => undefined },
        events: { add: () => {} },
        metrics: { stage: () => {}, observeReconcile: () => {} },
        now: () => this.cluster.now,
        monotonicNow: () => this.cluster.now,
      },
    };
  }

  async reconcile(signal: AbortSignal): Promise<void> {
    const { store, context, memory } = this.#process;
    const source = (await store.read(NAMESPACE, SOURCE.name, signal)) as ObservedSource;
    await reconcileSource(source, context, memory, signal);
    this.#look();
  }

  /** Alternates reconciles and pods becoming ready until nothing is left to do. */
  async settle(): Promise<void> {
    for (let run = 0; run < 8; run += 1) {
      await this.reconcile(new AbortController().signal);
      this.#startPods();
      const conditions = this.status().conditions as { type: string; status: string }[];
      if (conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    }
    throw new Error(`not ready: ${JSON.stringify(this.status().conditions)}`);
  }

  /** The process ends at a given moment: nothing that it requests afterwards has an effect. Returns the number of moments. */
  async reconcileUntil(moment: number): Promise<number> {
    const { api } = this.cluster;
    const death = new AbortController();
    let moments = 0;
    api.onRequest = () => {
      if (moments === moment) death.abort(new Killed());
      moments += 1;
      if (death.signal.aborted) throw death.signal.reason;
    };
    try {
      await this.reconcile(death.signal);
    } catch (error) {
      if (!death.signal.aborted) throw error;
    } finally {
      api.onRequest = undefined;
    }
    return moments;
  }

  status() {
    return this.cluster.api.get(SOURCE)?.status as { [field: string]: unknown };
  }

  /** Names of all objects, with their content. */
  objects(): readonly string[] {
    const types = [
      ...[DEPLOYMENT, { apiVersion: 'v1', kind: 'Service' }, { apiVersion: 'v1', kind: 'ConfigMap' }],
      ...['VirtualMCPServer', 'MCPGroup', 'MCPServerEntry'].map(kind => ({ apiVersion: 'lintel.dev/v1beta1', kind })),
    ];
    return types.flatMap(type =>
      this.cluster.api
        .objects(type, NAMESPACE)
        .map(({ metadata, spec, data }) => `${type.kind} ${metadata.name} ${JSON.stringify(spec ?? data)}`),
    );
  }

  uidOf(kind: string, name: string): string | undefined {
    const apiVersion = kind === 'Deployment' ? 'apps/v1' : 'lintel.dev/v1beta1';
    return this.cluster.api.get({ apiVersion, kind, namespace: NAMESPACE, name })?.metadata.uid;
  }

  #look(): void {
    const source = this.cluster.api.get(SOURCE);
    if (source !== undefined) this.invariants.see(source as KubeObject);
  }

  #listPods(name: string) {
    const live = this.cluster.api.get({ ...DEPLOYMENT, namespace: NAMESPACE, name });
    const { observedGeneration } = (live?.status ?? {}) as { observedGeneration?: number };
    if (live === undefined || observedGeneration !== live.metadata.generation) return [];
    const { template } = live.spec as { template: { metadata: { annotations: { [key: string]: string } } } };
    const digest = template.metadata.annotations['lintel.dev/bundle-digest'] ?? null;
    const fine = { isReady: true, refused: null, problem: null, isStuck: false, failsRequests: false, backends: [] };
    return [{ name: `${name}-pod`, uid: `${name}-pod`, templateDigest: digest, digest, ...fine }];
  }

  #startPods(): void {
    this.invariants.inputChanged();
    for (const live of this.cluster.api.objects(DEPLOYMENT, NAMESPACE)) {
      const counts = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 };
      const status = { observedGeneration: live.metadata.generation, ...counts };
      this.cluster.api.put({ ...(live as KubeObject), status }, 'deployments');
    }
  }
}

test('a controller that is killed at any request applies the same objects as one that is not killed, and deletes no gateway that stays', async () => {
  await using folder = await temporaryFolder();
  const calm = await ClusterWorld.start(folder.file('calm'));
  await calm.commit('2', AFTER);
  const moments = await calm.reconcileUntil(Number.POSITIVE_INFINITY);
  await calm.settle();
  const end = calm.objects();
  expect(end.some(text => text.startsWith('Deployment z '))).toBe(true);
  expect(end.some(text => text.startsWith('Deployment b '))).toBe(false);
  await calm.cluster[Symbol.asyncDispose]();
  expect(moments).toBeGreaterThan(20);
  for (let moment = 0; moment < moments; moment += 1) {
    const world = await ClusterWorld.start(folder.file(`killed-${moment}`));
    const kept = [world.uidOf('Deployment', 'a'), world.uidOf('VirtualMCPServer', 'a')];
    await world.commit('2', AFTER);
    await world.reconcileUntil(moment);
    world.restart();
    await world.settle();
    expect(world.objects(), `killed at moment ${moment}`).toEqual(end);
    expect([world.uidOf('Deployment', 'a'), world.uidOf('VirtualMCPServer', 'a')]).toEqual(kept);
    expect(world.invariants.violations, `killed at moment ${moment}`).toEqual([]);
    await world.cluster[Symbol.asyncDispose]();
  }
}, 300_000);
