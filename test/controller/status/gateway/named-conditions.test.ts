/**
 * Every condition with every reason, and every phase, of the other implementation: what causes it here, or why nothing does. Only the names;
 * other tests show with the real compiler when each occurs.
 */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { VirtualMCPServerSpec, VirtualMCPServerStatus } from '#schemas';
import type { FoundDiagnostic } from '../../../../controller/compile/index.ts';
import type { PodBackend, PodReport } from '../../../../controller/pods/index.ts';
import { computeGatewayStatus, type GatewayStatusInput } from '../../../../controller/status/index.ts';

const DIGEST = `sha256:${'b'.repeat(64)}`;

/** A gateway's spec with every part that a condition may be about. */
const SPEC = {
  groupRef: { name: 'tools' },
  podTemplateSpec: {},
  embeddingServerRef: { name: 'mini' },
  telemetryConfigRef: { name: 'otel' },
  incomingAuth: { type: 'oidc', oidcConfigRef: { name: 'idp' }, authzConfigRef: { name: 'rules' } },
  authServerConfig: {},
  config: { compositeToolRefs: [{ name: 'triage' }] },
} as unknown as VirtualMCPServerSpec;

type Change = Partial<Omit<GatewayStatusInput, 'compiled'>> & {
  readonly compiled?: Partial<GatewayStatusInput['compiled']>;
};

function statusOf({ compiled, ...more }: Change): VirtualMCPServerStatus {
  return computeGatewayStatus({
    generation: 1,
    now: new Date(0),
    url: 'http://vmcp-eng:4483',
    unit: { kind: 'gateway', namespace: 'a', name: 'eng', digest: DIGEST },
    deployment: { replicas: 1 },
    pods: serving('ready'),
    spec: SPEC,
    ...more,
    compiled: {
      digest: DIGEST,
      revision: 'main@sha1:1',
      isGood: true,
      diagnostics: [],
      configHashes: {},
      statusReportingIntervalMs: 30_000,
      backends: [],
      ...compiled,
    },
  });
}

type BackendStatus = PodBackend['status'];

/** The reports of one ready pod, with these statuses of backends. */
function serving(...statuses: readonly BackendStatus[]): readonly PodReport[] {
  const backends = statuses.map((status, at) => ({
    name: `b${at}`,
    status,
    message: '',
    lastHealthCheck: '2026-01-01T00:00:00Z',
    consecutiveFailures: 0,
    mcpRevision: null,
    circuitBreakerState: null,
    circuitLastChanged: null,
  }));
  return [podOf({ backends })];
}

function podOf(more: Partial<PodReport>): PodReport {
  return {
    ...{ name: 'eng-1', uid: 'u', templateDigest: DIGEST, digest: DIGEST, refused: null, problem: null },
    ...{ isReady: true, isStuck: false, failsRequests: false, backends: [] },
    ...more,
  };
}

const GOOD: Change = {};
const pods = (...statuses: readonly BackendStatus[]): Change => ({ pods: serving(...statuses) });
const found = (pointer: string, more: Partial<FoundDiagnostic> = {}): Change => ({
  compiled: { diagnostics: [{ code: 'LNT1003', severity: 'error', message: 'wrong', pointer, ...more }] },
});
const missing = (pointer: string): Change => found(pointer, { code: 'LNT2001' });
const advised = (code: string): Change => found('', { code, severity: 'warning' });
const broken = (kind: string): Change => found('/spec/x', { object: `${kind}/a/b` });
const embedding = (status: NonNullable<GatewayStatusInput['embedding']>['status']): Change => ({
  embedding: { name: 'mini', status },
});
const plain = (spec: object): Change => ({ spec: { ...SPEC, ...spec } as VirtualMCPServerSpec });
const unready = (more: Partial<PodReport>): Change => ({ pods: [podOf({ isReady: false, ...more })] });

/** Why nothing causes it here. */
const OTHER_REASON = 'the rule that finds it has AuthServerConfigInvalid or AuthzUpstreamUnknown for it';
const NOTHING_IS_FETCHED = 'the compiler reads files: nothing is fetched that could fail by itself';
const ONE_FOR_ALL =
  'what is wrong with outgoing credentials is AuthConfigured AuthInvalid, and nothing of it is dropped';
const ONE_WRITER = 'one writer composes Ready, with the reasons that the controller has';

type Row = readonly [type: string, status: string, reason: string, change: Change | string];

const CONDITIONS: readonly Row[] = [
  ['Valid', 'True', 'ValidationSucceeded', GOOD],
  ['Valid', 'False', 'ValidationFailed', found('/spec/replica')],
  ['PodTemplateSpecValid', 'True', 'PodTemplateSpecValid', GOOD],
  ['PodTemplateSpecValid', 'False', 'InvalidPodTemplateSpec', found('/spec/podTemplateSpec')],
  ['GroupRefValidated', 'True', 'GroupRefValid', GOOD],
  ['GroupRefValidated', 'False', 'GroupRefNotFound', missing('/spec/groupRef')],
  ['GroupRefValidated', 'False', 'GroupRefNotReady', broken('MCPGroup')],
  ['CompositeToolRefsValidated', 'True', 'CompositeToolRefsValid', GOOD],
  ['CompositeToolRefsValidated', 'False', 'CompositeToolRefNotFound', missing('/spec/config/compositeToolRefs')],
  ['CompositeToolRefsValidated', 'False', 'CompositeToolRefInvalid', broken('VirtualMCPCompositeToolDefinition')],
  [
    'EmbeddingServerReady',
    'True',
    'EmbeddingServerReady',
    embedding({ phase: 'Ready', readyReplicas: 1 } as NonNullable<GatewayStatusInput['embedding']>['status']),
  ],
  ['EmbeddingServerReady', 'False', 'EmbeddingServerNotFound', embedding(undefined)],
  [
    'EmbeddingServerReady',
    'False',
    'EmbeddingServerNotReady',
    embedding({ phase: 'Pending' } as NonNullable<GatewayStatusInput['embedding']>['status']),
  ],
  ['AuthServerConfigValidated', 'True', 'AuthServerConfigValid', GOOD],
  ['AuthServerConfigValidated', 'False', 'AuthServerConfigInvalid', found('/spec/authServerConfig')],
  ['AuthServerConfigValidated', 'False', 'AuthzRequiresUpstream', OTHER_REASON],
  ['AuthServerConfigValidated', 'False', 'AuthzUpstreamUnknown', found('/spec/incomingAuth', { code: 'LNT4011' })],
  ['AuthServerConfigValidated', 'False', 'AuthzPrimaryProviderRequiresAuthServer', OTHER_REASON],
  ['AuthzUpstreamSelectionWarning', 'True', 'AuthzUpstreamAutoSelected', advised('LNT4012')],
  ['IdentitySynthesized', 'True', 'OAuth2UpstreamWithoutUserInfo', advised('LNT4023')],
  ['IdentitySynthesized', 'False', 'AllUpstreamsHaveUserInfo', GOOD],
  ['SessionStorageWarning', 'True', 'SessionStorageMissingForReplicas', advised('LNT4016')],
  ['SessionStorageWarning', 'False', 'SessionStorageConfigured', plain({ sessionStorage: { provider: 'redis' } })],
  ['SessionStorageWarning', 'False', 'SessionStorageWarningNotApplicable', GOOD],
  ['AuthConfigured', 'True', 'AuthValid', GOOD],
  ['AuthConfigured', 'False', 'AuthInvalid', found('/spec/outgoingAuth')],
  ['AuthConfigured', 'False', 'AuthzConfigMapNotFound', missing('/spec/incomingAuth/authzConfig/configMap')],
  ['AuthConfigured', 'False', 'AuthzConfigMapInvalid', broken('ConfigMap')],
  ['OIDCConfigRefValidated', 'True', 'OIDCConfigRefValid', GOOD],
  ['OIDCConfigRefValidated', 'False', 'OIDCConfigRefNotFound', missing('/spec/incomingAuth/oidcConfigRef')],
  ['OIDCConfigRefValidated', 'False', 'OIDCConfigRefNotValid', broken('MCPOIDCConfig')],
  ['OIDCConfigRefValidated', 'False', 'OIDCConfigRefError', NOTHING_IS_FETCHED],
  ['AuthzConfigRefValidated', 'True', 'AuthzConfigRefValid', GOOD],
  ['AuthzConfigRefValidated', 'False', 'AuthzConfigRefNotFound', missing('/spec/incomingAuth/authzConfigRef')],
  ['AuthzConfigRefValidated', 'False', 'AuthzConfigRefNotValid', broken('MCPAuthzConfig')],
  ['AuthzConfigRefValidated', 'False', 'AuthzConfigRefError', NOTHING_IS_FETCHED],
  ['TelemetryConfigRefValidated', 'True', 'TelemetryConfigRefValid', GOOD],
  ['TelemetryConfigRefValidated', 'False', 'TelemetryConfigRefNotFound', missing('/spec/telemetryConfigRef')],
  ['TelemetryConfigRefValidated', 'False', 'TelemetryConfigRefInvalid', broken('MCPTelemetryConfig')],
  ['TelemetryConfigRefValidated', 'False', 'TelemetryConfigRefFetchError', NOTHING_IS_FETCHED],
  ['DefaultAuthConfig', 'True', 'ConversionSucceeded', ONE_FOR_ALL],
  ['DefaultAuthConfig', 'False', 'ConversionFailed', ONE_FOR_ALL],
  ['DefaultAuthConfig', 'False', 'AmbiguousSubjectProvider', ONE_FOR_ALL],
  ['BackendAuthConfig-', 'False', 'EnterpriseRequired', ONE_FOR_ALL],
  ['DiscoveredAuthConfig-', 'False', 'EnterpriseRequired', ONE_FOR_ALL],
  ['Ready', 'True', 'DeploymentReady', GOOD],
  ['Ready', 'False', 'DeploymentFailed', unready({ isStuck: true, problem: 'CrashLoopBackOff' })],
  ['Ready', 'False', 'DeploymentNotReady', unready({})],
  ['Ready', 'False', 'BackendsUnavailable', pods('unavailable')],
  ['Ready', 'False', 'BackendsDegraded', pods('ready', 'degraded')],
  ['Ready', 'False', 'BackendsUnknown', pods('unknown')],
  [
    'Ready',
    'False',
    'AuthServerConfigInvalid',
    {
      ...{ deployment: undefined, pods: [] },
      compiled: { ...found('/spec/authServerConfig/issuer').compiled, digest: null },
    },
  ],
  ['Ready', 'True', 'AllBackendsRoutable', ONE_WRITER],
  ['Ready', 'False', 'SomeBackendsUnhealthy', ONE_WRITER],
  ['Ready', 'False', 'NoRoutableBackends', ONE_WRITER],
  ['Ready', 'False', 'BackendsPending', ONE_WRITER],
  ['Ready', 'False', 'BackendsUnhealthy', ONE_WRITER],
  ['BackendsDiscovered', 'True', 'BackendsDiscovered', GOOD],
  ['Degraded', 'True', 'BackendsDegraded', pods('ready', 'degraded')],
];

const SOURCES = globSync('{controller,runtime}/**/*.ts').map(file => readFileSync(file, 'utf8'));
/** A name that ends with a dash stands for one condition per backend. */
const isWritten = (name: string) => SOURCES.some(text => text.includes(`'${name}'`) || text.includes(`\`${name}$`));

test.each(CONDITIONS)(
  'the status of a gateway can have the condition %s=%s %s, unless the test lists the condition as unused',
  (type, status, reason, change) => {
    if (typeof change === 'string') {
      expect(isWritten(reason)).toBe(false);
      return;
    }
    const condition = statusOf(change).conditions?.find(one => one.type === type);
    expect(condition && [condition.status, condition.reason]).toEqual([status, reason]);
  },
);

test('the status of a gateway has no condition about an optional field that its spec does not set', () => {
  const types = statusOf({ spec: { groupRef: { name: 'tools' } } as VirtualMCPServerSpec }).conditions?.map(
    ({ type }) => type,
  );
  for (const [type] of CONDITIONS.filter(([name]) => /Ref|Template|AuthServer|Embedding|Selection|Synthes/.test(name)))
    if (type !== 'GroupRefValidated') expect(types).not.toContain(type);
});

test.each<[situation: string, change: Change, phase: string, message: RegExp]>([
  ['no backends', pods(), 'Ready', /^Ready, no backends configured$/],
  [
    'backends that are not checked yet',
    pods('unknown', 'unknown'),
    'Pending',
    /^Waiting for initial health checks \(2 backends/,
  ],
  ['healthy backends', pods('ready', 'ready'), 'Ready', /^All 2 backends healthy$/],
  [
    'a backend that requires credentials',
    pods('ready', 'unauthenticated'),
    'Ready',
    /^1 backend healthy, 1 requiring authentication$/,
  ],
  ['no backend that gets requests', pods('unavailable', 'unknown'), 'Failed', /^No routable backends \(0 degraded, 1/],
  [
    'a backend that gets no requests',
    pods('ready', 'unavailable', 'degraded'),
    'Degraded',
    /^1\/3 backends routable \(/,
  ],
  ['only a degraded backend', pods('degraded'), 'Degraded', /^0\/1 backends routable/],
  ['a pod that cannot start', unready({ isStuck: true, problem: 'x' }), 'Failed', /^No ready pods; eng-1: x$/],
  ['no ready pod', unready({}), 'Pending', /^Waiting for ready pods$/],
  ['an embedding server that is not ready', embedding({ phase: 'Pending' } as never), 'Pending', /mini is Pending/],
  ['a missing embedding server', embedding(undefined), 'Failed', /^EmbeddingServer mini does not exist$/],
])('the phase of a gateway is right with %s', (_, change, phase, message) => {
  const status = statusOf(change);
  expect(status.phase).toBe(phase);
  expect(status.message).toMatch(message);
});
