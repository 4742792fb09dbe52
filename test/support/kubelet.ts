/**
 * Simulates the Deployment controller (without ReplicaSets) and the kubelet, for tests without a cluster. Works with any API server. Pods are
 * real processes of the runtime, or only marked as ready, as the test decides.
 */
import { randomBytes } from 'node:crypto';
import type { KubeObject } from '../../controller/kube/index.ts';
import { ApiClient, type Connection } from './kube-api/client.ts';
import { isEqual, type JsonObject } from './kube-api/json.ts';
import { mergePatch } from './kube-api/patch.ts';
import { type ContainerState, podStatus } from './kubelet/container-state.ts';
import { formatKey, Mirror } from './kubelet/mirror.ts';
import { deploymentStatus, HASH_LABEL, nextStep } from './kubelet/rollout.ts';
import { RunningPod } from './kubelet/run-pod.ts';
import { PROGRAM } from './process.ts';

/** The outcome of a simulated pod. */
export type Fate = 'ready' | 'unready' | 'pending' | { readonly exitCode: number; readonly message: string };

export interface KubeletOptions {
  readonly connection: Connection;
  /** `simulated`: `fate` decides about pods. `real`: pods are processes of `dist/lintel-runtime.js`, each on its own loopback address. */
  readonly mode: 'simulated' | 'real';
  /** Decides the fate of each simulated pod; by default all are ready. */
  readonly fate?: (pod: KubeObject) => Fate;
  /** The program of real pods. */
  readonly script?: string;
  /** Pause before the first restart of a real container; doubles each time. Milliseconds. */
  readonly backOffMs?: number;
}

interface Owner {
  readonly uid: string;
  readonly name: string;
}

/** Wait after a failed request; milliseconds. */
const RETRY_MS = 50;

export function startKubelet(options: KubeletOptions): Kubelet {
  return new Kubelet(options);
}

export class Kubelet implements AsyncDisposable {
  readonly #options: KubeletOptions;
  readonly #client: ApiClient;
  readonly #deployments: Mirror;
  readonly #pods: Mirror;
  readonly #running = new Map<string, RunningPod>();
  readonly #addresses = new Map<string, string>();
  readonly #due = new Set<string>();
  #fate: (pod: KubeObject) => Fate;
  #work: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#fate = options.fate ?? (() => 'ready');
    this.#client = new ApiClient(options.connection);
    this.#pods = new Mirror(this.#client, '/api/v1/pods', pod =>
      this.#enqueue(`${pod.metadata.namespace}/${ownerOf(pod)?.name}`),
    );
    this.#deployments = new Mirror(this.#client, '/apis/apps/v1/deployments', one => this.#enqueue(formatKey(one)));
  }

  /** Decides the fate of all existing and future pods from now on. */
  setFate(fate: (pod: KubeObject) => Fate): void {
    this.#fate = fate;
    for (const deployment of this.#deployments.all) this.#enqueue(formatKey(deployment));
  }

  /** The standard error of a real pod's process. */
  log(pod: KubeObject): string {
    return this.#running.get(pod.metadata.uid ?? '')?.log ?? '';
  }

  /** Ends all processes; objects stay unchanged. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#deployments.close(), this.#pods.close()]);
    await this.#work;
    await Promise.all([...this.#running.values()].map(pod => pod.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #enqueue(key: string): void {
    if (this.#isClosed) return;
    this.#due.add(key);
    this.#work ??= this.#drain();
  }

  async #drain(): Promise<void> {
    // Changes at the same time are handled together.
    await Promise.resolve();
    for (let key = first(this.#due); key !== undefined && !this.#isClosed; key = first(this.#due)) {
      this.#due.delete(key);
      try {
        await this.#sync(key);
      } catch {
        const again = key;
        if (!this.#isClosed) setTimeout(() => this.#enqueue(again), RETRY_MS);
      }
    }
    this.#work = undefined;
  }

  /** Compares a Deployment with its pods, and does the next step of its rollout. */
  async #sync(key: string): Promise<void> {
    const deployment = this.#deployments.get(key);
    const pods = this.#pods.all.filter(pod => `${pod.metadata.namespace}/${ownerOf(pod)?.name}` === key);
    for (const pod of pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)) await this.#end(pod);
    const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const own = alive.filter(pod => ownerOf(pod)?.uid === deployment?.metadata.uid);
    for (const pod of alive.filter(one => !own.includes(one))) await this.#remove(pod);
    if (deployment === undefined) return;
    if (deployment.metadata.deletionTimestamp !== undefined) return this.#collect(deployment, own);
    for (const pod of own) await this.#tell(pod);
    const { create, remove, hash } = nextStep(
      deployment,
      own.map(pod => this.#pods.get(formatKey(pod)) ?? pod),
    );
    for (const pod of remove) await this.#remove(pod);
    for (let made = 0; made < create; made++) await this.#create(deployment, hash);
    const now = this.#pods.all.filter(
      pod => ownerOf(pod)?.uid === deployment.metadata.uid && pod.metadata.deletionTimestamp === undefined,
    );
    await this.#write(this.#deployments, 'deployments', deployment, deploymentStatus(deployment, now, seconds()));
  }

  /** Removes a deleted Deployment and its pods, as the garbage collector does. */
  async #collect(deployment: KubeObject, pods: readonly KubeObject[]): Promise<void> {
    const { finalizers = [] } = deployment.metadata;
    if (!finalizers.includes('orphan')) {
      for (const pod of pods) await this.#remove(pod);
      if (this.#pods.all.some(pod => ownerOf(pod)?.uid === deployment.metadata.uid)) return;
    }
    const rest = finalizers.filter(finalizer => finalizer !== 'foregroundDeletion' && finalizer !== 'orphan');
    if (rest.length === finalizers.length) return;
    await this.#request('PATCH', pathOf('deployments', deployment), { metadata: { finalizers: rest } });
  }

  async #create(deployment: KubeObject, hash: string): Promise<void> {
    const { template } = deployment.spec as unknown as { readonly template: KubeObject };
    const { name, namespace, uid } = deployment.metadata;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-${hash}-${randomBytes(3).toString('hex').slice(0, 5)}`,
        namespace,
        labels: { ...template.metadata.labels, [HASH_LABEL]: hash },
        annotations: template.metadata.annotations ?? {},
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true }],
      },
      spec: { ...(template.spec as object), nodeName: 'node-of-tests' },
    };
    const created = await this.#request('POST', `/api/v1/namespaces/${namespace}/pods`, pod);
    this.#pods.set(created as unknown as KubeObject);
    await this.#tell(created as unknown as KubeObject);
  }

  /** Writes the pod's state into its status, and starts the pod if it does not run yet. */
  async #tell(pod: KubeObject): Promise<void> {
    const ip = this.#addressOf(pod);
    const state = this.#options.mode === 'real' ? this.#process(pod, ip).state : this.#simulated(pod);
    await this.#write(this.#pods, 'pods', pod, podStatus(pod, ip, state, seconds()));
  }

  #process(pod: KubeObject, ip: string): RunningPod {
    const uid = pod.metadata.uid ?? '';
    const running =
      this.#running.get(uid) ??
      new RunningPod(this.#client, pod, {
        script: this.#options.script ?? PROGRAM.runtime,
        ip,
        backOffMs: this.#options.backOffMs ?? 500,
        changed: () => this.#enqueue(`${pod.metadata.namespace}/${ownerOf(pod)?.name}`),
      });
    this.#running.set(uid, running);
    return running;
  }

  #simulated(pod: KubeObject): ContainerState {
    const fate = this.#fate(pod);
    const startedAt = (pod.status as { readonly startTime?: string } | undefined)?.startTime ?? seconds();
    if (fate === 'ready' || fate === 'unready')
      return { type: 'running', isReady: fate === 'ready', startedAt, restarts: 0 };
    if (fate === 'pending') return { type: 'waiting', reason: 'ContainerCreating', restarts: 0 };
    const last = { ...fate, startedAt, finishedAt: startedAt };
    return { type: 'waiting', reason: 'CrashLoopBackOff', restarts: 1, last };
  }

  /** Stops a pod; its object is removed when its process has exited. */
  async #remove(pod: KubeObject): Promise<void> {
    const marked = await this.#request('DELETE', pathOf('pods', pod), { preconditions: { uid: pod.metadata.uid } });
    if (marked.kind === 'Pod' && (marked.metadata as JsonObject).deletionTimestamp !== undefined) {
      const left = marked as unknown as KubeObject;
      this.#pods.set(left);
      await this.#end(left);
    } else this.#pods.delete(pod);
  }

  async #end(pod: KubeObject): Promise<void> {
    await this.#running.get(pod.metadata.uid ?? '')?.stop();
    this.#running.delete(pod.metadata.uid ?? '');
    this.#addresses.delete(pod.metadata.uid ?? '');
    const now = { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } };
    await this.#request('DELETE', pathOf('pods', pod), now);
    this.#pods.delete(pod);
  }

  async #write(mirror: Mirror, plural: string, object: KubeObject, status: JsonObject): Promise<void> {
    const next = mergePatch((object.status ?? {}) as JsonObject, status);
    if (isEqual(withoutEmpty(object.status), withoutEmpty(next))) return;
    const path = `${pathOf(plural, object)}/status`;
    const written = await this.#request('PATCH', path, { status }, { fieldManager: 'kubelet-of-tests' });
    if (written.kind !== 'Status') mirror.set(written as unknown as KubeObject);
  }

  /** Sends a request. It also accepts that the object is missing, which needs no further step. */
  async #request(
    method: string,
    path: string,
    body: object,
    query: { readonly [name: string]: string } = {},
  ): Promise<JsonObject> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await this.#client.request(method, path, { body, contentType, query });
    const isGone = answer.status === 404 || (method === 'DELETE' && answer.status === 409);
    if (answer.status >= 400 && !isGone) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  }

  /** An address in 127.0.0.0/8 that no other pod of this process has, and probably none of another. */
  #addressOf(pod: KubeObject): string {
    const uid = pod.metadata.uid ?? '';
    const known = this.#addresses.get(uid) ?? (pod.status as { readonly podIP?: string } | undefined)?.podIP;
    const address = known ?? nextAddress();
    this.#addresses.set(uid, address);
    return address;
  }
}

let lastAddress = 0;

function nextAddress(): string {
  lastAddress++;
  return `127.${1 + (process.pid % 250)}.${Math.trunc(lastAddress / 250) % 250}.${1 + (lastAddress % 250)}`;
}

const first = (keys: ReadonlySet<string>): string | undefined => keys.values().next().value;

const seconds = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

const pathOf = (plural: string, { apiVersion, kind, metadata }: KubeObject): string => {
  // Items of lists have neither version nor kind.
  const isDeployment = plural === 'deployments' || kind === 'Deployment' || apiVersion === 'apps/v1';
  return `${isDeployment ? '/apis/apps/v1' : '/api/v1'}/namespaces/${metadata.namespace}/${plural}/${metadata.name}`;
};

function ownerOf({ metadata }: KubeObject): Owner | undefined {
  return (metadata.ownerReferences as unknown as readonly (Owner & { readonly kind: string })[] | undefined)?.find(
    ({ kind }) => kind === 'Deployment',
  );
}

/** A status without zeros and empty maps, which the real server omits. */
function withoutEmpty(status: unknown): unknown {
  return JSON.parse(JSON.stringify(status ?? {}), (key, value) => {
    const isEmpty = value === 0 || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
    return isEmpty && key !== 'exitCode' ? undefined : value;
  });
}
