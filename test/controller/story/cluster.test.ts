/** Commits in a cluster: the real compiler and reconciler against the API server test double, with simulated pods. */
import { expect, test } from 'vitest';
import { createTreeCompiler } from '../../../controller/compile/compile-tree.ts';
import {
  createReconcileCache,
  type ObservedSource,
  type ReconcileContext,
  ReconcileError,
  reconcileSource,
} from '../../../controller/reconcile/index.ts';
import { AppliedCluster, createPodReport, NAMESPACE } from '../../support/applied-cluster.ts';
import { brokenGatewayFile, gatewayFile } from '../../support/gateway-specs.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { StatusInvariants } from '../../support/status-invariants.ts';

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' };

class Story implements AsyncDisposable {
  readonly cluster: AppliedCluster;
  readonly folder: TemporaryFolder;
  readonly invariants = new StatusInvariants();
  source: ObservedSource = {
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'GatewaySource',
    metadata: { name: 'gateways', namespace: NAMESPACE, uid: 'u', generation: 1 },
    spec: { url: 'https://git.example.com/team/gateways.git' },
  };
  /** Of the runtime. */
  image: string | undefined;
  #commits = 0;
  #memory = createReconcileCache();
  #compile = createTreeCompiler();

  constructor(cluster: AppliedCluster, folder: TemporaryFolder) {
    this.cluster = cluster;
    this.folder = folder;
  }

  static async start(): Promise<Story> {
    return new Story(await AppliedCluster.start({ isCached: true }), await temporaryFolder());
  }

  async commit(files: { readonly [path: string]: string }): Promise<void> {
    await this.folder.write(files);
    this.#commits++;
    this.invariants.inputChanged();
  }

  /** The next reconcile; with `isRestarted`, in a process that knows only the stored state. */
  async run(isRestarted = false): Promise<void> {
    if (isRestarted) {
      this.cluster.restart();
      this.#memory = createReconcileCache();
      this.#compile = createTreeCompiler();
    }
    await this.cluster.caughtUp();
    try {
      await reconcileSource(this.source, this.#context(), this.#memory, AbortSignal.timeout(200_000));
    } catch (error) {
      if (!(error instanceof ReconcileError)) throw error;
    }
    await this.cluster.caughtUp();
  }

  rollOut(...names: readonly string[]): void {
    for (const name of names) this.cluster.rollOut({ namespace: NAMESPACE, name });
  }

  condition(type: string): string | undefined {
    const found = this.source.status?.conditions?.find(condition => condition.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  gateway(name: string) {
    return this.source.status?.gateways?.find(gateway => gateway.name === name);
  }

  running(name: string): string | undefined {
    const found = this.cluster.api.get({ ...DEPLOYMENT, namespace: NAMESPACE, name });
    const { template } = (found?.spec ?? {}) as {
      template?: { metadata: { annotations: { [name: string]: string } } };
    };
    return template?.metadata.annotations['lintel.dev/bundle-digest'];
  }

  imageOf(name: string): string | undefined {
    const found = this.cluster.api.get({ ...DEPLOYMENT, namespace: NAMESPACE, name });
    const { template } = (found?.spec ?? {}) as { template?: { spec: { containers: { image: string }[] } } };
    return template?.spec.containers[0]?.image;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
    await this.folder[Symbol.asyncDispose]();
  }

  #context(): ReconcileContext {
    const commit = String(this.#commits).padStart(40, '0');
    const { folder, cluster } = this;
    return {
      repository: {
        fetchLatest: async () => ({ revision: `main@sha1:${commit}`, commit, folder: folder.path }),
        checkoutPrevious: async () => undefined,
        evict: async () => {},
      },
      compile: async request => this.#compile(request),
      clusterInputs: () => ({ digest: '', texts: new Map() }),
      destination: () => cluster.destination,
      output: { withExposure: false, manifests: { image: this.image } },
      store: {
        write: async (_, status) => {
          this.source = { ...this.source, status: JSON.parse(JSON.stringify(status)) };
          this.invariants.see(this.source as never);
        },
        setFinalizer: async () => {},
      },
      forge: { publish: async () => undefined },
      events: { add: () => {} },
      metrics: { stage: () => {}, observeReconcile: () => {} },
      now: () => cluster.now,
      monotonicNow: () => cluster.now,
    };
  }
}

test('a controller that restarts before every reconcile handles a commit, a mistake, a refused bundle, a fix and a deletion', async () => {
  await using story = await Story.start();
  const { cluster } = story;

  await story.commit({ 'eng.yaml': gatewayFile('eng'), 'ops.yaml': gatewayFile('ops') });
  await story.run(true);
  expect(story.condition('Ready')).toBe('Unknown Progressing');
  story.rollOut('eng', 'ops');
  await story.run(true);
  expect(story.condition('Ready')).toBe('True Succeeded');
  const first = story.running('eng') as string;
  expect(story.gateway('eng')).toMatchObject({ digest: first, activeDigest: first });

  // A bad commit changes nothing.
  await story.commit({ 'eng.yaml': brokenGatewayFile('eng') });
  const before = cluster.api.writes().length;
  await story.run(true);
  expect(story.condition('Compiled')).toBe('False CompilationFailed');
  expect(cluster.api.writes()).toHaveLength(before);

  // A bundle that compiles but fails in the pods is rolled back to the previous one.
  await story.commit({ 'eng.yaml': gatewayFile('eng', { url: 'https://second.example.com/mcp' }) });
  await story.run(true);
  const second = story.running('eng') as string;
  expect(second).not.toBe(first);
  cluster.pods.set('eng', [
    { ...createPodReport(second), isReady: false, digest: null, refused: 'format 9 is unknown' },
  ]);
  await story.run(true);
  expect(story.running('eng')).toBe(first);
  expect(story.gateway('eng')).toMatchObject({ activeDigest: first, heldDigest: second });
  story.rollOut('eng');
  const settled = cluster.api.writes().length;
  await story.run(true);
  await story.run(true);
  expect(story.running('eng')).toBe(first);
  expect(story.condition('Ready')).toMatch(/^False BundleRejected/);
  // Only the bundle that no pod serves is deleted.
  const late = cluster.api.writes().slice(settled);
  expect(late.map(({ verb, kind }) => `${verb} ${kind}`)).toEqual(['delete ConfigMap']);
  expect(late[0]?.name).toContain(second.slice('sha256:'.length, 'sha256:'.length + 16));

  // A fixed commit comes into service.
  await story.commit({ 'eng.yaml': gatewayFile('eng', { url: 'https://third.example.com/mcp' }) });
  await story.run(true);
  story.rollOut('eng');
  await story.run(true);
  await story.run(true);
  const third = story.running('eng');
  expect(story.gateway('eng')).toMatchObject({ digest: third, activeDigest: third });
  expect(story.gateway('eng')?.heldDigest).toBeUndefined();
  expect(story.condition('Ready')).toBe('True Succeeded');

  // Objects that were removed from the repository are deleted from the cluster, and no others.
  cluster.api.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs', namespace: NAMESPACE } });
  await story.commit({ 'ops.yaml': '' });
  await story.run(true);
  await story.run(true);
  expect(cluster.api.objects(DEPLOYMENT, NAMESPACE).map(({ metadata }) => metadata.name)).toEqual(['eng']);
  expect(cluster.get('ConfigMap', 'theirs')).toBeDefined();
  expect(cluster.get('ConfigMap', 'ops-history')).toBeUndefined();
  expect(story.invariants.violations).toEqual([]);

  // A reconcile without changes makes no writes.
  await story.run();
  const requests = cluster.api.logged({ when: ({ verb }) => verb !== 'watch' && verb !== 'list' }).length;
  await story.run();
  expect(cluster.api.logged({ when: ({ verb }) => verb !== 'watch' && verb !== 'list' })).toHaveLength(requests);
});

test('a controller that restarts before every reconcile gives one gateway after the other a new runtime image, and rolls it back', async () => {
  await using story = await Story.start();
  const { cluster } = story;
  const images = () => ['eng', 'ops'].map(name => story.imageOf(name));
  const take = (image: string) => {
    story.image = image;
    story.invariants.inputChanged();
  };
  take('runtime:1');
  await story.commit({ 'eng.yaml': gatewayFile('eng'), 'ops.yaml': gatewayFile('ops') });
  await story.run(true);
  story.rollOut('eng', 'ops');
  await story.run(true);
  expect(story.condition('Ready')).toBe('True Succeeded');

  take('runtime:2');
  await story.run(true);
  expect([images(), story.condition('Ready')]).toEqual([['runtime:2', 'runtime:1'], 'Unknown Progressing']);
  await story.run(true);
  expect(images()).toEqual(['runtime:2', 'runtime:1']);
  story.rollOut('eng');
  await story.run(true);
  await story.run(true);
  expect(images()).toEqual(['runtime:2', 'runtime:2']);
  story.rollOut('ops');
  await story.run(true);
  expect(story.condition('Ready')).toBe('True Succeeded');

  take('runtime:3');
  await story.run(true);
  const digest = story.running('eng') as string;
  cluster.pods.set('eng', [
    { ...createPodReport(digest), isReady: false, digest: null, refused: 'format 1 is unknown' },
  ]);
  await story.run(true);
  story.rollOut('eng');
  await story.run(true);
  await story.run(true);
  expect([images(), story.condition('Ready')]).toEqual([['runtime:2', 'runtime:2'], 'False BundleRejected']);
  expect(story.condition('RolledBack')).toBe('True BundleRejected');
  expect(story.gateway('eng')).toMatchObject({ digest, activeDigest: digest, heldDigest: digest });

  take('runtime:4');
  for (const name of ['eng', 'ops']) {
    await story.run(true);
    expect(story.imageOf(name)).toBe('runtime:4');
    story.rollOut(name);
    await story.run(true);
  }
  expect([story.condition('Ready'), story.condition('RolledBack')]).toEqual(['True Succeeded', undefined]);
  expect(story.invariants.violations).toEqual([]);
});
