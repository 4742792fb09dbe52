/** A cluster for the built controller: the API server test double, pods that are real runtimes, and a repository served by https. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { KubeObject, ObjectKey } from '../../../controller/kube/index.ts';
import { GATEWAY_PORT } from '../../../schemas/index.ts';
import { TestRepository, type TreeEntry } from '../../support/git-repository.ts';
import { GitServer } from '../../support/git-server.ts';
import { crds, type KubeApi, startKubeApi } from '../../support/kube-api/index.ts';
import { type Kubelet, startKubelet } from '../../support/kubelet.ts';
import {
  eventually,
  PROGRAM,
  type Program,
  start,
  type TemporaryFolder,
  temporaryFolder,
} from '../../support/process.ts';
import { TEST_CERTIFICATE } from '../../support/tls-fixture.ts';

/** Time limit from a commit to the pods; milliseconds. It includes starting processes on a busy machine. */
export const LIMIT_MS = 30_000;

export const NAMESPACE = 'team';

export const SOURCE: ObjectKey = {
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'GatewaySource',
  namespace: NAMESPACE,
  name: 'gateways',
};

export interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export class TestCluster implements AsyncDisposable {
  readonly api: KubeApi;
  readonly repository: TestRepository;
  readonly #kubelet: Kubelet;
  readonly #git: GitServer;
  readonly #folder: TemporaryFolder;
  readonly #programs: Program[] = [];

  static async start(): Promise<TestCluster> {
    const folder = await temporaryFolder();
    const api = await startKubeApi({ crds: crds(), namespaces: [NAMESPACE, 'lintel-system'] });
    await folder.write({ 'repositories/.keep': '', kubeconfig: api.kubeconfig() });
    const git = await GitServer.start({ root: folder.file('repositories'), isTls: true });
    const kubelet = startKubelet({ connection: api.connection(), mode: 'real' });
    return new TestCluster(folder, api, git, kubelet);
  }

  private constructor(folder: TemporaryFolder, api: KubeApi, git: GitServer, kubelet: Kubelet) {
    this.#folder = folder;
    this.api = api;
    this.#git = git;
    this.#kubelet = kubelet;
    this.repository = new TestRepository(folder.file('repositories'), 'gateways.git');
  }

  commit(files: Readonly<Record<string, TreeEntry>>): string {
    return this.repository.commit(files);
  }

  /** Creates a source that follows the repository and impersonates a ServiceAccount. */
  follow(spec: object = {}): void {
    this.secret('git', { 'ca.crt': TEST_CERTIFICATE });
    this.api.put({
      ...SOURCE,
      metadata: { name: SOURCE.name, namespace: NAMESPACE },
      spec: {
        url: this.#git.url('gateways.git'),
        secretRef: { name: 'git' },
        serviceAccountName: 'deployer',
        interval: '10s',
        ...spec,
      },
    });
  }

  secret(name: string, values: { readonly [key: string]: string }): void {
    const data = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    this.api.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NAMESPACE }, data });
  }

  /** Requests a reconcile now, as `kubectl annotate` does. */
  nudge(): void {
    const source = this.source();
    if (source === undefined) throw new Error('there is no source');
    const annotations = { ...source.metadata.annotations, 'lintel.dev/requested-at': String(performance.now()) };
    this.api.put({ ...source, metadata: { ...source.metadata, annotations } });
  }

  source(): KubeObject | undefined {
    return this.api.get(SOURCE);
  }

  status(key: ObjectKey = SOURCE): {
    readonly conditions?: readonly SeenCondition[];
    readonly [field: string]: unknown;
  } {
    return (this.api.get(key)?.status ?? {}) as { readonly [field: string]: unknown };
  }

  condition(type: string, key: ObjectKey = SOURCE): SeenCondition | undefined {
    return this.status(key).conditions?.find(condition => condition.type === type);
  }

  /** Waits until the source is ready at a commit. */
  async ready(commit: string): Promise<void> {
    await eventually(() => {
      const isThere = String(this.status().lastAppliedRevision).endsWith(commit);
      return isThere && this.condition('Ready')?.status === 'True';
    }, LIMIT_MS).catch(error => this.#explain(error));
  }

  async until(check: () => unknown): Promise<void> {
    await eventually(async () => Boolean(await check()), LIMIT_MS).catch(error => this.#explain(error));
  }

  controller(...args: readonly string[]): Program {
    const program = start(
      PROGRAM.controller,
      [
        '--kubeconfig',
        this.#folder.file('kubeconfig'),
        '--state-dir',
        this.#folder.file(`state-${this.#programs.length}`),
        '--metrics-address',
        '127.0.0.1:0',
        ...args,
      ],
      { limitMs: LIMIT_MS },
    );
    this.#programs.push(program);
    return program;
  }

  /** Ready pods, by address. */
  pods(): readonly string[] {
    return this.api.objects({ apiVersion: 'v1', kind: 'Pod' }, NAMESPACE).flatMap(pod => {
      const status = (pod.status ?? {}) as { podIP?: string; conditions?: readonly SeenCondition[] };
      const isReady = status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
      return isReady === true && status.podIP !== undefined ? [status.podIP] : [];
    });
  }

  /** Names of the tools that a client gets from the pods. */
  async tools(): Promise<readonly string[]> {
    const [ip] = this.pods();
    if (ip === undefined) return [];
    const client = new Client({ name: 'test', version: '1' });
    const url = new URL(`http://${ip}:${GATEWAY_PORT}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url) as Transport);
    try {
      return (await client.listTools()).tools.map(({ name }) => name);
    } finally {
      await client.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#programs) await program[Symbol.asyncDispose]();
    await this.#kubelet.close();
    await this.api[Symbol.asyncDispose]();
    await this.#git[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }

  /** Throws the error with the actual status added to it. */
  #explain(error: Error): never {
    const log = this.#programs.at(-1)?.stderr.text.slice(-4_000);
    const { conditions } = this.status();
    const { metadata } = this.source() ?? {};
    throw new Error(
      `${error.message}\n${JSON.stringify({ metadata: { ...metadata, managedFields: undefined }, conditions }, null, 1)}\n${log}`,
    );
  }
}
