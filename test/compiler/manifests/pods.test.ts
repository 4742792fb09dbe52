/** The pods of gateways and registry servers: how they run, their settings, and how a `podTemplateSpec` changes them. */
import { describe, expect, test } from 'vitest';
import { findTemplate, gatewayText, manifestsFor, only, type PodSpec, registryText } from './build.ts';

const podOf = (text: string): PodSpec => findTemplate(manifestsFor(text)).spec;
const mainOf = (text: string) => podOf(text).containers[0] ?? { name: '' };

const probe = (path: string, delay: number, period: number, timeout: number) => ({
  httpGet: { path, port: 8081, scheme: 'HTTP' },
  initialDelaySeconds: delay,
  periodSeconds: period,
  timeoutSeconds: timeout,
  failureThreshold: 3,
  successThreshold: 1,
});

test.each<[what: string, text: string, name: string, port: string, readiness: string, more: readonly string[]]>([
  ['a gateway', gatewayText(), 'vmcp', '4483', '/readyz', []],
  ['a registry server', registryText(), 'registry-api', '8080', '/readiness', ['--state-dir', '/var/lib/lintel']],
])(
  'the pod of %s runs the runtime image with ports, probes and the folder of its bundle',
  (_, text, name, port, readiness, more) => {
    const main = mainOf(text);
    expect(main).toMatchObject({
      name,
      image: 'lintel-runtime:0.1.0',
      imagePullPolicy: 'IfNotPresent',
      ports: [
        { name: 'http', containerPort: Number(port) },
        { name: 'internal', containerPort: 8081 },
      ],
      livenessProbe: probe('/health', 30, 10, 5),
      readinessProbe: probe(readiness, 15, 5, 3),
      resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '512Mi' } },
      terminationMessagePolicy: 'FallbackToLogsOnError',
    });
    const [, folder = '', ...args] = main.args as readonly string[];
    expect(folder).toMatch(/^\/etc\/lintel\/bundle\/sha256-[0-9a-f]{64}$/);
    expect(args).toEqual(['--host', '0.0.0.0', '--port', port, '--internal-address', '0.0.0.0:8081', ...more]);
    expect(main.volumeMounts).toContainEqual({ name: 'lintel-bundle', mountPath: folder, readOnly: true });
  },
);

test.each([
  ['a gateway', gatewayText(), ['lintel-tmp']],
  ['a registry server', registryText(), ['lintel-tmp', 'lintel-state']],
])(
  'the pod of %s has no capabilities and no service account token, and can write only into emptyDir volumes',
  (_, text, writable) => {
    const { containers, volumes, ...pod } = podOf(text);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      terminationGracePeriodSeconds: 30,
    });
    expect(containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
    });
    expect(volumes.filter(({ emptyDir }) => emptyDir !== undefined).map(({ name }) => name)).toEqual(writable);
    const mounts = containers[0]?.volumeMounts as readonly { name: string; readOnly?: boolean }[];
    expect(mounts.filter(({ readOnly }) => readOnly !== true).map(({ name }) => name)).toEqual(writable);
    expect(volumes.some(({ projected }) => JSON.stringify(projected)?.includes('serviceAccountToken'))).toBe(false);
  },
);

describe('the folder of the audit log', () => {
  const audit = (file: string) => `config: { audit: { enabled: true, logFile: ${file} } }\n`;
  const mounted = (mount: string) => `podTemplateSpec:
  spec:
    volumes: [{ name: kept, persistentVolumeClaim: { claimName: audit } }]
    containers: [{ name: vmcp, volumeMounts: [{ name: kept, ${mount} }] }]
`;
  const OURS = [{ name: 'lintel-audit', mountPath: '/var/log/lintel', readOnly: undefined }];

  test.each<[what: string, spec: string, mounts: readonly object[]]>([
    ['a writable volume for a log file', audit('/var/log/lintel/audit.jsonl'), OURS],
    ['no volume for standard output', 'config: { audit: { enabled: true } }\n', []],
    ['no volume without an audit log', '', []],
    ['no volume below /tmp', audit('/tmp/audit/a.jsonl'), []],
    [
      'no volume at a mount of the pod template',
      `${audit('/var/log/lintel/a.jsonl')}${mounted('mountPath: /var/log/lintel')}`,
      [],
    ],
    [
      'no volume below a mount of the pod template',
      `${audit('/var/log/lintel/a.jsonl')}${mounted('mountPath: /var/log/')}`,
      [],
    ],
    [
      'a volume next to a mount of the pod template',
      `${audit('/var/log/lintel/a.jsonl')}${mounted('mountPath: /var/log/lint')}`,
      OURS,
    ],
    [
      'a volume below a read-only mount of the pod template',
      `${audit('/var/log/lintel/a.jsonl')}${mounted('mountPath: /var/log, readOnly: true')}`,
      OURS,
    ],
  ])('for its audit log, the pod of a gateway has %s', (_, spec, mounts) => {
    const pod = podOf(gatewayText({ spec }));
    const main = pod.containers[0]?.volumeMounts as readonly { name: string; mountPath: string; readOnly?: boolean }[];
    const ours = main.filter(({ name }) => name === 'lintel-audit');
    expect(ours.map(({ name, mountPath, readOnly }) => ({ name, mountPath, readOnly }))).toEqual(mounts);
    expect(pod.volumes.filter(({ name }) => name === 'lintel-audit')).toEqual(
      mounts.map(() => ({ name: 'lintel-audit', emptyDir: {} })),
    );
  });
});

const header = (name: string, secret: string, key: string) => `apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: ${name}, namespace: mcp }
spec:
  remoteUrl: https://${name}.example.com
  transport: streamable-http
  groupRef: { name: tools }
  headerForward: { addHeadersFromSecret: [{ headerName: X-Key, valueSecretRef: { name: ${secret}, key: ${key} } }] }
`;

describe('secrets', () => {
  test('the pod of a gateway mounts each Secret once, with the keys that the gateway reads', () => {
    const objects = [
      header('a', 'keys', 'two'),
      header('b', 'keys', 'one'),
      header('c', 'keys', 'two'),
      header('d', 'a.b', 'x'),
    ];
    const text = gatewayText({ objects });
    expect(podOf(text).volumes.filter(({ secret }) => secret !== undefined)).toEqual([
      {
        name: expect.stringMatching(/^lintel-secret-a-b-[0-9a-f]{8}$/),
        secret: { secretName: 'a.b', items: [{ key: 'x', path: 'x' }], defaultMode: 420 },
      },
      {
        name: 'lintel-secret-keys',
        secret: {
          secretName: 'keys',
          items: [
            { key: 'one', path: 'one' },
            { key: 'two', path: 'two' },
          ],
          defaultMode: 420,
        },
      },
    ]);
    const mounts = mainOf(text).volumeMounts;
    expect(mounts).toContainEqual({
      name: 'lintel-secret-keys',
      mountPath: '/etc/lintel/secrets/keys',
      readOnly: true,
    });
    expect(mounts).toContainEqual(expect.objectContaining({ mountPath: '/etc/lintel/secrets/a.b' }));
  });

  test('the container of a gateway has the environment variable from a Secret that the pod template declares', () => {
    const spec = `podTemplateSpec:
  spec:
    containers:
      - name: vmcp
        env: [{ name: API_KEY, valueFrom: { secretKeyRef: { name: keys, key: api } } }]
`;
    expect(mainOf(gatewayText({ spec })).env).toEqual([
      { name: 'API_KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'api' } } },
    ]);
  });
});

const ACCOUNTS = `apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: idp, namespace: mcp }
spec: { type: kubernetesServiceAccount, kubernetesServiceAccount: { useClusterAuth: USES } }
`;

const IDP = 'incomingAuth: { type: oidc, oidcConfigRef: { name: idp, audience: a } }';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

const clusterRegistry = registryText(
  '',
  `sources: [{ name: a, file: { path: /data/x.json } }]
registries: [{ name: main, sources: [a] }]
auth:
  mode: oauth
  oauth:
    resourceUrl: https://registry.example.com
    providers:
      - name: cluster
        issuerUrl: https://kubernetes.default.svc
        audience: a
        allowPrivateIP: true
        caCertPath: ${SERVICE_ACCOUNT}/ca.crt
        authTokenFile: ${SERVICE_ACCOUNT}/token
`,
);

describe('the token and the authorities of the API server', () => {
  test.each([
    ['a gateway', gatewayText({ objects: [ACCOUNTS.replace('USES', 'true')], spec: IDP })],
    ['a registry server', clusterRegistry],
  ])('the pod of %s mounts the service account token and CA if the spec uses the API server', (_, text) => {
    const pod = podOf(text);
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(mainOf(text).volumeMounts).toContainEqual({
      name: 'lintel-service-account',
      mountPath: SERVICE_ACCOUNT,
      readOnly: true,
    });
    expect(pod.volumes.find(({ name }) => name === 'lintel-service-account')?.projected).toEqual({
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
    });
  });

  test('the pod of a gateway does not mount the service account token if the spec does not use the API server', () => {
    const { volumes } = podOf(gatewayText({ objects: [ACCOUNTS.replace('USES', 'false')], spec: IDP }));
    expect(volumes.map(({ name }) => name)).not.toContain('lintel-service-account');
  });
});

test('the pod of a gateway mounts each ConfigMap of CA bundles once', () => {
  const backend = (name: string, path: string) =>
    `{ name: ${name}, url: "https://${name}.example.com/mcp", transport: streamable-http, type: entry, caBundlePath: ${path} }`;
  const spec = `outgoingAuth: { source: inline }
config:
  incomingAuth:
    type: oidc
    oidc: { issuer: "https://a.example.com", audience: a, clientId: a, caBundlePath: /etc/lintel/ca-bundles/corp/ca.crt }
  backends:
    - ${backend('crm', '/etc/lintel/ca-bundles/crm/ca.crt')}
    - ${backend('erp', '/etc/lintel/ca-bundles/corp/ca.crt')}
    - ${backend('own', '/etc/ssl/own.pem')}
`;
  const { volumes, containers } = podOf(gatewayText({ spec }).replace('incomingAuth: { type: anonymous }', ''));
  const items = [{ key: 'ca.crt', path: 'ca.crt' }];
  expect(volumes.filter(({ name }) => name.startsWith('lintel-ca-'))).toMatchObject([
    { name: 'lintel-ca-corp', configMap: { name: 'corp', items } },
    { name: 'lintel-ca-crm', configMap: { name: 'crm', items } },
  ]);
  const mounts = containers[0]?.volumeMounts as readonly { readonly name: string }[];
  expect(mounts.filter(({ name }) => name.startsWith('lintel-ca-'))).toEqual([
    { name: 'lintel-ca-corp', mountPath: '/etc/lintel/ca-bundles/corp', readOnly: true },
    { name: 'lintel-ca-crm', mountPath: '/etc/lintel/ca-bundles/crm', readOnly: true },
  ]);
});

test('the pod of a gateway uses an existing service account, and none is generated', () => {
  const manifests = manifestsFor(gatewayText({ spec: 'serviceAccount: own' }));
  expect(findTemplate(manifests).spec).toMatchObject({ serviceAccountName: 'own', serviceAccount: 'own' });
  expect(manifests.map(({ kind }) => kind)).not.toContain('ServiceAccount');
});

describe('image pull secrets', () => {
  const both = `imagePullSecrets: [{ name: a }, { name: b }, {}, { name: a }]
podTemplateSpec: { spec: { imagePullSecrets: [{ name: b }, { name: c }] } }
`;
  const names = (list: unknown) => (list as readonly { name: string }[] | undefined)?.map(({ name }) => name);

  test('image pull secrets of the spec are in the pods and the generated ServiceAccount', () => {
    const manifests = manifestsFor(gatewayText({ spec: 'imagePullSecrets: [{ name: a }]' }));
    expect(names(findTemplate(manifests).spec.imagePullSecrets)).toEqual(['a']);
    expect(names(only(manifests, 'ServiceAccount').imagePullSecrets)).toEqual(['a']);
  });

  test('image pull secrets of the spec and the pod template are both in the pods', () => {
    expect(names(podOf(gatewayText({ spec: both })).imagePullSecrets)).toEqual(['a', 'b', 'c']);
  });

  test('an image pull secret that is in the spec and in the pod template is only once in the pods', () => {
    const spec = `imagePullSecrets: [{ name: a }]
podTemplateSpec: { spec: { imagePullSecrets: [{ name: a }] } }
`;
    expect(podOf(gatewayText({ spec })).imagePullSecrets).toEqual([{ name: 'a' }]);
  });

  test('image pull secrets of the pod template are not in the generated ServiceAccount', () => {
    expect(names(only(manifestsFor(gatewayText({ spec: both })), 'ServiceAccount').imagePullSecrets)).toEqual([
      'a',
      'b',
    ]);
  });

  test("image pull secrets of a registry server's pod template replace those of its spec in the pods", () => {
    const manifests = manifestsFor(registryText(both));
    expect(names(findTemplate(manifests).spec.imagePullSecrets)).toEqual(['b', 'c']);
    expect(names(only(manifests, 'ServiceAccount').imagePullSecrets)).toEqual(['a', 'b']);
  });

  test('pods and ServiceAccount have no imagePullSecrets field if the spec has none', () => {
    const manifests = manifestsFor(gatewayText());
    expect(findTemplate(manifests).spec).not.toHaveProperty('imagePullSecrets');
    expect(only(manifests, 'ServiceAccount')).not.toHaveProperty('imagePullSecrets');
  });
});

describe('a pod template', () => {
  test('a pod template changes fields of the generated pod and adds containers, with defaults', () => {
    const spec = `podTemplateSpec:
  metadata: { labels: { team: a }, annotations: { note: b } }
  spec:
    securityContext: { runAsUser: null, runAsGroup: null }
    containers:
      - { name: vmcp, resources: { limits: { memory: 1024Mi } } }
      - { name: side, image: envoy:v1, ports: [{ containerPort: 80 }] }
`;
    const { metadata, spec: pod } = findTemplate(manifestsFor(gatewayText({ spec })));
    expect(metadata).toMatchObject({ labels: { team: 'a' }, annotations: { note: 'b' } });
    expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.containers[0]?.resources).toEqual({
      requests: { cpu: '100m', memory: '128Mi' },
      limits: { cpu: '500m', memory: '1Gi' },
    });
    expect(pod.containers[1]).toEqual({
      name: 'side',
      image: 'envoy:v1',
      imagePullPolicy: 'IfNotPresent',
      ports: [{ containerPort: 80, protocol: 'TCP' }],
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    });
  });

  test('a pod template changes neither the labels that the Deployment selects nor the annotation with the digest of the bundle', () => {
    const spec = `podTemplateSpec:
  metadata:
    labels: { $patch: replace, app.kubernetes.io/name: other }
    annotations: { lintel.dev/bundle-digest: other }
`;
    const manifests = manifestsFor(gatewayText({ spec }));
    const { selector } = only(manifests, 'Deployment').spec as { selector: { matchLabels: object } };
    const { labels, annotations } = findTemplate(manifests).metadata;
    expect(labels).toEqual(selector.matchLabels);
    expect(annotations).toEqual({ 'lintel.dev/bundle-digest': expect.stringMatching(/^sha256:/) });
  });
});

test('the pod of a registry server has the volumes and mounts of the spec, with the changes of the pod template', () => {
  const text = registryText(`volumes: [{ name: tokens, secret: { secretName: tokens } }]
volumeMounts: [{ name: tokens, mountPath: /etc/tokens }]
podTemplateSpec:
  spec:
    volumes: [{ name: tokens, secret: { defaultMode: 256 } }]
    containers: [{ name: registry-api, volumeMounts: [{ mountPath: /etc/tokens, readOnly: true }] }]
`);
  expect(podOf(text).volumes.at(-1)).toEqual({ name: 'tokens', secret: { secretName: 'tokens', defaultMode: 256 } });
  expect(mainOf(text).volumeMounts).toContainEqual({ name: 'tokens', mountPath: '/etc/tokens', readOnly: true });
});

const SHARED =
  'sessionStorage: { provider: redis, address: "redis.cache:6379", passwordRef: { name: redis, key: password } }';

describe('replicas', () => {
  test.each<[spec: string, replicas: number | undefined, hasBudget: boolean]>([
    ['', undefined, false],
    ['replicas: 0', 0, false],
    ['replicas: 1', 1, false],
    ['replicas: 2', 2, true],
    [SHARED, undefined, true],
    [`replicas: 1\n${SHARED}`, 1, false],
  ])(
    'the Deployment of a gateway with %j has the replicas %s, and a PodDisruptionBudget: %s',
    (spec, replicas, hasBudget) => {
      const manifests = manifestsFor(gatewayText({ spec }));
      const deployment = only(manifests, 'Deployment').spec as { readonly replicas?: number };
      expect(deployment.replicas).toBe(replicas);
      expect('replicas' in deployment).toBe(replicas !== undefined);
      expect(manifests.some(({ kind }) => kind === 'PodDisruptionBudget')).toBe(hasBudget);
    },
  );

  test.each<[spec: string, isScaledOut: boolean]>([
    ['', false],
    ['replicas: 1', false],
    [`replicas: 1\n${SHARED}`, false],
    ['replicas: 2', true],
    [SHARED, true],
  ])('pods of a gateway with %j are spread over nodes and delay their shutdown: %s', (spec, isScaledOut) => {
    const text = gatewayText({ spec });
    const { topologySpreadConstraints } = podOf(text) as { readonly topologySpreadConstraints?: readonly object[] };
    const { selector } = only(manifestsFor(text), 'Deployment').spec as { readonly selector: unknown };
    const over = (topologyKey: string) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: selector,
    });
    const spread = [over('kubernetes.io/hostname'), over('topology.kubernetes.io/zone')];
    expect(topologySpreadConstraints).toEqual(isScaledOut ? spread : undefined);
    expect(mainOf(text).lifecycle).toEqual(isScaledOut ? { preStop: { sleep: { seconds: 5 } } } : undefined);
  });

  test('replicas with a shared session store mount the password of the store and need no session affinity', () => {
    const text = gatewayText({ spec: `replicas: 3\nsessionAffinity: None\n${SHARED}` });
    expect(mainOf(text).volumeMounts).toContainEqual({
      name: 'lintel-secret-redis',
      mountPath: '/etc/lintel/secrets/redis',
      readOnly: true,
    });
    expect(only(manifestsFor(text), 'Service').spec).toMatchObject({ sessionAffinity: 'None' });
    const { egress } = only(manifestsFor(text), 'NetworkPolicy').spec as { readonly egress: readonly object[] };
    // A name with one dot may be a Service in another namespace, or a host in the local network.
    expect(JSON.stringify(egress)).toContain('6379');
  });

  test('a gateway with three replicas has a PodDisruptionBudget of one unavailable pod', () => {
    const { selector, maxUnavailable } = only(manifestsFor(gatewayText({ spec: 'replicas: 3' })), 'PodDisruptionBudget')
      .spec as { readonly selector: unknown; readonly maxUnavailable: number };
    expect(maxUnavailable).toBe(1);
    expect(selector).toEqual((only(manifestsFor(gatewayText()), 'Deployment').spec as { selector: unknown }).selector);
  });
});

test('the Service of a gateway has the type and session affinity of the spec', () => {
  const spec = 'serviceType: LoadBalancer\nsessionAffinity: None';
  expect(only(manifestsFor(gatewayText({ spec })), 'Service').spec).toMatchObject({
    type: 'LoadBalancer',
    sessionAffinity: 'None',
    ports: [{ name: 'http', port: 4483, targetPort: 4483, protocol: 'TCP' }],
  });
  expect(only(manifestsFor(registryText()), 'Service').spec).toMatchObject({
    type: 'ClusterIP',
    ports: [{ port: 8080 }],
  });
});
