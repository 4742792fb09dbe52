/**
 * `lintel exposure` shows each way in which a spec gives a backend a credential. A table lists each leaf field of the kinds that describe backends:
 * either the field gives a credential, and then the report never says that the backend gets none, or it does not, with the reason.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { compile, type Exposure, readTexts, SourceText } from '#compiler';
import { API_GROUP, KINDS_FILE, STORAGE_VERSION, type StructuralSchema } from '#schemas';
import { ROOT } from '../../support/process.ts';
import { listLeaves } from '../../support/sample.ts';

const object = (kind: string, spec: unknown, name = 'it') => ({
  apiVersion: `${API_GROUP}/${STORAGE_VERSION}`,
  kind,
  metadata: { name },
  spec,
});

const HEADER = {
  type: 'headerInjection',
  headerInjection: { headerName: 'X-Key', valueSecretRef: { name: 's', key: 'k' } },
};

/** The backends in the exposure of a gateway that has these objects as backends. */
function backendsOf(objects: readonly object[], gateway: object = {}): Exposure['backends'] {
  const all = [
    object('MCPGroup', {}, 'tools'),
    object('MCPExternalAuthConfig', HEADER, 'key'),
    object('VirtualMCPServer', { groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' }, ...gateway }, 'gw'),
    ...objects,
  ];
  const text = all.map(one => stringify(one)).join('---\n');
  const origin = { compilerVersion: '0.0.0', sourceRevision: null };
  const compiled = compile(readTexts([new SourceText('spec.yaml', text)]), { purpose: 'check', origin });
  const exposure = compiled.gateways.find(one => one.object.name === 'gw')?.exposure();
  // A secret in a URL fails the check; its effect is shown nevertheless.
  const errors = compiled.findings.diagnostics.filter(
    ({ severity, code }) => severity === 'error' && code !== 'LNT6025',
  );
  expect(errors.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  return exposure?.backends ?? [];
}

type Claim =
  /** Fields of a spec with the leaf, and a part of what the exposure reports of the backend. */
  | { readonly fields: object; readonly says: string; readonly gateway?: object }
  /** Why the leaf gives no credential. */
  | string;

const ENTRY = { groupRef: { name: 'tools' }, remoteUrl: 'https://a.example.com/mcp', transport: 'sse' };
const PROXY = { groupRef: { name: 'tools' }, remoteUrl: 'https://a.example.com/mcp' };
const SERVER = { groupRef: { name: 'tools' }, image: 'a:1', transport: 'streamable-http' };

const NAMES = 'it names or places the server';
const RUNS = 'how it runs, and not as whom';
const OF_CALLERS = 'it is about callers, and they are asked at its own door';
const INLINE = { outgoingAuth: { source: 'inline' } };

const HEADERS: { readonly [leaf: string]: Claim } = {
  'headerForward.addPlaintextHeaders': {
    fields: { headerForward: { addPlaintextHeaders: { 'X-Api-Key': 'sesame-open-up' } } },
    says: 'X-Api-Key',
  },
  'headerForward.addHeadersFromSecret': {
    fields: {
      headerForward: { addHeadersFromSecret: [{ headerName: 'X-A', valueSecretRef: { name: 'hub', key: 'token' } }] },
    },
    says: '"hub"',
  },
  remoteUrl: { fields: { remoteUrl: 'https://a.example.com/mcp?api_key=0123456789abcdef' }, says: 'api_key' },
};

const REFERENCE: Claim = { fields: { externalAuthConfigRef: { name: 'key' } }, says: '"s"' };

const OF_PROXIES: { readonly [leaf: string]: Claim } = {
  groupRef: NAMES,
  proxyPort: NAMES,
  endpointPrefix: NAMES,
  trustProxyHeaders: NAMES,
  sessionAffinity: RUNS,
  replicas: RUNS,
  sessionStorage: RUNS,
  // With an inline source the gateway does not send it, but the proxy does.
  externalAuthConfigRef: { fields: { externalAuthConfigRef: { name: 'key' } }, says: '"key"', gateway: INLINE },
  authServerRef: OF_CALLERS,
  oidcConfigRef: OF_CALLERS,
  authzConfig: OF_CALLERS,
  authzConfigRef: OF_CALLERS,
  toolConfigRef: NAMES,
  telemetryConfigRef: RUNS,
  audit: RUNS,
  resources: RUNS,
  resourceOverrides: "that of the proxy's pods, and not of the server",
};

const pod = (spec: object) => ({ podTemplateSpec: { spec } });

const CLAIMS: {
  readonly [kind: string]: { readonly base: object; readonly leaves: { readonly [leaf: string]: Claim } };
} = {
  MCPServerEntry: {
    base: ENTRY,
    leaves: {
      groupRef: NAMES,
      transport: NAMES,
      allowPrivateEndpoint: NAMES,
      caBundleRef: 'whom the gateway trusts, and not what it shows',
      externalAuthConfigRef: REFERENCE,
      ...HEADERS,
    },
  },
  MCPRemoteProxy: {
    base: PROXY,
    leaves: {
      ...OF_PROXIES,
      ...HEADERS,
      allowPrivateEndpoint: NAMES,
      transport: NAMES,
      serviceAccount: "that of the proxy's pods, which the remote server does not see",
      podTemplateSpec: "that of the proxy's pods, which the remote server does not see",
    },
  },
  MCPServer: {
    base: SERVER,
    leaves: {
      ...OF_PROXIES,
      image: NAMES,
      command: NAMES,
      workingDir: NAMES,
      transport: NAMES,
      proxyMode: NAMES,
      mcpPort: NAMES,
      backendReplicas: RUNS,
      'process.shared': RUNS,
      'process.maxProcesses': RUNS,
      'process.startTimeout': RUNS,
      'process.requestTimeout': RUNS,
      'process.idleTimeout': RUNS,
      'process.inheritEnv': {
        fields: { image: undefined, command: 'a', transport: 'stdio', process: { inheritEnv: ['HUB_TOKEN'] } },
        says: 'HUB_TOKEN',
      },
      args: { fields: { args: ['--api-key', 'sesame-open-up'] }, says: 'argument 2' },
      env: { fields: { env: [{ name: 'API_TOKEN', value: 'sesame-open-up' }] }, says: 'API_TOKEN' },
      secrets: { fields: { secrets: [{ name: 'hub', key: 'token' }] }, says: '"hub"' },
      volumes: {
        fields: { volumes: [{ name: 'keys', hostPath: '/srv/keys', mountPath: '/keys' }] },
        says: '/srv/keys of the node',
      },
      permissionProfile: 'what the network and the disk let it reach',
      serviceAccount: { fields: { serviceAccount: 'reader' }, says: '"reader"' },
      rateLimiting: RUNS,
      webhookConfigRef: 'not supported, which is an error',
      podTemplateSpec: {
        fields: pod({ serviceAccountName: 'reader', containers: [{ name: 'mcp' }] }),
        says: '"reader"',
      },
    },
  },
};

const claimOf = (leaves: { readonly [leaf: string]: Claim }, path: string) =>
  Object.keys(leaves)
    .filter(claim => path === claim || path.startsWith(`${claim}.`))
    .sort((a, b) => b.length - a.length)[0];

test.each(Object.keys(CLAIMS))('this test says of exactly the fields of %s whether they give a credential', kind => {
  const { leaves = {} } = CLAIMS[kind] ?? {};
  const schema: StructuralSchema = KINDS_FILE[kind]?.spec ?? {};
  const paths = listLeaves(schema).map(({ path }) => path.join('.'));
  expect(
    paths.filter(path => claimOf(leaves, path) === undefined),
    'say whether it gives a credential',
  ).toEqual([]);
  const used = new Set(paths.map(path => claimOf(leaves, path)));
  expect(Object.keys(leaves).filter(claim => !used.has(claim))).toEqual([]);
});

test.each(
  Object.entries(CLAIMS).flatMap(([kind, { base, leaves }]) =>
    Object.entries(leaves).flatMap(([leaf, claim]) =>
      typeof claim === 'string' ? [] : [[kind, leaf, { ...base, ...claim.fields }, claim] as const],
    ),
  ),
)(
  'the report of `lintel exposure` shows that the %s field %s gives a credential, and does not show the value of the credential',
  (kind, _, spec, { says, gateway }) => {
    const [backend] = backendsOf([object(kind, JSON.parse(JSON.stringify(spec)))], gateway);
    expect(isWithout(backend)).toBe(false);
    expect(JSON.stringify([backend?.credential, backend?.headers, backend?.urlSecret, backend?.ownSecrets])).toContain(
      says,
    );
    expect(JSON.stringify(backend)).not.toMatch(/sesame|0123456789abcdef/);
  },
);

test.each([
  ['MCPServerEntry', ENTRY],
  ['MCPRemoteProxy', PROXY],
  ['MCPServer', SERVER],
])('the report of `lintel exposure` shows no credential for a %s without credential fields', (kind, spec) => {
  expect(backendsOf([object(kind, spec)]).map(isWithout)).toEqual([true]);
});

function isWithout(backend: Exposure['backends'][number] | undefined): boolean {
  return backend?.credential.strategy === 'none' && backend.ownSecrets?.length === 0;
}

/** Kubernetes field names that stand for a secret, an account, or files that may contain one. */
const TELLING = /secret|serviceaccount|hostpath|fileKeyRef/i;

const container = (fields: object) => pod({ containers: [{ name: 'mcp', ...fields }] });
const volume = (source: object) => pod({ containers: [{ name: 'mcp' }], volumes: [{ name: 'keys', ...source }] });

/** Members of the types in a pod template. */
const POD: { readonly [member: string]: { readonly template: object; readonly says: string } | string } = {
  'EnvVarSource.secretKeyRef': {
    template: container({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'hub', key: 'token' } } }] }),
    says: '"hub"',
  },
  'EnvVarSource.fileKeyRef': {
    template: container({
      env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'a.env', key: 'A' } } }],
    }),
    says: 'a.env of volume v',
  },
  'EnvFromSource.secretRef': { template: container({ envFrom: [{ secretRef: { name: 'hub' } }] }), says: '"hub"' },
  'PodSpec.serviceAccount': {
    template: pod({ serviceAccount: 'reader', containers: [{ name: 'mcp' }] }),
    says: '"reader"',
  },
  'PodSpec.serviceAccountName': {
    template: pod({ serviceAccountName: 'reader', containers: [{ name: 'mcp' }] }),
    says: '"reader"',
  },
  'PodSpec.automountServiceAccountToken': {
    template: pod({ automountServiceAccountToken: true, containers: [{ name: 'mcp' }] }),
    says: '"account"',
  },
  'PodSpec.imagePullSecrets': 'with it the node pulls the image, and the server never sees it',
  'Volume.secret': { template: volume({ secret: { secretName: 'hub' } }), says: '"hub"' },
  'SecretVolumeSource.secretName': {
    template: volume({ secret: { secretName: 'hub', items: [{ key: 'token', path: 't' }] } }),
    says: '"token"',
  },
  'VolumeProjection.secret': {
    template: volume({ projected: { sources: [{ secret: { name: 'hub' } }] } }),
    says: '"hub"',
  },
  'VolumeProjection.serviceAccountToken': {
    template: volume({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }),
    says: '"account"',
  },
  'Volume.hostPath': { template: volume({ hostPath: { path: '/srv/keys' } }), says: '/srv/keys of the node' },
  'AzureFileVolumeSource.secretName': {
    template: volume({ azureFile: { secretName: 'hub', shareName: 'a' } }),
    says: '"hub"',
  },
  'CSIVolumeSource.nodePublishSecretRef': {
    template: volume({ csi: { driver: 'd', nodePublishSecretRef: { name: 'hub' } } }),
    says: '"hub"',
  },
  'CephFSVolumeSource.secretRef': {
    template: volume({ cephfs: { monitors: ['a'], secretRef: { name: 'hub' } } }),
    says: '"hub"',
  },
  'CephFSVolumeSource.secretFile': 'a path on the node, of which the server sees nothing',
  'CinderVolumeSource.secretRef': {
    template: volume({ cinder: { volumeID: 'a', secretRef: { name: 'hub' } } }),
    says: '"hub"',
  },
  'FlexVolumeSource.secretRef': {
    template: volume({ flexVolume: { driver: 'd', secretRef: { name: 'hub' } } }),
    says: '"hub"',
  },
  'ISCSIVolumeSource.secretRef': {
    template: volume({ iscsi: { targetPortal: 'a', iqn: 'b', lun: 0, secretRef: { name: 'hub' } } }),
    says: '"hub"',
  },
  'RBDVolumeSource.secretRef': {
    template: volume({ rbd: { monitors: ['a'], image: 'b', secretRef: { name: 'hub' } } }),
    says: '"hub"',
  },
  'ScaleIOVolumeSource.secretRef': {
    template: volume({ scaleIO: { gateway: 'a', system: 'b', volumeName: 'c', secretRef: { name: 'hub' } } }),
    says: '"hub"',
  },
  'StorageOSVolumeSource.secretRef': {
    template: volume({ storageos: { volumeName: 'a', secretRef: { name: 'hub' } } }),
    says: '"hub"',
  },
};

test('this test covers each field of a pod template whose name suggests a secret, a service account or a host path', () => {
  const { definitions } = JSON.parse(
    readFileSync(join(ROOT, 'compiler/analysis/pods/generated/schema.json'), 'utf8'),
  ) as { definitions: { readonly [name: string]: { readonly properties?: object } } };
  const members = Object.entries(definitions).flatMap(([name, { properties = {} }]) =>
    Object.keys(properties)
      .filter(member => TELLING.test(member))
      .map(member => `${name}.${member}`),
  );
  expect(Object.keys(POD).toSorted()).toEqual(members.toSorted());
});

test.each(
  Object.entries(POD).flatMap(([member, claim]) => (typeof claim === 'string' ? [] : [[member, claim] as const])),
)(
  'the report of `lintel exposure` shows the credential that the pod template of a server sets by %s',
  (_, { template, says }) => {
    const [backend] = backendsOf([object('MCPServer', { ...SERVER, ...template })]);
    expect(JSON.stringify(backend?.ownSecrets)).toContain(says);
  },
);

/** What a backend receives for each type of strategy in a gateway. */
const STRATEGIES: { readonly [type: string]: object } = {
  header_injection: { headerInjection: { headerName: 'X-Key', headerValueEnv: 'KEY' } },
  token_exchange: { tokenExchange: { tokenUrl: 'https://sts.example.com/t' } },
  aws_sts: { awsSts: { region: 'us-west-1', fallbackRoleArn: 'arn:aws:iam::123456789012:role/a' } },
  obo: { obo: { tokenUrl: 'https://login.example.com/t', audience: 'a' } },
  upstream_inject: { upstreamInject: { providerName: 'okta' } },
  xaa: {
    xaa: {
      idpTokenUrl: 'https://idp.example.com/t',
      targetTokenUrl: 'https://target.example.com/t',
      targetAudience: 'a',
    },
  },
};

const SIGN_IN = {
  incomingAuth: {
    type: 'oidc',
    oidcConfigRef: { name: 'own', audience: 'https://mcp.test', resourceUrl: 'https://mcp.test' },
  },
  authServerConfig: {
    issuer: 'https://auth.example.com',
    upstreamProviders: [
      { name: 'okta', type: 'oidc', oidcConfig: { issuerUrl: 'https://okta.example.com', clientId: 'gw' } },
    ],
  },
};

const typesIn = (kind: string, ...steps: readonly string[]) => {
  let schema: StructuralSchema | undefined = KINDS_FILE[kind]?.spec;
  for (const step of steps) schema = schema?.properties?.[step];
  return schema?.enum ?? [];
};

test('this test has a sample for each type of `config.outgoingAuth` but `unauthenticated`', () => {
  const types = typesIn('VirtualMCPServer', 'config', 'outgoingAuth', 'default', 'type');
  expect([...Object.keys(STRATEGIES), 'unauthenticated'].toSorted()).toEqual([...types].sort());
});

test.each(Object.keys(STRATEGIES))(
  'the report of `lintel exposure` shows the credential of an outgoing strategy %s',
  type => {
    const issuer = { type: 'inline', inline: { issuer: 'https://auth.example.com' } };
    const [backend] = backendsOf([object('MCPServerEntry', ENTRY), object('MCPOIDCConfig', issuer, 'own')], {
      ...SIGN_IN,
      config: { outgoingAuth: { source: 'discovered', default: { type, ...STRATEGIES[type] } } },
    });
    expect(backend?.credential.strategy).toBe(type);
  },
);

test("the report of `lintel exposure` shows a passthrough header with a credential as the caller's credential", () => {
  const [backend] = backendsOf([object('MCPServerEntry', ENTRY)], { passthroughHeaders: ['X-Api-Key'] });
  expect(backend?.credential).toMatchObject({ strategy: 'headers', identity: 'caller' });
  const [plain] = backendsOf([object('MCPServerEntry', ENTRY)], { passthroughHeaders: ['X-Request-Id'] });
  expect(plain?.credential.strategy).toBe('none');
});
