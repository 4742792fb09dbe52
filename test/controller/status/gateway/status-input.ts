/** Observations of a healthy gateway, which tests of its status vary. */
import type { VirtualMCPServerSpec, VirtualMCPServerStatus } from '#schemas';
import type { FoundDiagnostic } from '../../../../controller/compile/index.ts';
import type { PodBackend, PodReport } from '../../../../controller/pods/index.ts';
import type { CompileObservation, GatewayStatusInput, UnitState } from '../../../../controller/status/index.ts';

export const NEW = `sha256:${'b'.repeat(64)}`;
export const OLD = `sha256:${'a'.repeat(64)}`;
export const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
export const SPEC = { groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' } } as VirtualMCPServerSpec;
export const COMPILED: CompileObservation = {
  digest: NEW,
  revision: 'main@sha1:1',
  isGood: true,
  diagnostics: [],
  configHashes: {},
  statusReportingIntervalMs: 30_000,
  backends: [],
};
export const UNIT: UnitState = { kind: 'gateway', namespace: 'a', name: 'eng', digest: NEW };
export const ERROR: FoundDiagnostic = {
  code: 'LNT1003',
  severity: 'error',
  message: 'unknown field "x"',
  file: 'a.yaml',
  line: 3,
};

export function backend(status: PodBackend['status'], name = 'api'): PodBackend {
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

export function pod(more: Partial<PodReport> = {}): PodReport {
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
export const serving = (...statuses: readonly PodBackend['status'][]) => [
  pod({ backends: statuses.map((status, index) => backend(status, `b${index}`)) }),
];

export function statusInput(more: Partial<GatewayStatusInput> = {}): GatewayStatusInput {
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

export const condition = (status: { readonly conditions?: VirtualMCPServerStatus['conditions'] }, type: string) => {
  const one = status.conditions?.find(other => other.type === type);
  return one && `${one.status} ${one.reason}: ${one.message}`;
};
