/**
 * A cluster around a real API server: installed from `controller/install`, with the built controller and its ServiceAccount token, pods that are
 * real runtimes, and a repository served by https.
 */
import { randomBytes } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { GATEWAY_PORT } from '#schemas';
import {
  formatCollectionPath,
  formatObjectPath,
  type KubeObject,
  type ObjectKey,
  type ObjectType,
} from '../../controller/kube/index.ts';
import { TestRepository, type TreeEntry } from '../support/git-repository.ts';
import { GitServer } from '../support/git-server.ts';
import { installed } from '../support/installed.ts';
import { type RealApi, startRealApi } from '../support/kube-api/real.ts';
import { type Kubelet, startKubelet } from '../support/kubelet.ts';
import { eventually, PROGRAM, type Program, start, type TemporaryFolder, temporaryFolder } from '../support/process.ts';
import { StatusInvariants } from '../support/status-invariants.ts';
import { TEST_CERTIFICATE } from '../support/tls-fixture.ts';

/** Time limit from a commit to the pods; milliseconds. It includes starting processes on a busy machine, and only ends a test that hangs. */
export const LIMIT_MS = 300_000;

/** The namespace and the source of `controller/install/sample`. */
export const NAMESPACE = 'mcp';
export const SOURCE = ours('GatewaySource', 'gateways');

const CONTROLLER = { namespace: 'lintel-system', name: 'lintel-controller' };

/** The user name of the controller. */
export const CONTROLLER_USER = 'system:serviceaccount:lintel-system:lintel-controller';

export interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface SeenStatus {
  readonly conditions?: readonly SeenCondition[];
  readonly [field: string]: unknown;
}

/** A Lintel object in the namespace of the sample. */
export function ours(kind: string, name: string): ObjectKey {
  return { apiVersion: 'lintel.dev/v1beta1', kind, namespace: NAMESPACE, name };
}

export class RealCluster implements AsyncDisposable {
  readonly api: RealApi;
  readonly repository: TestRepository;
  /** Warnings of the API server during installation. */
  readonly warnings: readonly string[];
  readonly #folder: TemporaryFolder;
  readonly #git: GitServer;
  readonly #kubelet: Kubelet;
  readonly #invariants = new StatusInvariants({ isRaced: true });
  readonly #end = new AbortController();
  readonly #watches: readonly Promise<void>[];
  readonly #programs: Program[] = [];
  readonly #controllers: KeptController[] = [];

  /** @throws Error when an object of `controller/install` is refused */
  static async start(): Promise<RealCluster> {
    const folder = await temporaryFolder({ 'repositories/.keep': '' });
    const api = await startRealApi();
    const warnings = await install(api);
    const git = await GitServer.start({ root: folder.file('repositories'), isTls: true });
    return new RealCluster(folder, api, git, warnings);
  }

  private constructor(folder: TemporaryFolder, api: RealApi, git: GitServer, warnings: readonly string[]) {
    this.#folder = folder;
    this.api = api;
    this.#git = git;
    this.warnings = warnings;
    this.#kubelet = startKubelet({ connection: api.connection, mode: 'real' });
    this.repository = new TestRepository(folder.file('repositories'), 'gateways.git');
    this.#watches = [
      ...['GatewaySource', 'VirtualMCPServer'].map(kind => this.#watch(kind)),
      this.#watchInputs('/api/v1/pods', isReady),
      this.#watchInputs('/apis/apps/v1/deployments', isObserved),
    ];
  }

  /** Violations of the status invariants, over every version of every object. */
  get violations(): readonly string[] {
    return this.#invariants.violations.map(({ invariant, message }) => `${invariant} ${message}`);
  }

  /** Commits specs below the path of the sample. */
  commit(specs: Readonly<Record<string, TreeEntry>>): string {
    this.#invariants.inputChanged();
    return this.repository.commit(
      Object.fromEntries(Object.entries(specs).map(([path, text]) => [`gateways/${path}`, text])),
    );
  }

  /** Creates the sample's source with the test's repository and its Secret, under the name that the sample's role allows. */
  async follow(): Promise<void> {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'gateways-git', namespace: NAMESPACE },
      stringData: { 'ca.crt': TEST_CERTIFICATE },
    };
    await this.apply(secret);
    const sample = installed('sample').find(({ kind }) => kind === 'GatewaySource');
    const spec = {
      ...(sample?.spec as object),
      url: this.#git.url('gateways.git'),
      secretRef: { name: 'gateways-git' },
    };
    await this.apply({ ...sample, spec });
  }

  /** Like `kubectl annotate`. */
  async annotate(key: ObjectKey, annotations: Readonly<Record<string, string>>): Promise<void> {
    await this.edit(key, { metadata: { annotations } });
  }

  /** Requests a reconcile now. */
  nudge(): Promise<void> {
    return this.annotate(SOURCE, { 'lintel.dev/requested-at': randomBytes(8).toString('hex') });
  }

  /** Like an interactive edit: a merge patch. */
  async edit(key: ObjectKey, body: object, manager = 'kubectl-edit'): Promise<void> {
    this.#invariants.inputChanged();
    const answer = await this.api.request('PATCH', pathOf(key), {
      body,
      contentType: 'application/merge-patch+json',
      query: { fieldManager: manager },
    });
    if (answer.status !== 200) throw new Error(`${key.kind} ${key.name}: ${answer.text}`);
  }

  /** Applies as an administrator. */
  async apply(object: object): Promise<void> {
    const warnings = await applyAs(this.api, object as KubeObject);
    if (warnings.length > 0) throw new Error(warnings.join('\n'));
  }

  async remove(key: ObjectKey): Promise<void> {
    this.#invariants.inputChanged();
    const answer = await this.api.request('DELETE', pathOf(key));
    if (answer.status >= 300) throw new Error(`${key.kind} ${key.name}: ${answer.text}`);
  }

  async get(key: ObjectKey): Promise<KubeObject | undefined> {
    const { status, body } = await this.api.request('GET', pathOf(key));
    return status === 200 ? (body as unknown as KubeObject) : undefined;
  }

  /** All objects of a type in the namespace of the sample, sorted by name. */
  async list(type: ObjectType): Promise<readonly KubeObject[]> {
    const { body } = await this.api.request('GET', formatCollectionPath(type, NAMESPACE));
    return ((body.items ?? []) as unknown as KubeObject[]).map(item => ({ ...item, ...type }));
  }

  async status(key: ObjectKey = SOURCE): Promise<SeenStatus> {
    return ((await this.get(key))?.status ?? {}) as SeenStatus;
  }

  async condition(type: string, key: ObjectKey = SOURCE): Promise<SeenCondition | undefined> {
    return (await this.status(key)).conditions?.find(condition => condition.type === type);
  }

  /** Waits until the source is ready at a commit. */
  ready(commit: string): Promise<void> {
    return this.until(async () => {
      const isThere = String((await this.status()).lastAppliedRevision).endsWith(commit);
      return isThere && (await this.condition('Ready'))?.status === 'True';
    });
  }

  async until(check: () => Promise<unknown>): Promise<void> {
    await eventually(async () => Boolean(await check()), LIMIT_MS).catch(error => this.#explain(error));
  }

  /** Starts the built controller as its ServiceAccount, with a token that the API server issues as it does for a kubelet. */
  async controller(...args: readonly string[]): Promise<KeptController> {
    const path = `/api/v1/namespaces/${CONTROLLER.namespace}/serviceaccounts/${CONTROLLER.name}/token`;
    const { status, body, text } = await this.api.request('POST', path, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } },
    });
    if (status !== 201) throw new Error(text);
    const { token } = body.status as unknown as { readonly token: string };
    await this.#folder.write({ kubeconfig: this.api.kubeconfig(token) });
    const where = ['--kubeconfig', this.#folder.file('kubeconfig'), '--state-dir', this.#folder.file('state')];
    const options = [...where, '--metrics-address=127.0.0.1:0', '--leader-elect', ...args];
    const controller = new KeptController(() => {
      const env = { POD_NAMESPACE: CONTROLLER.namespace };
      const program = start(PROGRAM.controller, options, { limitMs: LIMIT_MS, env });
      this.#programs.push(program);
      return program;
    });
    this.#controllers.push(controller);
    return controller;
  }

  /** An official SDK client connected to the only ready pod of a gateway. */
  async connect(gateway: string): Promise<Client> {
    let ip = '';
    await this.until(async () => {
      const ready = (await this.pods(gateway)).filter(({ isReady }) => isReady);
      ip = ready[0]?.ip ?? '';
      return ready.length === 1;
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://${ip}:${GATEWAY_PORT}/mcp`)) as Transport);
    return client;
  }

  /** Waits until all pods of a gateway have its newest template and are ready. */
  rolledOut(gateway: string): Promise<void> {
    return this.until(async () => {
      const deployment = await this.get({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        namespace: NAMESPACE,
        name: gateway,
      });
      const { replicas } = (deployment?.spec ?? {}) as { readonly replicas?: number };
      const { observedGeneration, updatedReplicas } = (deployment?.status ?? {}) as {
        readonly [field: string]: number;
      };
      const pods = await this.pods(gateway);
      const isNewest = observedGeneration === deployment?.metadata.generation && updatedReplicas === replicas;
      return isNewest && pods.length === replicas && pods.every(({ isReady }) => isReady);
    });
  }

  async pods(gateway: string): Promise<readonly { readonly ip: string; readonly isReady: boolean }[]> {
    const pods = await this.list({ apiVersion: 'v1', kind: 'Pod' });
    return pods
      .filter(({ metadata }) => metadata.name.startsWith(`${gateway}-`))
      .map(({ status }) => {
        const { podIP = '', conditions = [] } = (status ?? {}) as { podIP?: string; conditions?: SeenCondition[] };
        return { ip: podIP, isReady: conditions.some(({ type, status }) => type === 'Ready' && status === 'True') };
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const controller of this.#controllers) controller.leave();
    for (const program of this.#programs) await program[Symbol.asyncDispose]();
    this.#end.abort();
    await Promise.all(this.#watches);
    await this.#kubelet.close();
    await this.api[Symbol.asyncDispose]();
    await this.#git[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }

  /** Checks the invariants on every version of every object. */
  async #watch(kind: string): Promise<void> {
    const path = formatCollectionPath(ours(kind, ''), undefined);
    try {
      for await (const { type, object } of this.api.client.watch(path, {}, this.#end.signal)) {
        if (type === 'ADDED' || type === 'MODIFIED') this.#invariants.see(object as unknown as KubeObject);
      }
    } catch (error) {
      if (!this.#end.signal.aborted) throw error;
    }
  }

  /** Watches the Kubernetes objects from which the controller derives health. They are inputs, so a status may change after them. */
  async #watchInputs(path: string, says: (object: KubeObject) => boolean): Promise<void> {
    const said = new Map<string, boolean>();
    try {
      for await (const { type, object } of this.api.client.watch(path, {}, this.#end.signal)) {
        if (type === 'BOOKMARK' || type === 'ERROR') continue;
        const seen = object as unknown as KubeObject;
        const now = type !== 'DELETED' && says(seen);
        if (said.get(seen.metadata.uid ?? '') !== now) this.#invariants.inputChanged();
        said.set(seen.metadata.uid ?? '', now);
      }
    } catch (error) {
      if (!this.#end.signal.aborted) throw error;
    }
  }

  /** Throws the error with the actual status added to it. */
  async #explain(error: Error): Promise<never> {
    const log = this.#programs.at(-1)?.stderr.text.slice(-4_000);
    const { conditions, gateways, diagnostics } = await this.status();
    throw new Error(`${error.message}\n${JSON.stringify({ conditions, gateways, diagnostics }, null, 1)}\n${log}`);
  }
}

/** Applies the files in order, and waits for each CRD to be served. Returns the warnings. */
async function install(api: RealApi): Promise<readonly string[]> {
  const warnings: string[] = [];
  // kustomize sorts namespaces and CRDs first.
  const objects = [...installed(), ...installed('sample').filter(({ kind }) => kind !== 'GatewaySource')];
  const isEarly = ({ kind }: { kind: string }) => kind === 'Namespace' || kind === 'CustomResourceDefinition';
  for (const object of [...objects.filter(isEarly), ...objects.filter(one => !isEarly(one))]) {
    warnings.push(...(await applyAs(api, object)));
  }
  for (const { kind, spec } of objects) {
    if (kind !== 'CustomResourceDefinition') continue;
    const { group, names, versions } = spec as unknown as {
      readonly group: string;
      readonly names: { readonly plural: string };
      readonly versions: readonly { readonly name: string }[];
    };
    const paths = versions.map(({ name }) => `/apis/${group}/${name}/${names.plural}`);
    for (const path of paths) await eventually(async () => (await api.request('GET', path)).status === 200, LIMIT_MS);
  }
  return warnings;
}

/** Like `kubectl apply --server-side --validate=strict`. */
async function applyAs(api: RealApi, object: KubeObject): Promise<readonly string[]> {
  const path = pathOf({ ...object, namespace: object.metadata.namespace, name: object.metadata.name });
  const query = { fieldValidation: 'Strict', force: true };
  const { status, text, headers } = await api.client.apply(path, 'kubectl', object, query);
  if (status >= 300) throw new Error(`${object.kind} ${object.metadata.name}: ${text}`);
  return [headers.warning ?? []].flat().map(warning => `${object.kind} ${object.metadata.name}: ${warning}`);
}

function pathOf(key: ObjectKey): string {
  return formatObjectPath(key, key.namespace, key.name);
}

function isReady({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly SeenCondition[] };
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

/**
 * A controller that is restarted when it exits by itself, as a kubelet does. On a busy machine it may fail to renew its Lease in time and exit,
 * so that another one can lead.
 */
export class KeptController {
  readonly #start: () => Program;
  readonly #ended: Program[] = [];
  #program: Program;
  #isAsked = false;

  constructor(start: () => Program) {
    this.#start = start;
    this.#program = start();
    void this.#keep();
  }

  /** The logs of all its processes. */
  get log(): string {
    return [...this.#ended, this.#program].map(({ stderr }) => stderr.text).join('');
  }

  /** Stops restarting the controller. */
  leave(): void {
    this.#isAsked = true;
  }

  /** Stops the controller and waits for its exit. */
  async end(): Promise<number | null> {
    this.leave();
    this.#program.kill('SIGTERM');
    return await this.#program.exitCode();
  }

  async #keep(): Promise<void> {
    const ending = await this.#program.ending;
    if (this.#isAsked) return;
    process.stderr.write(`the controller is started again: ${ending}\n`);
    this.#ended.push(this.#program);
    this.#program = this.#start();
    await this.#keep();
  }
}

/** Whether the deployment controller has seen the Deployment's latest generation. Until then its status is out of date. */
function isObserved({ metadata, status }: KubeObject): boolean {
  return (status as { readonly observedGeneration?: number } | undefined)?.observedGeneration === metadata.generation;
}
