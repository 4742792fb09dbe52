/**
 * The manifests contain the default values that a kube-apiserver 1.36 sets, as recorded when each manifest was applied to it: the API server returned
 * the objects unchanged, and applying them again changed nothing.
 */
import { expect, test } from 'vitest';
import type { Manifest } from '#compiler';
import { withDefaults } from '../../../compiler/emit/manifests/defaults/defaults.ts';
import { canonicalizeQuantity } from '../../../compiler/emit/manifests/defaults/quantity.ts';

type Fields = { readonly [field: string]: unknown };

const object = (kind: string, spec: Fields): Manifest => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'a', namespace: 'b', labels: {} },
  spec,
});

const specOf = (kind: string, spec: Fields) => withDefaults(object(kind, spec)).spec;
const podOf = (pod: Fields) =>
  (specOf('Deployment', { template: { spec: pod } }) as { template: { spec: Fields } }).template.spec;
const containerOf = (container: Fields) => (podOf({ containers: [container] }).containers as Fields[])[0];
const volumeOf = (volume: Fields) => (podOf({ volumes: [volume] }).volumes as Fields[])[0];

const PROBE = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

test('a generated Deployment has the defaults of the API server', () => {
  expect(specOf('Deployment', { template: { spec: { serviceAccountName: 'x' } } })).toEqual({
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    template: {
      spec: {
        dnsPolicy: 'ClusterFirst',
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {},
        serviceAccount: 'x',
        serviceAccountName: 'x',
        terminationGracePeriodSeconds: 30,
      },
    },
  });
});

test.each<[what: string, spec: Fields, added: Fields]>([
  ['of type ClusterIP', { type: 'ClusterIP', sessionAffinity: 'None' }, {}],
  [
    'of type ClusterIP with affinity',
    { type: 'ClusterIP', sessionAffinity: 'ClientIP' },
    { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } },
  ],
  ['of type NodePort', { type: 'NodePort', sessionAffinity: 'None' }, { externalTrafficPolicy: 'Cluster' }],
  [
    'of type LoadBalancer',
    { type: 'LoadBalancer', sessionAffinity: 'None' },
    { externalTrafficPolicy: 'Cluster', allocateLoadBalancerNodePorts: true },
  ],
])('a generated Service %s has the defaults of the API server', (_, spec, added) => {
  expect(specOf('Service', { ...spec, ports: [{ port: 1 }] })).toEqual({
    ...spec,
    ...added,
    internalTrafficPolicy: 'Cluster',
    ports: [{ port: 1, protocol: 'TCP' }],
  });
});

test('a generated NetworkPolicy has the defaults of the API server', () => {
  const egress = [{ to: [] }, { ports: [{ port: 1 }, { port: 2, protocol: 'UDP' }] }];
  expect(specOf('NetworkPolicy', { egress })).toEqual({
    egress: [
      { to: [] },
      {
        ports: [
          { port: 1, protocol: 'TCP' },
          { port: 2, protocol: 'UDP' },
        ],
      },
    ],
  });
});

test.each(['ConfigMap', 'PodDisruptionBudget', 'ServiceAccount'])(
  'lintel build adds no defaults to a generated %s',
  kind => {
    expect(specOf(kind, { a: 1 })).toEqual({ a: 1 });
  },
);

const CONTAINER = {
  imagePullPolicy: 'IfNotPresent',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};

test.each<[what: string, container: Fields, expected: Fields]>([
  ['an image with a tag', { image: 'x:1' }, {}],
  ['an image without a tag', { image: 'x' }, { imagePullPolicy: 'Always' }],
  ['an image of a registry with a port and without a tag', { image: 'reg:5000/x' }, { imagePullPolicy: 'Always' }],
  ['an image with the tag latest', { image: 'x:latest' }, { imagePullPolicy: 'Always' }],
  ['an image with the tag latest and a digest', { image: 'reg:5000/x:latest@sha256:a' }, { imagePullPolicy: 'Always' }],
  ['an image with a digest', { image: 'reg:5000/x@sha256:a' }, {}],
  ['policies of its own', { imagePullPolicy: 'Never', terminationMessagePolicy: 'FallbackToLogsOnError' }, {}],
  [
    'ports',
    { image: 'x:1', ports: [{ containerPort: 1 }, { containerPort: 2, protocol: 'UDP' }] },
    {
      ports: [
        { containerPort: 1, protocol: 'TCP' },
        { containerPort: 2, protocol: 'UDP' },
      ],
    },
  ],
  [
    'a probe over HTTP',
    { image: 'x:1', livenessProbe: { httpGet: { port: 1 } } },
    { livenessProbe: { ...PROBE, httpGet: { port: 1, path: '/', scheme: 'HTTP' } } },
  ],
  [
    'a probe over gRPC',
    { image: 'x:1', readinessProbe: { grpc: { port: 9 } } },
    { readinessProbe: { ...PROBE, grpc: { port: 9, service: '' } } },
  ],
  [
    'a probe over TCP',
    { image: 'x:1', startupProbe: { tcpSocket: { port: 9 }, periodSeconds: 2 } },
    { startupProbe: { ...PROBE, periodSeconds: 2, tcpSocket: { port: 9 } } },
  ],
  [
    'lifecycle hooks',
    { image: 'x:1', lifecycle: { preStop: { httpGet: { port: 1 } } } },
    { lifecycle: { preStop: { httpGet: { port: 1, path: '/', scheme: 'HTTP' } } } },
  ],
  [
    'a variable from a field',
    { image: 'x:1', env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'f' } } }] },
    { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'f', apiVersion: 'v1' } } }] },
  ],
  [
    'a variable from a resource',
    { image: 'x:1', env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'r' } } }] },
    { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'r', divisor: '0' } } }] },
  ],
  ['an empty variable', { image: 'x:1', env: [{ name: 'A', value: '' }] }, { env: [{ name: 'A' }] }],
  [
    'resource quantities',
    { image: 'x:1', resources: { limits: { cpu: 0.5, memory: '1024Mi' } } },
    { resources: { limits: { cpu: '500m', memory: '1Gi' } } },
  ],
])('a generated container with %s has the defaults of the API server', (_, container, expected) => {
  expect(containerOf(container)).toEqual({ ...CONTAINER, ...container, ...expected });
});

test('a generated pod leaves out empty lists, and keeps empty mappings', () => {
  const pod = podOf({ tolerations: [], containers: [{ image: 'x:1', args: [], env: [] }], affinity: {} });
  expect(Object.keys(pod)).not.toContain('tolerations');
  expect(pod).toMatchObject({ affinity: {}, containers: [{ ...CONTAINER, image: 'x:1' }] });
  expect(Object.keys((pod.containers as Fields[])[0] ?? {})).not.toContain('args');
});

test('a generated pod on the host network has its container ports as host ports', () => {
  const containers = [{ image: 'x:1', ports: [{ containerPort: 80 }] }];
  expect(podOf({ hostNetwork: true, containers, initContainers: containers })).toMatchObject({
    containers: [{ ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }],
    initContainers: [{ ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }],
  });
});

test.each<[volume: Fields, expected: Fields]>([
  [{}, { emptyDir: {} }],
  [{ emptyDir: { sizeLimit: '2048Mi' } }, { emptyDir: { sizeLimit: '2Gi' } }],
  [{ configMap: { name: 'c' } }, { configMap: { name: 'c', defaultMode: 420 } }],
  [{ secret: { secretName: 's' } }, { secret: { secretName: 's', defaultMode: 420 } }],
  [{ secret: { secretName: 's', defaultMode: 256 } }, { secret: { secretName: 's', defaultMode: 256 } }],
  [{ hostPath: { path: '/x' } }, { hostPath: { path: '/x', type: '' } }],
  [
    {
      downwardAPI: {
        items: [
          { path: 'a', fieldRef: { fieldPath: 'f' } },
          { path: 'b', resourceFieldRef: { resource: 'r' } },
        ],
      },
    },
    {
      downwardAPI: {
        defaultMode: 420,
        items: [
          { path: 'a', fieldRef: { fieldPath: 'f', apiVersion: 'v1' } },
          { path: 'b', resourceFieldRef: { resource: 'r', divisor: '0' } },
        ],
      },
    },
  ],
  [
    {
      projected: {
        sources: [
          { serviceAccountToken: { path: 't' } },
          { configMap: { name: 'c' } },
          { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'f' } }] } },
        ],
      },
    },
    {
      projected: {
        defaultMode: 420,
        sources: [
          { serviceAccountToken: { path: 't', expirationSeconds: 3600 } },
          { configMap: { name: 'c' } },
          { downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'f', apiVersion: 'v1' } }] } },
        ],
      },
    },
  ],
  [
    { ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1024Mi' } } } } } },
    {
      ephemeral: {
        volumeClaimTemplate: {
          metadata: {},
          spec: { volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } },
        },
      },
    },
  ],
  [{ image: { reference: 'a' } }, { image: { reference: 'a', pullPolicy: 'Always' } }],
  [{ iscsi: { lun: 0 } }, { iscsi: { lun: 0, iscsiInterface: 'default' } }],
  [{ rbd: { image: 'b' } }, { rbd: { image: 'b', pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' } }],
  [
    { azureDisk: { diskName: 'a' } },
    { azureDisk: { diskName: 'a', cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' } },
  ],
  [{ scaleIO: { system: 'a' } }, { scaleIO: { system: 'a', storageMode: 'ThinProvisioned', fsType: 'xfs' } }],
  [{ nfs: { server: 'a' } }, { nfs: { server: 'a' } }],
  [{ csi: { driver: 'd' } }, { csi: { driver: 'd' } }],
])('a generated pod with the volume %j has the defaults of the API server', (volume, expected) => {
  expect(volumeOf({ name: 'v', ...volume })).toEqual({ name: 'v', ...expected });
});

test.each<[written: unknown, canonical: unknown]>([
  ['500m', '500m'],
  ['0.5', '500m'],
  [0.5, '500m'],
  [3, '3'],
  ['1000m', '1'],
  ['1000u', '1m'],
  ['2.50', '2500m'],
  ['1000M', '1G'],
  ['1500M', '1500M'],
  ['+1', '1'],
  ['.5', '500m'],
  ['1.', '1'],
  ['0', '0'],
  ['0Mi', '0'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['1024Ki', '1Mi'],
  ['0.5Ki', '512'],
  ['1025Mi', '1025Mi'],
  ['0.0000000001', '1n'],
  ['1e3', '1e3'],
  ['-1', '-1'],
  ['lots', 'lots'],
  ['', ''],
  [null, null],
])('a generated manifest writes the quantity %j as %j', (written, canonical) => {
  expect(canonicalizeQuantity(written)).toBe(canonical);
});

test('the defaults of the API server change nothing in a generated manifest that already has them', () => {
  const containers = [{ image: 'x', livenessProbe: { httpGet: { port: 1 } }, resources: { limits: { cpu: 1 } } }];
  const volumes = [{ name: 'a' }, { name: 'b', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }];
  for (const one of [
    object('Deployment', { template: { spec: { containers, volumes, serviceAccountName: 'x' } } }),
    object('Service', { type: 'LoadBalancer', sessionAffinity: 'ClientIP', ports: [{ port: 1 }] }),
    object('NetworkPolicy', { egress: [{ ports: [{ port: 1 }] }] }),
  ]) {
    expect(withDefaults(withDefaults(one))).toEqual(withDefaults(one));
  }
});
