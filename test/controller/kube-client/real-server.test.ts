/** Client, cache and leader election against a real API server, where `KUBEBUILDER_ASSETS` names its folder. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createKubeClient,
  type DisposableKubeClient,
  EventRecorder,
  LeaderElection,
  ListWatch,
} from '../../../controller/kube/index.ts';
import { ASSETS, type RealApi, startRealApi } from '../../support/kube-api/real.ts';
import { eventually } from '../../support/process.ts';

const TYPE = { apiVersion: 'v1', kind: 'ConfigMap' };
const NAMESPACE = 'default';
const configMap = (name: string, value: string) => ({
  ...TYPE,
  metadata: { name, namespace: NAMESPACE, labels: { of: 'test' } },
  data: { value },
});

describe.skipIf(ASSETS === undefined)('a real API server', () => {
  let api: RealApi;
  let client: DisposableKubeClient;

  beforeAll(async () => {
    api = await startRealApi();
    client = createKubeClient(
      {
        server: api.url,
        namespace: NAMESPACE,
        isInsecure: false,
        warnings: [],
        authorities: async () => api.ca,
        credentials: async () => ({ authorization: `Bearer ${api.token}` }),
        forget() {},
      },
      { userAgent: 'lintel-test' },
    );
  }, 90_000);
  afterAll(async () => {
    await client?.close();
    await api?.[Symbol.asyncDispose]();
  });

  test('the cache receives the objects that are created, changed and deleted on a real API server', async () => {
    const stop = new AbortController();
    const cache = new ListWatch({ client, type: TYPE, namespace: NAMESPACE, labelSelector: 'of=test' });
    const heard: string[] = [];
    cache.onChange((now, before) =>
      heard.push(`${(before?.data as { value: string })?.value} > ${(now?.data as { value: string })?.value}`),
    );
    const running = cache.run(stop.signal);
    await cache.synced;
    const options = { fieldManager: 'lintel', force: true };
    const first = await client.apply(configMap('a', '1'), options);
    const tried = await client.apply(configMap('a', '2'), { ...options, dryRun: true });
    expect(tried.data).toEqual({ value: '2' });
    await client.apply(configMap('a', '2'), options);
    const key = { ...TYPE, namespace: NAMESPACE, name: 'a' };
    await expect(client.delete(key, { uid: '00000000-0000-0000-0000-000000000000' })).rejects.toMatchObject({
      failure: 'conflict',
    });
    await expect(client.replace({ ...first, data: { value: '3' } })).rejects.toMatchObject({ failure: 'conflict' });
    expect(await client.delete(key, { uid: first.metadata.uid ?? '', propagation: 'Background' })).toBe(true);
    expect(await client.get(key)).toBeUndefined();
    expect(await client.delete(key)).toBe(false);
    await eventually(() => heard.length === 3);
    expect(heard).toEqual(['undefined > 1', '1 > 2', '2 > undefined']);
    stop.abort(new Error('done'));
    await running;
  });

  test('the Kubernetes client joins the pages of a list of a real API server', async () => {
    for (const name of ['p1', 'p2', 'p3']) await client.create(configMap(name, '1'));
    const { items } = await client.list(TYPE, { namespace: NAMESPACE, labelSelector: 'of=test', limit: 2 });
    expect(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ConfigMap p1',
      'ConfigMap p2',
      'ConfigMap p3',
    ]);
  });

  test('the Kubernetes client distinguishes a type without a CRD from a missing object on a real API server', async () => {
    const key = { apiVersion: 'toolhive.stacklok.dev/v1beta1', kind: 'MCPGroup', namespace: NAMESPACE, name: 'a' };
    await expect(client.get(key)).rejects.toMatchObject({ failure: 'notFound', isUnserved: true });
  });

  test('a real API server refuses a request of an impersonated ServiceAccount without rights, and names this account', async () => {
    const call = client.as({ namespace: NAMESPACE, name: 'nobody' }).list(TYPE, { namespace: NAMESPACE });
    await expect(call).rejects.toMatchObject({ failure: 'forbidden' });
    await expect(call).rejects.toThrow('system:serviceaccount:default:nobody');
  });

  test('a candidate acquires and releases a Lease on a real API server, and then the next candidate acquires it', async () => {
    const candidate = (identity: string) =>
      new LeaderElection({ client, namespace: NAMESPACE, name: 'lease', identity });
    const first = candidate('a');
    await first.acquire(AbortSignal.timeout(200_000));
    await first.release();
    const second = candidate('b');
    await second.acquire(AbortSignal.timeout(200_000));
    const key = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: NAMESPACE, name: 'lease' };
    expect((await client.get(key))?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    await second.release();
  });

  test('a real API server stores an event of the controller and its count', async () => {
    const failures: unknown[] = [];
    const events = new EventRecorder({
      client,
      component: 'lintel-controller',
      instance: 'test',
      onFailure: error => failures.push(error),
    });
    const object = await client.create(configMap('evented', '1'));
    events.add(object, 'Normal', 'Succeeded', 'done');
    events.add(object, 'Normal', 'Succeeded', 'done');
    await events.flushed();
    expect(failures).toEqual([]);
    const { items } = await client.list({ apiVersion: 'v1', kind: 'Event' }, { namespace: NAMESPACE });
    expect(items.filter(({ reason }) => reason === 'Succeeded').map(({ count }) => count)).toEqual([2]);
  });
});
