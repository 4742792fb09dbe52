/**
 * A cluster that the controller reconciles with a repository: the API server test double over real HTTP, a real git repository, the real
 * compiler, simulated pods. The test advances the clock. The controller can be killed at any step, and everything it wrote is checked.
 */
import type { GatewaySourceSpec, GatewaySourceStatus } from '#schemas';
import type { KubeObject, ObjectKey, ObjectType } from '../../controller/kube/index.ts';
import { PlayedPods } from './controller-world/played-pods.ts';
import { SteppedController } from './controller-world/stepped-controller.ts';
import { TestRepository } from './git-repository.ts';
import { crds, type KubeApi, startKubeApi } from './kube-api/index.ts';
import { type TemporaryFolder, temporaryFolder } from './process.ts';
import { StatusInvariants } from './status-invariants.ts';

export const NAMESPACE = 'team';

export const SOURCE: ObjectKey = {
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'GatewaySource',
  namespace: NAMESPACE,
  name: 'gateways',
};

const GATEWAY: ObjectType = { apiVersion: 'lintel.dev/v1beta1', kind: 'VirtualMCPServer' };

/** Types of the controller's objects in these tests. */
export const TYPES: readonly ObjectType[] = [
  ...['ConfigMap', 'Service', 'ServiceAccount'].map(kind => ({ apiVersion: 'v1', kind })),
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  ...['MCPGroup', 'MCPServerEntry', 'VirtualMCPServer'].map(kind => ({ apiVersion: 'lintel.dev/v1beta1', kind })),
];

/** The number of controller processes that have a token: more than any test needs, because the server cannot add tokens later. */
const LIVES = 3_000;
const TOKENS = Object.fromEntries(
  Array.from({ length: LIVES }, (_, life) => [
    `life-${life}`,
    { name: `controller-${life}`, groups: ['system:masters'] },
  ]),
);

/** Lintel's CRDs, parsed once, because parsing takes most of the time of a small test. */
const CRDS: readonly object[] = crds();

/** Enough reconciles for the cluster to converge. */
const MAX_RUNS = 40;

export interface Kill {
  /** Number of steps of the current controller. */
  readonly step: number;
  /** Whether the step has taken effect. */
  readonly phase: 'before' | 'after';
}

export interface Saved {
  readonly objects: ReturnType<KubeApi['snapshot']>;
  readonly head: string;
  readonly nowMs: number;
}

export class ControllerWorld implements AsyncDisposable {
  readonly api: KubeApi;
  readonly repository: TestRepository;
  readonly pods: PlayedPods;
  /** Checks every written status. */
  invariants: StatusInvariants = new StatusInvariants();
  /** The current controller's operations outside and inside the cluster, in order. */
  steps: string[] = [];
  /** The clock of the controller's machine; milliseconds since 1970. */
  nowMs = Date.parse('2026-11-01T00:00:00Z');
  uptimeMs = 0;
  /** The folder in which a later process finds the state of an earlier one. */
  readonly stateDir: string;
  readonly #folder: TemporaryFolder;
  #controller: SteppedController | undefined;
  #kill: Kill | undefined;
  #life = 0;

  static async start(): Promise<ControllerWorld> {
    const folder = await temporaryFolder();
    const api = await startKubeApi({ crds: CRDS, namespaces: [NAMESPACE, 'lintel-system'], tokens: TOKENS });
    return new ControllerWorld(folder, api);
  }

  private constructor(folder: TemporaryFolder, api: KubeApi) {
    this.#folder = folder;
    this.api = api;
    this.repository = new TestRepository(folder.path, 'gateways.git');
    this.pods = new PlayedPods(api, () => this.nowMs);
    this.stateDir = folder.file('state');
    api.onRequest = (request, phase) => {
      const { user, verb, dryRun, kind, name, subresource } = request;
      if (!user.name.startsWith('controller-')) return;
      // A request that was in flight when its process was killed does not arrive.
      if (user.name !== `controller-${this.#life}`) throw new Error('from a process that is dead');
      // Lists and watches come in any order, and change nothing.
      if (verb === 'watch' || verb === 'list') return;
      const how = dryRun ? `try to ${verb}` : verb;
      this.#step([how, kind, name, subresource].filter(text => text !== '').join(' '), phase);
    };
    api.onWritten = object => {
      if (object.kind === SOURCE.kind || object.kind === GATEWAY.kind) this.invariants.see(object);
    };
  }

  /** Sets the content of the repository. Returns the id of the commit. */
  commit(files: Readonly<Record<string, string>>): string {
    this.invariants.inputChanged();
    return this.repository.commit(files);
  }

  follow(spec: Partial<GatewaySourceSpec> = {}): void {
    this.api.put({
      ...SOURCE,
      metadata: { name: SOURCE.name, namespace: NAMESPACE },
      spec: { url: 'https://git.example.com/team/gateways.git', interval: '10s', ...spec },
    });
  }

  annotate(name: string, value: string): void {
    const source = this.api.get(SOURCE) as KubeObject;
    const annotations = { ...source.metadata.annotations, [`lintel.dev/${name}`]: value };
    const { status: _, ...rest } = source;
    this.api.put({ ...rest, metadata: { ...source.metadata, annotations } });
  }

  get status(): GatewaySourceStatus {
    return (this.api.get(SOURCE)?.status ?? {}) as GatewaySourceStatus;
  }

  /** A condition of the source as `Status Reason`. */
  condition(type: string): string | undefined {
    const found = this.status.conditions?.find(condition => condition.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.uptimeMs += ms;
  }

  /** Kills the current controller, or the next one, at a step. */
  killAt(kill: Kill): void {
    this.steps = [];
    this.#kill = kill;
  }

  /** One reconcile, by a new process if the last one was killed, followed by the effects of Kubernetes. Returns whether anything changed. */
  async run(): Promise<boolean> {
    const before = this.api.resourceVersion;
    this.#controller ??= await this.#start();
    const controller = this.#controller;
    const againMs = await controller.run();
    if (controller.isKilled) await this.restart();
    if (await this.pods.settle()) this.invariants.inputChanged();
    this.pass(2_500);
    return againMs === 0 || controller.isKilled || this.api.resourceVersion !== before;
  }

  /** Reconciles until nothing changes any more; returns the number of runs. */
  async settle(): Promise<number> {
    for (let runs = 1; runs <= MAX_RUNS; runs++) {
      if (!(await this.run())) return runs;
    }
    throw new Error(
      `no rest after ${MAX_RUNS} runs: ${JSON.stringify(this.status, null, 1)}\n${this.steps.slice(-30).join('\n')}`,
    );
  }

  /** Ends the controller's process without cleanup; another process does the next reconcile. */
  async restart(): Promise<void> {
    const dead = this.#controller;
    this.#controller = undefined;
    this.#life++;
    await dead?.[Symbol.asyncDispose]();
  }

  /** The whole state, for returning to it. */
  saved(): Saved {
    return { objects: this.api.snapshot(), head: this.repository.git(['rev-parse', 'main']), nowMs: this.nowMs };
  }

  /** Restores the state, for a process without any memory. */
  async goBack({ objects, head, nowMs }: Saved): Promise<void> {
    await this.restart();
    this.api.restore(objects);
    this.repository.git(['update-ref', 'refs/heads/main', head]);
    this.nowMs = nowMs;
    this.invariants = new StatusInvariants();
    for (const type of [SOURCE, GATEWAY]) {
      for (const object of this.api.objects(type)) this.invariants.see(asItsStatusSays(object));
    }
    this.steps = [];
    this.#kill = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.restart();
    await this.pods[Symbol.asyncDispose]();
    await this.api.close();
    await this.#folder[Symbol.asyncDispose]();
  }

  async #start(): Promise<SteppedController> {
    return await SteppedController.start({
      api: this.api,
      token: `life-${this.#life}`,
      source: `${NAMESPACE}/${SOURCE.name}`,
      repository: this.repository.path,
      stateDir: this.stateDir,
      now: () => this.nowMs,
      uptime: () => this.uptimeMs,
      onStep: step => this.#step(step, 'before'),
    });
  }

  #step(step: string, phase: Kill['phase']): void {
    if (phase === 'before') this.steps.push(step);
    const kill = this.#kill;
    if (kill === undefined || kill.phase !== phase || this.steps.length <= kill.step) return;
    this.#kill = undefined;
    this.#controller?.kill();
    throw new Error('killed');
  }
}

/** An edit makes a status outdated that was correct when it was written. */
function asItsStatusSays(object: KubeObject): KubeObject {
  const { observedGeneration } = (object.status ?? {}) as { readonly observedGeneration?: number };
  const { generation = observedGeneration } = object.metadata;
  return { ...object, metadata: { ...object.metadata, generation: observedGeneration ?? generation ?? 0 } };
}
