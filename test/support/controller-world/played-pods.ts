/**
 * Simulates the Deployment controller and the kubelet, in one step when a test decides: the result depends only on the objects. Running pods
 * serve `/status` at loopback addresses, as the runtime does.
 */
import { createServer, type Server } from 'node:http';
import { DIGEST_ANNOTATION, INTERNAL_PORT } from '#schemas';
import type { KubeObject } from '../../../controller/kube/index.ts';
import type { KubeApi } from '../kube-api/index.ts';
import { type ContainerState, podStatus } from '../kubelet/container-state.ts';
import { deploymentStatus, HASH_LABEL, nextStep } from '../kubelet/rollout.ts';

const POD = { apiVersion: 'v1', kind: 'Pod' } as const;
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment' } as const;

export class PlayedPods implements AsyncDisposable {
  /** Whether a pod with that bundle exits with the code for a refused bundle. */
  refuses: (digest: string) => boolean = () => false;
  /** Whether a pod with that bundle runs and never becomes ready. */
  hangs: (digest: string) => boolean = () => false;
  readonly #api: KubeApi;
  readonly #now: () => number;
  /** The servers of pods by `namespace/name` of their Deployment, whose successive pods have the same address. */
  readonly #servers = new Map<string, { readonly server: Server; readonly ip: string }>();
  #made = 0;

  /** @param now milliseconds since 1970 */
  constructor(api: KubeApi, now: () => number) {
    this.#api = api;
    this.#now = now;
  }

  /** Does everything that Kubernetes would do in the end. Returns whether anything was done. */
  async settle(): Promise<boolean> {
    const before = this.#api.resourceVersion;
    const deployments = this.#api.objects(DEPLOYMENT);
    const owners = new Set(deployments.map(({ metadata }) => metadata.uid));
    for (const pod of this.#api.objects(POD)) if (!owners.has(ownerOf(pod))) this.#remove(pod);
    for (const deployment of deployments) await this.#settle(deployment);
    return this.#api.resourceVersion !== before;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { server } of this.#servers.values()) {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    }
  }

  async #settle(deployment: KubeObject): Promise<void> {
    const ip = await this.#addressOf(deployment);
    for (;;) {
      const { create, remove, hash } = nextStep(deployment, this.#listPods(deployment));
      if (create === 0 && remove.length === 0) break;
      for (const pod of remove) this.#remove(pod);
      for (let made = 0; made < create; made++) this.#create(deployment, hash, ip);
    }
    for (const pod of this.#listPods(deployment)) this.#tell(pod, ip);
    const status = deploymentStatus(deployment, this.#listPods(deployment), this.#time());
    if (JSON.stringify(deployment.status) !== JSON.stringify(status))
      this.#api.put({ ...deployment, status }, 'kubelet');
  }

  #listPods(deployment: KubeObject): readonly KubeObject[] {
    return this.#api
      .objects(POD, deployment.metadata.namespace)
      .filter(pod => ownerOf(pod) === deployment.metadata.uid);
  }

  #create(deployment: KubeObject, hash: string, ip: string): void {
    const { template } = deployment.spec as unknown as { readonly template: KubeObject };
    const { name, namespace, uid } = deployment.metadata;
    const metadata = {
      name: `${name}-${hash}-${++this.#made}`,
      namespace: namespace ?? '',
      labels: { ...template.metadata.labels, [HASH_LABEL]: hash },
      annotations: template.metadata.annotations ?? {},
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true }],
    };
    const pod = this.#api.put(
      { ...POD, metadata, spec: { ...(template.spec as object), nodeName: 'node' } },
      'kubelet',
    );
    this.#tell(pod, ip);
  }

  #tell(pod: KubeObject, ip: string): void {
    const startedAt = (pod.status as { readonly startTime?: string } | undefined)?.startTime ?? this.#time();
    const status = podStatus(pod, ip, this.#stateOf(pod, startedAt), this.#time());
    if (JSON.stringify(pod.status) !== JSON.stringify(status)) this.#api.put({ ...pod, ...POD, status }, 'kubelet');
  }

  #stateOf(pod: KubeObject, startedAt: string): ContainerState {
    const digest = digestOf(pod);
    if (!this.refuses(digest)) return { type: 'running', isReady: !this.hangs(digest), startedAt, restarts: 0 };
    const last = { exitCode: 2, message: 'lintel-runtime: the bundle is refused', startedAt, finishedAt: startedAt };
    return { type: 'waiting', reason: 'CrashLoopBackOff', restarts: 1, last };
  }

  #remove({ metadata: { namespace, name } }: KubeObject): void {
    this.#api.remove({ ...POD, namespace, name }, { gracePeriodSeconds: 0 });
  }

  #time(): string {
    return new Date(this.#now()).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  async #addressOf({ metadata }: KubeObject): Promise<string> {
    const key = `${metadata.namespace}/${metadata.name}`;
    const known = this.#servers.get(key);
    if (known !== undefined) return known.ip;
    const ip = nextAddress();
    const server = createServer((_request, response) => {
      const digest = this.#api
        .objects(POD, metadata.namespace)
        .filter(pod => (pod.status as { podIP?: string } | undefined)?.podIP === ip && !this.refuses(digestOf(pod)))
        .map(digestOf)
        .at(-1);
      const page = { bundle: { digest, refused: null, staleSecurity: [] }, backends: [] };
      response
        .writeHead(digest === undefined ? 503 : 200, { 'content-type': 'application/json', connection: 'close' })
        .end(JSON.stringify(page));
    });
    this.#servers.set(key, { server, ip });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(INTERNAL_PORT, ip, resolve));
    return ip;
  }
}

let lastAddress = 0;

/** An address in 127.0.0.0/8 that no other test uses: the second number differs for each process, and the third from those of the kubelet. */
function nextAddress(): string {
  lastAddress++;
  return `127.${1 + (process.pid % 250)}.${251 + (lastAddress >> 8)}.${1 + (lastAddress % 250)}`;
}

function digestOf(pod: KubeObject): string {
  return pod.metadata.annotations?.[DIGEST_ANNOTATION] ?? '';
}

function ownerOf({ metadata }: KubeObject): string | undefined {
  return (metadata.ownerReferences as readonly { readonly uid: string }[] | undefined)?.[0]?.uid;
}
