/** Pods that are real processes of the runtime, from the compiler's manifests. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Manifest } from '#compiler';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { gatewayText, manifestsFor } from '../../compiler/manifests/build.ts';
import { type KubeApi, startKubeApi } from '../../support/kube-api/index.ts';
import { type Kubelet, startKubelet } from '../../support/kubelet.ts';
import { eventually } from '../../support/process.ts';

/** Its only backend does not exist (RFC 2606), but the gateway serves without it. */
const manifests = () => manifestsFor(gatewayText().replace('github.example.com', 'backend.invalid'));

let api: KubeApi;
let kubelet: Kubelet;

beforeEach(async () => {
  api = await startKubeApi({ namespaces: ['mcp'] });
  kubelet = startKubelet({ connection: api.connection(), mode: 'real', backOffMs: 50 });
});
afterEach(async () => {
  await kubelet.close();
  await api.close();
});

const put = (objects: readonly Manifest[]) => {
  for (const manifest of objects) {
    // The processes need these files; the others are not in a pod.
    if (['ConfigMap', 'Deployment'].includes(String(manifest.kind))) api.put(manifest as unknown as KubeObject);
  }
};

const pods = () => api.objects({ apiVersion: 'v1', kind: 'Pod' }, 'mcp');

interface Status {
  readonly podIP: string;
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
  readonly containerStatuses: readonly {
    readonly restartCount: number;
    readonly lastState: { readonly terminated?: { readonly exitCode: number; readonly message: string } };
  }[];
}

const readyPod = () =>
  eventually(() => {
    const found = pods().filter(pod => (pod.status as Status | undefined)?.conditions?.some(isReady));
    return found.length === pods().length ? found[0] : undefined;
  });

const isReady = ({ type, status }: Status['conditions'][number]) => type === 'Ready' && status === 'True';

test('a pod of the test kubelet runs a runtime that serves the bundle of the ConfigMap on the pod IP, and that ends with the pod', async () => {
  put(manifests());
  const pod = await readyPod();
  const { podIP } = pod.status as unknown as Status;
  const status = (await (await fetch(`http://${podIP}:8081/status`)).json()) as { bundle: { digest: string } };
  const [map] = api.objects({ apiVersion: 'v1', kind: 'ConfigMap' }, 'mcp');
  expect(JSON.stringify(status)).toContain(Object.values(map?.metadata.annotations ?? {})[0]);
  api.remove({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'mcp', name: 'eng' });
  await eventually(() => pods().length === 0);
  await expect(fetch(`http://${podIP}:8081/status`)).rejects.toThrow();
});

test('the status of a pod whose runtime refuses its bundle has exit code 2 and the error message', async () => {
  const spoilt = manifests().map(manifest =>
    manifest.kind !== 'ConfigMap' ? manifest : { ...manifest, data: { 'bundle.json': '{"formatVersion": 999}' } },
  );
  put(spoilt);
  const terminated = await eventually(() => {
    const status = pods()[0]?.status as Status | undefined;
    return status?.containerStatuses?.[0]?.lastState.terminated;
  });
  expect(terminated).toMatchObject({ exitCode: 2, reason: 'Error' });
  expect(terminated.message).toMatch(/bundle/i);
  await eventually(() => {
    const status = pods()[0]?.status as Status | undefined;
    return (status?.containerStatuses[0]?.restartCount ?? 0) > 1;
  });
});

test('a pod of the test kubelet waits for a missing ConfigMap', async () => {
  put(manifests().filter(({ kind }) => kind === 'Deployment'));
  await eventually(() => JSON.stringify(pods()[0]?.status ?? {}).includes('not found'));
  put(manifests().filter(({ kind }) => kind === 'ConfigMap'));
  await readyPod();
});
