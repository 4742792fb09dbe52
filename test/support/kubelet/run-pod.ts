/** A pod whose container is a real process of Lintel, on its own loopback address. */
import type { KubeObject } from '../../../controller/kube/index.ts';
import type { ApiClient } from '../kube-api/client.ts';
import { type Program, start, type TemporaryFolder, temporaryFolder } from '../process.ts';
import type { ContainerState } from './container-state.ts';
import { type Container, NotThere, PodFiles } from './pod-files.ts';

/** How often a pod is probed, and started again when an object that it names is missing; milliseconds. */
const PROBE_MS = 50;

/** Probes that fail in a row before a pod is no longer ready: the default of Kubernetes. A new pod is not ready before one succeeds. */
const FAILURES = 3;

/** How much of the log the kubelet uses as the message of a failed container; bytes. */
const MESSAGE_BYTES = 2_048;

export interface RunSettings {
  readonly script: string;
  readonly ip: string;
  /** Pause before the first restart; doubles each time. Milliseconds. */
  readonly backOffMs: number;
  /** Called when `state` changes. */
  readonly changed: () => void;
}

export class RunningPod {
  state: ContainerState = { type: 'waiting', reason: 'ContainerCreating', restarts: 0 };
  readonly #client: ApiClient;
  readonly #pod: KubeObject;
  readonly #settings: RunSettings;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;
  #program: Program | undefined;

  constructor(client: ApiClient, pod: KubeObject, settings: RunSettings) {
    this.#client = client;
    this.#pod = pod;
    this.#settings = settings;
    this.#ended = this.#run();
  }

  /** The process's standard error so far. */
  get log(): string {
    return this.#program?.stderr.text ?? '';
  }

  /** Stops the pod with SIGTERM, then with SIGKILL if the process does not exit. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#program?.[Symbol.asyncDispose]();
    await this.#ended;
  }

  async #run(): Promise<void> {
    await using root = await temporaryFolder();
    let last: ContainerState['last'];
    for (let restarts = 0; !this.#stop.signal.aborted; restarts++) {
      const startedAt = new Date().toISOString();
      const program = await this.#start(root);
      if (program === undefined) return;
      this.#program = program;
      // A stop during the writing of files found no process to end.
      if (this.#stop.signal.aborted) await program[Symbol.asyncDispose]();
      const ended = program.ending;
      const isOver = await this.#probe(ended, restarts, last, startedAt);
      const ending = await isOver;
      if (this.#stop.signal.aborted) return;
      const exitCode = Number(/^exit code (\d+)$/.exec(ending)?.[1] ?? 137);
      const log = program.stderr.text === '' ? program.stdout.text : program.stderr.text;
      const message = log.trimEnd().slice(-MESSAGE_BYTES);
      last = { exitCode, message, startedAt, finishedAt: new Date().toISOString() };
      this.#set({ type: 'waiting', reason: 'CrashLoopBackOff', restarts, last });
      await this.#sleep(this.#settings.backOffMs * 2 ** restarts);
    }
  }

  /** Starts the process; undefined when the pod was stopped before all objects that it names existed. */
  async #start(root: TemporaryFolder): Promise<Program | undefined> {
    const files = new PodFiles(this.#client, this.#pod, this.#settings.ip);
    while (!this.#stop.signal.aborted) {
      try {
        await files.write(root.path, this.#container);
        const env = await files.environment(this.#container);
        return start(this.#settings.script, this.#arguments(root.path), { env, cwd: root.path });
      } catch (error) {
        if (!(error instanceof NotThere)) throw error;
        this.#set({ type: 'waiting', reason: 'ContainerCreating', message: error.message, restarts: 0 });
        await this.#sleep(PROBE_MS);
      }
    }
    return undefined;
  }

  /** Probes the process until it exits. */
  async #probe(
    ended: Promise<string>,
    restarts: number,
    last: ContainerState['last'],
    startedAt: string,
  ): Promise<Promise<string>> {
    let isRunning = true;
    void ended.then(() => {
      isRunning = false;
    });
    let failures = FAILURES;
    while (isRunning) {
      failures = (await this.#isReady()) ? 0 : failures + 1;
      const isReady = failures < FAILURES;
      if (isRunning) this.#set({ type: 'running', isReady, restarts, startedAt, ...(last !== undefined && { last }) });
      await Promise.race([ended, this.#sleep(PROBE_MS)]);
      if (this.#stop.signal.aborted) break;
    }
    return ended;
  }

  async #isReady(): Promise<boolean> {
    const { httpGet } = this.#container.readinessProbe ?? {};
    if (httpGet === undefined) return true;
    try {
      const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(3_000)]);
      const answer = await fetch(`http://${this.#settings.ip}:${httpGet.port}${httpGet.path}`, { signal });
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }

  /** The arguments of the process: mount paths are below the pod's root, and all addresses are the pod's. */
  #arguments(root: string): string[] {
    const mounts = (this.#container.volumeMounts ?? []).map(({ mountPath }) => mountPath);
    return (this.#container.args ?? []).map(arg => {
      if (mounts.some(path => arg === path || arg.startsWith(`${path}/`))) return root + arg;
      return arg.replace(/^0\.0\.0\.0(?=$|:)/, this.#settings.ip);
    });
  }

  get #container(): Container {
    const { containers } = this.#pod.spec as { readonly containers: readonly Container[] };
    const [first] = containers;
    if (first === undefined) throw new Error(`pod ${this.#pod.metadata.name} has no container`);
    return first;
  }

  #set(state: ContainerState): void {
    const isSame = JSON.stringify(state) === JSON.stringify(this.state);
    this.state = state;
    if (!isSame) this.#settings.changed();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.#stop.signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }
}
