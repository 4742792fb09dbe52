/** The pods of gateways and registry servers, and the status that each reports. */
import pLimit, { type LimitFunction } from 'p-limit';
import { Agent, type Dispatcher } from 'undici';
import { compareText, DIGEST_ANNOTATION, INTERNAL_PORT } from '#schemas';
import type { KubeObject, ObjectCache } from '../kube/types.ts';
import { fetchPodStatus, type PodStatusPage, PodUnreachable } from './fetch-pod-status.ts';
import { isReady, type Pod } from './pod.ts';
import { findPodFailure } from './pod-failure.ts';
import type { PodReport } from './report.ts';

export interface PodReaderOptions {
  readonly pods: ObjectCache;
  /** The port of the internal listener. Default 8081. */
  readonly port?: number;
  /** Timeout of one pod's response; milliseconds. Default 2000. */
  readonly timeoutMs?: number;
  /** How long a response is cached, so that concurrent readers query once; milliseconds. Default 1000. */
  readonly rememberMs?: number;
  /** Maximum number of pods that are queried at the same time. Default 32. */
  readonly concurrency?: number;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** The selector of a Deployment's pods. */
export interface PodSelector {
  readonly namespace: string;
  /** The pod must have all labels; one is `app.kubernetes.io/instance`. */
  readonly labels: { readonly [label: string]: string };
}

interface PodQuery {
  readonly at: number;
  readonly answer: Promise<PodStatusPage | PodUnreachable>;
}

export class PodReader implements AsyncDisposable {
  readonly #pods: ObjectCache;
  readonly #timeoutMs: number;
  readonly #rememberMs: number;
  readonly #port: number;
  readonly #now: () => number;
  /** Limits how many pods are queried at the same time, in the order of calls. */
  readonly #inTurn: LimitFunction;
  /** Pods are queried rarely and come and go, so connections are not kept. */
  readonly #dispatcher: Dispatcher;
  /** The queries of pods, by the pod's uid. */
  readonly #queries = new Map<string, PodQuery>();
  readonly #stop: () => void;
  /** Pods, by namespace and instance; undefined when a pod has changed since. */
  #index: Map<string, KubeObject[]> | undefined;

  constructor({ pods, ...options }: PodReaderOptions) {
    this.#pods = pods;
    this.#port = options.port ?? INTERNAL_PORT;
    this.#timeoutMs = options.timeoutMs ?? 2_000;
    this.#rememberMs = options.rememberMs ?? 1_000;
    this.#now = options.now ?? (() => performance.now());
    this.#inTurn = pLimit(options.concurrency ?? 32);
    const timeout = this.#timeoutMs;
    this.#dispatcher = new Agent({
      pipelining: 0,
      connect: { timeout },
      headersTimeout: timeout,
      bodyTimeout: timeout,
    });
    this.#stop = pods.onChange((now, before) => {
      this.#index = undefined;
      const uid = (now ?? before)?.metadata.uid;
      // After a change of the pod, what it reported last may be outdated.
      if (uid !== undefined) this.#queries.delete(uid);
    });
  }

  /** One report per pod that is not being deleted, sorted by name. Never fails: a failed query is reported. */
  async reports(selector: PodSelector): Promise<readonly PodReport[]> {
    return await Promise.all(this.listPods(selector).map(pod => this.#report(pod)));
  }

  /** Pods that are not being deleted, sorted by name. */
  listPods({ namespace, labels }: PodSelector): readonly Pod[] {
    this.#index ??= indexPods(this.#pods.list());
    const candidates = this.#index.get(indexKey(namespace, labels)) ?? [];
    return candidates.filter(({ metadata }) =>
      Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value),
    );
  }

  /** Changes when any of these pods is added, deleted or changed; responses of pods do not count. */
  getVersion(selector: PodSelector): string {
    return this.listPods(selector)
      .map(({ metadata: { uid, resourceVersion } }) => `${uid}/${resourceVersion}`)
      .join();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await this.#dispatcher.destroy();
  }

  async #report(pod: Pod): Promise<PodReport> {
    const { name, uid = '', annotations } = pod.metadata;
    const failure = findPodFailure(pod);
    const known = {
      name,
      uid,
      isReady: isReady(pod),
      templateDigest: annotations?.[DIGEST_ANNOTATION] ?? null,
      isStuck: failure?.isStuck ?? false,
    };
    const answer = await this.#ask(pod);
    if (answer === undefined || answer instanceof PodUnreachable) {
      const problem = failure?.problem ?? (answer === undefined ? null : answer.message);
      const refused = failure?.refused ?? null;
      return { ...known, digest: null, refused, problem, failsRequests: false, backends: [] };
    }
    const { digest, refused, failsRequests, backends } = answer;
    return {
      ...known,
      digest,
      refused: refused ?? failure?.refused ?? null,
      problem: failure?.problem ?? null,
      failsRequests,
      backends,
    };
  }

  /** What a pod reports, or why it does not answer; undefined for a pod without a running container. */
  async #ask(pod: Pod): Promise<PodStatusPage | PodUnreachable | undefined> {
    const { podIP, phase, containerStatuses = [] } = pod.status ?? {};
    if (podIP === undefined || phase !== 'Running') return undefined;
    if (!containerStatuses.some(({ state }) => state?.running !== undefined)) return undefined;
    const key = pod.metadata.uid ?? '';
    const previous = this.#queries.get(key);
    if (previous !== undefined && this.#now() - previous.at < this.#rememberMs) return await previous.answer;
    const answer = this.#inTurn(() => this.#answer(podIP));
    this.#queries.set(key, { at: this.#now(), answer });
    return await answer;
  }

  async #answer(ip: string): Promise<PodStatusPage | PodUnreachable> {
    try {
      return await fetchPodStatus(ip, { dispatcher: this.#dispatcher, port: this.#port, timeoutMs: this.#timeoutMs });
    } catch (error) {
      if (error instanceof PodUnreachable) return error;
      throw error;
    }
  }
}

function indexPods(pods: readonly KubeObject[]): Map<string, KubeObject[]> {
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const sorted = staying.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  return Map.groupBy(sorted, ({ metadata }) => indexKey(metadata.namespace ?? '', metadata.labels ?? {}));
}

function indexKey(namespace: string, labels: { readonly [label: string]: string }): string {
  return `${namespace}/${labels['app.kubernetes.io/instance'] ?? ''}`;
}
