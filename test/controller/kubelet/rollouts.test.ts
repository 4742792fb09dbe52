/**
 * The simulated controllers and kubelets of a cluster, against the API server test double and, with `KUBEBUILDER_ASSETS`, against the real one.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { ApiClient, type Connection, startKubeApi } from '../../support/kube-api/index.ts';
import { ASSETS, startRealApi } from '../../support/kube-api/real.ts';
import { type Kubelet, startKubelet } from '../../support/kubelet.ts';
import { eventually } from '../../support/process.ts';

const PATH = 'deployments/a';
const REFUSED = { exitCode: 2, message: 'the bundle is of a newer format' };

const deployment = (image: string, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' }, annotations: { digest: image } },
      spec: { containers: [{ name: 'main', image }] },
    },
    ...spec,
  },
});

interface Shown {
  readonly images: readonly string[];
  readonly status: { readonly [field: string]: unknown };
}

/** A namespace of its own, and a test's operations in it. */
class Cluster {
  readonly #client: ApiClient;
  readonly #namespace: string;

  constructor(client: ApiClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  async apply(object: object): Promise<void> {
    const answer = await this.#client.apply(this.#path('apps/v1', PATH), 'lintel', object, { force: true });
    expect(answer.status, answer.text).toBeLessThan(300);
  }

  async delete(propagationPolicy: string): Promise<void> {
    const answer = await this.#client.request('DELETE', this.#path('apps/v1', PATH), { body: { propagationPolicy } });
    expect(answer.status, answer.text).toBe(200);
  }

  async deployment(): Promise<KubeObject | undefined> {
    const { status, body } = await this.#client.request('GET', this.#path('apps/v1', PATH));
    return status === 200 ? (body as unknown as KubeObject) : undefined;
  }

  async pods(): Promise<readonly KubeObject[]> {
    const { body } = await this.#client.request('GET', this.#path('v1', 'pods'));
    return body.items as unknown as readonly KubeObject[];
  }

  /** Waits until status and pods have the expected state in the newest generation. */
  settled(wanted: Partial<Shown['status']> & { readonly images: readonly string[] }): Promise<unknown> {
    const { images, ...status } = wanted;
    return eventually(async () => {
      const found = await this.deployment();
      const now = (found?.status ?? {}) as { readonly [field: string]: unknown };
      const pods = await this.pods();
      const isNow = now.observedGeneration === found?.metadata.generation;
      const same = Object.entries(status).every(([field, value]) => (now[field] ?? 0) === value);
      return isNow && same && JSON.stringify(pods.map(imageOf).sort()) === JSON.stringify(images);
    });
  }

  #path(apiVersion: string, rest: string): string {
    return `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/${this.#namespace}/${rest}`;
  }
}

const imageOf = (pod: KubeObject): string =>
  (pod.spec as { containers: readonly { image: string }[] }).containers[0]?.image ?? '';

function suite(connect: () => Promise<{ readonly connection: Connection; readonly close: () => Promise<void> }>): void {
  let kubelet: Kubelet;
  let client: ApiClient;
  let close: () => Promise<void>;
  let count = 0;
  const fates = new Map<string, 'unready' | 'pending' | typeof REFUSED>();

  beforeAll(async () => {
    const api = await connect();
    close = api.close;
    client = new ApiClient(api.connection);
    kubelet = startKubelet({
      connection: api.connection,
      mode: 'simulated',
      fate: pod => fates.get(imageOf(pod)) ?? 'ready',
    });
  });
  afterAll(async () => {
    await kubelet.close();
    await close();
  });

  async function cluster(): Promise<Cluster> {
    const name = `kubelet-${++count}`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    expect((await client.request('POST', '/api/v1/namespaces', { body })).status).toBe(201);
    return new Cluster(client, name);
  }

  test('the test kubelet starts the wanted number of pods, with addresses and the settings of their template', async () => {
    const one = await cluster();
    await one.apply(deployment('image:1', { replicas: 3 }));
    await one.settled({
      images: ['image:1', 'image:1', 'image:1'],
      readyReplicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
    });
    const pods = await one.pods();
    expect(new Set(pods.map(pod => (pod.status as { podIP: string }).podIP)).size).toBe(3);
    expect(pods.map(({ metadata }) => metadata.annotations?.digest)).toEqual(['image:1', 'image:1', 'image:1']);
    const found = await one.deployment();
    const { conditions = [] } = (found?.status ?? {}) as { conditions?: readonly { type: string; reason: string }[] };
    expect(conditions.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'Available MinimumReplicasAvailable',
      'Progressing NewReplicaSetAvailable',
    ]);
  });

  test('the test kubelet replaces the pods of a changed template, and scales a Deployment to its replicas', async () => {
    const one = await cluster();
    await one.apply(deployment('image:1', { replicas: 2 }));
    await one.settled({ images: ['image:1', 'image:1'], readyReplicas: 2 });
    await one.apply(deployment('image:2', { replicas: 2 }));
    await one.settled({ images: ['image:2', 'image:2'], readyReplicas: 2, updatedReplicas: 2 });
    await one.apply(deployment('image:2', { replicas: 1 }));
    await one.settled({ images: ['image:2'], readyReplicas: 1, replicas: 1 });
  });

  test('the test kubelet keeps the old pods of a Deployment while new pods do not start, until a test restores the template', async () => {
    const one = await cluster();
    fates.set('bad:1', REFUSED);
    await one.apply(deployment('good:1'));
    await one.settled({ images: ['good:1'], readyReplicas: 1 });
    await one.apply(deployment('bad:1'));
    await one.settled({
      images: ['bad:1', 'good:1'],
      readyReplicas: 1,
      updatedReplicas: 1,
      replicas: 2,
      unavailableReplicas: 1,
    });
    const bad = await eventually(async () => (await one.pods()).find(pod => imageOf(pod) === 'bad:1' && pod.status));
    const [container] = (bad.status as { containerStatuses: readonly { state: object; lastState: object }[] })
      .containerStatuses;
    expect(container).toMatchObject({
      ready: false,
      restartCount: 1,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { reason: 'Error', ...REFUSED } },
    });
    await one.apply(deployment('good:1'));
    await one.settled({ images: ['good:1'], readyReplicas: 1, updatedReplicas: 1, replicas: 1 });
  });

  test('the test kubelet replaces a pod that never became ready when the template changes a second time', async () => {
    const one = await cluster();
    fates.set('stuck:1', 'pending');
    await one.apply(deployment('good:1'));
    await one.settled({ images: ['good:1'], readyReplicas: 1 });
    await one.apply(deployment('stuck:1'));
    await one.settled({ images: ['good:1', 'stuck:1'], readyReplicas: 1 });
    await one.apply(deployment('good:2'));
    await one.settled({ images: ['good:2'], readyReplicas: 1, updatedReplicas: 1, replicas: 1 });
  });

  test('a test can make an existing pod of the test kubelet ready later', async () => {
    const one = await cluster();
    fates.set('slow:1', 'unready');
    await one.apply(deployment('slow:1'));
    await one.settled({ images: ['slow:1'], readyReplicas: 0, updatedReplicas: 1 });
    fates.delete('slow:1');
    kubelet.setFate(pod => fates.get(imageOf(pod)) ?? 'ready');
    await one.settled({ images: ['slow:1'], readyReplicas: 1 });
  });

  test.for(['Background', 'Foreground'])(
    'the test kubelet deletes the pods of a Deployment with propagation policy %s',
    async policy => {
      const one = await cluster();
      await one.apply(deployment('image:1', { replicas: 2 }));
      await one.settled({ images: ['image:1', 'image:1'], readyReplicas: 2 });
      await one.delete(policy);
      await eventually(async () => (await one.deployment()) === undefined && (await one.pods()).length === 0);
    },
  );

  test('the test kubelet ends all old pods before it starts new pods if the strategy is Recreate', async () => {
    const one = await cluster();
    await one.apply(deployment('image:1', { strategy: { type: 'Recreate' } }));
    await one.settled({ images: ['image:1'], readyReplicas: 1 });
    fates.set('stuck:2', 'pending');
    await one.apply(deployment('stuck:2', { strategy: { type: 'Recreate' } }));
    await one.settled({ images: ['stuck:2'], readyReplicas: 0 });
  });
}

describe('with the API server of tests', () => {
  suite(async () => {
    const api = await startKubeApi();
    return { connection: api.connection(), close: () => api.close() };
  });

  test('broken watches and refused requests only delay a rollout of the test kubelet', async () => {
    await using api = await startKubeApi();
    api.faults.next({ verb: 'create', kind: 'Pod' }, { status: 500 }, 2);
    api.faults.next({ verb: 'patch', kind: 'Deployment' }, { drop: 'before' });
    await using _ = startKubelet({ connection: api.connection(), mode: 'simulated' });
    api.put({ ...deployment('image:1'), metadata: { name: 'a', namespace: 'default' } });
    const key = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'a' };
    const ready = (generation: number) =>
      eventually(() => {
        const status = api.get(key)?.status as { readyReplicas?: number; observedGeneration?: number } | undefined;
        return status?.readyReplicas === 1 && status.observedGeneration === generation;
      });
    await ready(1);
    api.compact();
    api.expireWatches();
    api.put({ ...deployment('image:2'), metadata: { name: 'a', namespace: 'default' } });
    await ready(2);
    expect(api.faults.pending).toBe(0);
  });
});

describe.skipIf(ASSETS === undefined)('with kube-apiserver', () => {
  suite(async () => {
    const api = await startRealApi();
    return { connection: api.connection, close: () => api.close() };
  });
});
