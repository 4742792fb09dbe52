import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VirtualMCPServerSpec, VirtualMCPServerStatus } from '#schemas';
import type { FoundDiagnostic } from '../../../../controller/compile/index.ts';
import type { PodBackend, PodReport } from '../../../../controller/pods/index.ts';
import type { UnitState } from '../../../../controller/reconcile/index.ts';
import {
  areStatusesEqual,
  type CompileObservation,
  GATEWAY_CONDITIONS,
  type GatewayStatusInput,
  gatewayStatus,
  ownGatewayStatus,
  registryStatus,
} from '../../../../controller/status/index.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { runs } from '../../../support/runs.ts';
import { StatusInvariants } from '../../../support/status-invariants.ts';

const NEW = `sha256:${'b'.repeat(64)}`;
const OLD = `sha256:${'a'.repeat(64)}`;
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const SPEC = { groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' } } as VirtualMCPServerSpec;
const COMPILED: CompileObservation = {
  digest: NEW,
  revision: 'main@sha1:1',
  isGood: true,
  diagnostics: [],
  configHashes: {},
  statusReportingIntervalMs: 30_000,
  backends: [],
};
const UNIT: UnitState = { kind: 'gateway', namespace: 'a', name: 'eng', digest: NEW };
const ERROR: FoundDiagnostic = {
  code: 'LNT1003',
  severity: 'error',
  message: 'unknown field "x"',
  file: 'a.yaml',
  line: 3,
};

function backend(status: PodBackend['status'], name = 'api'): PodBackend {
  return {
    name,
    status,
    message: '',
    lastHealthCheck: '2026-01-01T00:00:00Z',
    consecutiveFailures: 0,
    mcpRevision: null,
    circuitBreakerState: null,
    circuitLastChanged: null,
  };
}

function pod(more: Partial<PodReport> = {}): PodReport {
  return {
    name: 'eng-1',
    uid: 'u',
    isReady: true,
    templateDigest: NEW,
    digest: NEW,
    refused: null,
    problem: null,
    isStuck: false,
    failsRequests: false,
    backends: [],
    ...more,
  };
}

/** One ready pod with these backends; sorted names. */
const serving = (...statuses: readonly PodBackend['status'][]) => [
  pod({ backends: statuses.map((status, index) => backend(status, `b${index}`)) }),
];

function facts(more: Partial<GatewayStatusInput> = {}): GatewayStatusInput {
  return {
    generation: 1,
    now: at(0),
    url: 'http://vmcp-eng.a.svc.cluster.local:4483',
    compiled: COMPILED,
    unit: UNIT,
    deployment: { replicas: 1 },
    pods: [pod()],
    spec: SPEC,
    ...more,
  };
}

const condition = (status: { readonly conditions?: VirtualMCPServerStatus['conditions'] }, type: string) => {
  const one = status.conditions?.find(other => other.type === type);
  return one && `${one.status} ${one.reason}: ${one.message}`;
};

describe('phase, message and Ready', () => {
  test.each<[name: string, more: Partial<GatewayStatusInput>, phase: string, message: string, ready: string]>([
    ['no backends', { pods: serving() }, 'Ready', 'Ready, no backends configured', 'True DeploymentReady'],
    ['all ready', { pods: serving('ready', 'ready') }, 'Ready', 'All 2 backends healthy', 'True DeploymentReady'],
    [
      'some want credentials',
      { pods: serving('ready', 'unauthenticated') },
      'Ready',
      '1 backend healthy, 1 requiring authentication',
      'True DeploymentReady',
    ],
    [
      'none checked yet',
      { pods: serving('unknown', 'unknown') },
      'Pending',
      'Waiting for initial health checks (2 backends configured)',
      'False BackendsUnknown',
    ],
    [
      'some away',
      { pods: serving('ready', 'unavailable') },
      'Degraded',
      '1/2 backends routable (0 degraded, 1 unavailable, 0 unknown)',
      'False BackendsDegraded',
    ],
    [
      'some away while partialFailureMode is fail',
      { pods: serving('ready', 'unavailable').map(one => ({ ...one, failsRequests: true })) },
      'Failed',
      'Requests fail (partialFailureMode is fail): 1/2 backends routable (0 degraded, 1 unavailable, 0 unknown)',
      'False BackendsUnavailable',
    ],
    [
      'some away on one of two pods while partialFailureMode is fail',
      {
        pods: [
          ...serving('ready', 'ready'),
          ...serving('ready', 'unavailable').map(one => ({ ...one, name: 'eng-2', failsRequests: true })),
        ],
      },
      'Degraded',
      'Requests fail on 1 of 2 pods (partialFailureMode is fail): 1/2 backends routable (1 degraded, 0 unavailable, 0 unknown)',
      'False BackendsDegraded',
    ],
    [
      'none checked yet while partialFailureMode is fail',
      { pods: serving('unknown').map(one => ({ ...one, failsRequests: true })) },
      'Pending',
      'Waiting for initial health checks (1 backend configured)',
      'False BackendsUnknown',
    ],
    [
      'one backend, which is slow and serves',
      { pods: serving('degraded') },
      'Degraded',
      '0/1 backends routable (1 degraded, 0 unavailable, 0 unknown)',
      'False BackendsDegraded',
    ],
    [
      'none serves',
      { pods: serving('unavailable', 'unknown') },
      'Failed',
      'No routable backends (0 degraded, 1 unavailable, 1 unknown)',
      'False BackendsUnavailable',
    ],
    ['no pods', { pods: [] }, 'Pending', 'Waiting for ready pods', 'False DeploymentNotReady'],
    [
      'pods that start',
      { pods: [pod({ isReady: false, problem: 'the pod is being created' })] },
      'Pending',
      'Waiting for ready pods; eng-1: the pod is being created',
      'False DeploymentNotReady',
    ],
    [
      'pods that never will',
      {
        pods: [
          pod({ name: 'eng-0', isReady: false }),
          pod({ isReady: false, isStuck: true, problem: 'image x cannot be pulled' }),
        ],
      },
      'Failed',
      'No ready pods; eng-1: image x cannot be pulled',
      'False DeploymentFailed',
    ],
    [
      'a pod that never will, next to one that serves',
      { pods: [...serving('ready'), pod({ name: 'eng-2', isReady: false, isStuck: true, problem: 'no' })] },
      'Ready',
      '1 backend healthy',
      'True DeploymentReady',
    ],
    [
      'scaled to zero',
      { pods: [], deployment: { replicas: 0 } },
      'Pending',
      'Scaled to zero',
      'False DeploymentNotReady',
    ],
    [
      'no Deployment yet',
      { pods: [], deployment: undefined },
      'Pending',
      'Waiting for its Deployment',
      'False DeploymentNotReady',
    ],
    [
      'nobody deploys it',
      { pods: [], deployment: undefined, unit: undefined },
      'Pending',
      'No GatewaySource deploys it yet',
      'False DeploymentNotReady',
    ],
    [
      'broken from the start',
      {
        pods: [],
        deployment: undefined,
        unit: undefined,
        compiled: { ...COMPILED, digest: null, diagnostics: [ERROR] },
      },
      'Failed',
      'a.yaml:3: LNT1003: unknown field "x"',
      'False CompilationFailed',
    ],
    [
      'broken now, while the former bundle serves',
      { pods: serving('ready'), compiled: { ...COMPILED, digest: null, isGood: false, diagnostics: [ERROR] } },
      'Ready',
      '1 backend healthy',
      'True DeploymentReady',
    ],
    [
      'ready pods that tell nothing',
      { pods: [pod({ digest: null, problem: 'http://10.0.0.1:8081/status: no answer' })] },
      'Pending',
      'no ready pod tells its state; eng-1: http://10.0.0.1:8081/status: no answer',
      'Unknown BackendsUnknown',
    ],
  ])('%s', (_, more, phase, message, ready) => {
    const status = gatewayStatus(facts(more));
    expect(status).toMatchObject({ phase, message });
    expect(condition(status, 'Ready')).toBe(`${ready}: ${message}`);
  });

  test('the phase stays while no pod reports', () => {
    const before = gatewayStatus(facts({ pods: serving('ready', 'unavailable') }));
    const silent = gatewayStatus(facts({ pods: [pod({ digest: null })] }), before);
    expect(silent).toMatchObject({ phase: 'Degraded', backendCount: 1, discoveredBackends: before.discoveredBackends });
  });
});

describe('BundleActive and Compiled', () => {
  const on = (digest: string | null, name: string, more: Partial<PodReport> = {}) => pod({ name, digest, ...more });

  test.each<[name: string, more: Partial<GatewayStatusInput>, expected: string]>([
    ['every pod', { pods: [on(NEW, 'p1'), on(NEW, 'p2')] }, `True Active: 2 of 2 ready pods serve ${NEW}`],
    [
      'not every pod',
      { pods: [on(NEW, 'p1'), on(OLD, 'p2')] },
      `False RolloutProgressing: 1 of 2 ready pods serve ${NEW}`,
    ],
    [
      'a pod that is not ready does not count',
      { pods: [on(NEW, 'p1'), on(OLD, 'p2', { isReady: false })] },
      `True Active: 1 of 1 ready pods serve ${NEW}`,
    ],
    [
      'a pod that says nothing does not serve it',
      { pods: [on(NEW, 'p1'), on(null, 'p2', { problem: 'no answer' })] },
      `False RolloutProgressing: 1 of 2 ready pods serve ${NEW}; p2: no answer`,
    ],
    ['no pod', { pods: [] }, 'False NoReadyPods: no pod is ready'],
    ['nobody deploys it', { unit: undefined }, 'False NotDeployed: no GatewaySource deploys it yet'],
    [
      'refused',
      { pods: [on(OLD, 'p1'), on(null, 'p2', { isReady: false, refused: 'format version 2' })] },
      `False BundleRejected: pod p2 refuses ${NEW}: format version 2`,
    ],
    [
      'put back',
      {
        unit: { ...UNIT, digest: OLD, heldDigest: NEW, message: 'format version 2' },
        pods: [on(OLD, 'p1')],
      },
      `False BundleRejected: ${NEW} was put aside: format version 2; 1 of 1 ready pods serve ${OLD}`,
    ],
    [
      'put back because it did not become healthy, with the reason that its source has',
      {
        unit: { ...UNIT, digest: OLD, heldDigest: NEW, message: 'HealthCheckFailed: not healthy after 300 s' },
        pods: [on(OLD, 'p1')],
      },
      `False HealthCheckFailed: ${NEW} was put aside: HealthCheckFailed: not healthy after 300 s; 1 of 1 ready pods serve ${OLD}`,
    ],
    [
      'compiled, and not applied yet',
      { unit: { ...UNIT, digest: OLD }, pods: [on(OLD, 'p1')] },
      `False RolloutProgressing: ${NEW} of main@sha1:1 is being applied; 1 of 1 ready pods serve ${OLD}`,
    ],
    [
      'held back by a neighbour',
      { unit: { ...UNIT, digest: OLD }, pods: [on(OLD, 'p1')], compiled: { ...COMPILED, isGood: false } },
      `False RolloutProgressing: ${NEW} of main@sha1:1 is not applied, since its revision has errors elsewhere; 1 of 1 ready pods serve ${OLD}`,
    ],
    ['not compiled since the start', { compiled: undefined }, `True Active: 1 of 1 ready pods serve ${NEW}`],
  ])('%s', (_, more, expected) => {
    expect(condition(gatewayStatus(facts(more), { observedGeneration: 1 }), 'BundleActive')).toBe(expected);
  });

  test.each<[name: string, compiled: CompileObservation | undefined, expected: string | undefined]>([
    ['a bundle', COMPILED, `True Succeeded: ${NEW}`],
    [
      'none',
      { ...COMPILED, digest: null, diagnostics: [ERROR, ERROR] },
      'False CompilationFailed: a.yaml:3: LNT1003: unknown field "x" (+1 more) (main@sha1:1)',
    ],
    ['not known', undefined, undefined],
  ])('Compiled: %s', (_, compiled, expected) => {
    expect(condition(gatewayStatus(facts({ compiled }), { observedGeneration: 1 }), 'Compiled')).toBe(expected);
  });
});

describe('the other fields', () => {
  test('all of them', () => {
    const compiled = {
      ...COMPILED,
      configHashes: { MCPOIDCConfig: 'sha256:o', MCPAuthzConfig: 'sha256:z', MCPTelemetryConfig: 'sha256:t' },
      backends: [{ name: 'b0', url: 'https://api.example.com/mcp', authType: 'unauthenticated' }],
    };
    expect(
      gatewayStatus(facts({ generation: 7, compiled, pods: serving('unauthenticated', 'degraded', 'ready') })),
    ).toMatchObject({
      url: 'http://vmcp-eng.a.svc.cluster.local:4483',
      backendCount: 2,
      observedGeneration: 7,
      oidcConfigHash: 'sha256:o',
      authzConfigHash: 'sha256:z',
      telemetryConfigHash: 'sha256:t',
      discoveredBackends: [{ name: 'b0', url: 'https://api.example.com/mcp' }, { name: 'b1' }, { name: 'b2' }],
    });
  });

  test('what the compiler knows of backends stays while the newest spec is broken, and details stay rare', () => {
    const backends = [{ name: 'b0', url: 'https://api.example.com/mcp', authType: 'unauthenticated' }];
    const before = gatewayStatus(facts({ compiled: { ...COMPILED, backends }, pods: serving('ready') }));
    const broken = { ...COMPILED, digest: null, diagnostics: [ERROR], backends: [], statusReportingIntervalMs: 0 };
    const later = [{ ...backend('ready', 'b0'), lastHealthCheck: '2026-01-01T00:00:09Z' }];
    const after = gatewayStatus(facts({ compiled: broken, pods: [pod({ backends: later })] }), before);
    expect(after.discoveredBackends).toEqual(before.discoveredBackends);
  });

  test('a hash goes with its reference', () => {
    const before = gatewayStatus(facts({ compiled: { ...COMPILED, configHashes: { MCPOIDCConfig: 'sha256:o' } } }));
    expect(before.oidcConfigHash).toBe('sha256:o');
    expect(gatewayStatus(facts(), before)).not.toHaveProperty('oidcConfigHash');
  });

  test('Degraded is there while a backend is, and names it', () => {
    const degraded = gatewayStatus(facts({ pods: serving('ready', 'degraded') }));
    expect(condition(degraded, 'Degraded')).toBe('True BackendsDegraded: b1');
    expect(condition(gatewayStatus(facts({ pods: serving('ready', 'ready') }), degraded), 'Degraded')).toBeUndefined();
  });

  test('pods of the former bundle have no say on backends once one runs the new one', () => {
    const pods = [
      pod({ name: 'p1', digest: OLD, backends: [backend('unavailable', 'former')] }),
      pod({ name: 'p2', digest: NEW, backends: [backend('ready', 'api')] }),
    ];
    expect(gatewayStatus(facts({ pods })).discoveredBackends?.map(({ name }) => name)).toEqual(['api']);
  });
});

describe('after a restart, before anything was compiled', () => {
  const compiled = {
    ...COMPILED,
    digest: null,
    isGood: false,
    diagnostics: [ERROR],
    configHashes: { MCPOIDCConfig: 'sha256:o' },
    backends: [{ name: 'b0', url: 'https://api.example.com/mcp', authType: 'token_exchange', authConfigRef: 'x' }],
  };
  const before = gatewayStatus(facts({ compiled, pods: serving('ready') }));

  test('conditions from the compiler stay, and those from the pods are reported', () => {
    const after = gatewayStatus(facts({ compiled: undefined, pods: serving('unavailable') }), before);
    const types = (status: VirtualMCPServerStatus) => status.conditions?.map(({ type }) => type);
    expect(types(after)).toEqual(types(before));
    expect(condition(after, 'Valid')).toBe(condition(before, 'Valid'));
    expect(after).toMatchObject({
      phase: 'Failed',
      oidcConfigHash: 'sha256:o',
      discoveredBackends: [
        { name: 'b0', url: 'https://api.example.com/mcp', authConfigRef: 'x', status: 'unavailable' },
      ],
    });
  });

  test('nothing is said about a generation that was never compiled', () => {
    expect(gatewayStatus(facts({ compiled: undefined, generation: 2 }), before)).toEqual(before);
    expect(gatewayStatus(facts({ compiled: undefined }), {})).toEqual({});
  });
});

test('a commit that changes nothing here makes no write', () => {
  const before = gatewayStatus(facts({ pods: serving('ready') }));
  const later = facts({ now: at(59), compiled: { ...COMPILED, revision: 'main@sha1:2' }, pods: serving('ready') });
  expect(areStatusesEqual(gatewayStatus(later, before), before)).toBe(true);
});

test('conditions of others are left to them', () => {
  const other = { ...(gatewayStatus(facts()).conditions?.[0] as object), type: 'example.com/Audited' };
  const live = {
    ...gatewayStatus(facts()),
    conditions: [...(gatewayStatus(facts()).conditions ?? []), other],
  } as VirtualMCPServerStatus;
  const desired = gatewayStatus(facts(), live);
  expect(desired.conditions?.map(({ type }) => type)).not.toContain('example.com/Audited');
  expect(areStatusesEqual(ownGatewayStatus(live), desired)).toBe(true);
});

/** Whatever is observed, in whatever order: the invariants hold, no type is unknown, and the same facts again change nothing. */
test('invariants hold', () => {
  const status = fc.constantFrom('ready', 'degraded', 'unavailable', 'unauthenticated', 'unknown');
  const digest = fc.constantFrom(OLD, NEW);
  const aPod = fc.record({
    isReady: fc.boolean(),
    digest: fc.option(digest),
    refused: fc.option(fc.string({ unit: anyCharacter })),
    problem: fc.option(fc.string({ unit: anyCharacter })),
    isStuck: fc.boolean(),
    failsRequests: fc.boolean(),
    backends: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b', 'c'), status }), {
      selector: ({ name }) => name,
    }),
  });
  const diagnostic = fc.record({
    code: fc.constantFrom('LNT2001', 'LNT4016', 'LNT4023', 'LNT4012', 'LNT1046'),
    severity: fc.constantFrom('error', 'warning', 'hint'),
    message: fc.string({ unit: anyCharacter }),
    pointer: fc.constantFrom('/spec/groupRef/name', '/spec/podTemplateSpec', '/spec/incomingAuth/oidcConfigRef', ''),
  });
  const step = fc.record({
    newGeneration: fc.boolean(),
    second: fc.nat({ max: 59 }),
    compiled: fc.option(
      fc.record({
        digest: fc.option(digest),
        isGood: fc.boolean(),
        diagnostics: fc.array(diagnostic, { maxLength: 4 }),
      }),
    ),
    unit: fc.option(fc.record({ digest, heldDigest: fc.option(digest, { nil: undefined }) })),
    deployment: fc.option(fc.record({ replicas: fc.nat({ max: 3 }) })),
    pods: fc.array(aPod, { maxLength: 3 }),
    spec: fc.constantFrom(SPEC, {
      ...SPEC,
      authServerConfig: {},
      podTemplateSpec: {},
    } as unknown as VirtualMCPServerSpec),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), steps => {
      const invariants = new StatusInvariants();
      let generation = 1;
      let before: VirtualMCPServerStatus = {};
      for (const { newGeneration, second, compiled, unit, deployment, pods, spec } of steps) {
        if (newGeneration) generation += 1;
        const found = facts({
          generation,
          now: at(second),
          compiled: compiled === null ? undefined : ({ ...COMPILED, ...compiled } as CompileObservation),
          unit: unit === null ? undefined : ({ ...UNIT, ...unit } as UnitState),
          deployment: deployment ?? undefined,
          pods: pods.map((one, index) =>
            pod({
              ...one,
              name: `p${index}`,
              backends: one.backends.map(({ name, status: is }) => backend(is as 'ready', name)),
            }),
          ),
          spec,
        });
        before = gatewayStatus(found, before);
        expect(areStatusesEqual(gatewayStatus(found, before), before)).toBe(true);
        for (const { type } of before.conditions ?? []) expect(GATEWAY_CONDITIONS).toContain(type);
        invariants.inputChanged();
        invariants.see({
          apiVersion: 'lintel.dev/v1beta1',
          kind: 'VirtualMCPServer',
          metadata: { name: 'eng', namespace: 'a', generation },
          status: before,
        });
      }
      expect(invariants.violations).toEqual([]);
    }),
    { seed: 20261122, numRuns: runs(300) },
  );
});

describe('registry servers', () => {
  const registry = (more: object = {}) =>
    registryStatus({ ...facts({ unit: { ...UNIT, kind: 'registry' } }), isTerminating: false, ...more });

  test.each<[name: string, more: object, phase: string, ready: string]>([
    ['ready', {}, 'Ready', 'True Ready: 1 ready pod'],
    ['two of three', { pods: [pod(), pod(), pod({ isReady: false })] }, 'Ready', 'True Ready: 2 ready pods'],
    [
      'starting',
      { pods: [pod({ isReady: false, problem: 'p' })] },
      'Pending',
      'False NotReady: Waiting for ready pods; eng-1: p',
    ],
    [
      'stuck',
      { pods: [pod({ isReady: false, isStuck: true, problem: 'p' })] },
      'Failed',
      'False NotReady: No ready pods; eng-1: p',
    ],
    ['going', { isTerminating: true }, 'Terminating', 'False NotReady: Being deleted'],
  ])('%s', (_, more, phase, ready) => {
    const status = registry(more);
    expect(status.phase).toBe(phase);
    expect(condition(status, 'Ready')).toBe(ready);
  });

  test('all fields', () => {
    expect(registry()).toEqual({
      phase: 'Ready',
      message: '1 ready pod',
      url: 'http://vmcp-eng.a.svc.cluster.local:4483',
      readyReplicas: 1,
      observedGeneration: 1,
      conditions: ['Ready', 'BundleActive', 'Compiled'].map(type => expect.objectContaining({ type, status: 'True' })),
    });
  });

  test('is as its CRD has it', () => {
    const invariants = new StatusInvariants();
    invariants.see({
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'MCPRegistry',
      metadata: { name: 'r', namespace: 'a', generation: 1 },
      status: registry(),
    });
    expect(invariants.violations).toEqual([]);
  });
});
