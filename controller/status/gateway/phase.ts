/**
 * Phase, message and `Ready` of a gateway. They describe what clients currently get: an error in a newer revision affects them only if no
 * earlier revision serves, because the pods keep their bundle.
 */
import type { DiscoveredBackend, VirtualMCPServerStatus } from '#schemas';
import type { PodReport } from '../../pods/index.ts';
import { formatDiagnostics } from '../diagnostics-text.ts';
import { listReadyPods, type UntimedCondition, type WorkloadStatusInput } from './status-input.ts';

export interface PhaseResult {
  readonly phase: NonNullable<VirtualMCPServerStatus['phase']>;
  readonly message: string;
  readonly ready: UntimedCondition;
}

/**
 * The phase of a gateway.
 * @param backends - merged from the pods; undefined when no pod answered
 * @param answered - the pods that answered
 */
export function computePhase(
  input: WorkloadStatusInput,
  backends: readonly DiscoveredBackend[] | undefined,
  answered: readonly Pick<PodReport, 'failsRequests'>[],
  before: VirtualMCPServerStatus,
): PhaseResult {
  const ready = listReadyPods(input.pods);
  if (ready.length === 0) return withoutReadyPods(input);
  if (backends === undefined) {
    // No pod reports which bundle it serves: the phase stays until one does.
    const silent = ready.find(({ problem }) => problem !== null);
    const message = `no ready pod reports its state${silent ? `; ${silent.name}: ${silent.problem}` : ''}`;
    return createPhase(before.phase ?? 'Pending', message, 'Unknown', 'BackendsUnknown');
  }
  return computeBackendPhase(backends, answered);
}

/** The phase while no pod serves: intentionally, not yet, or because of a failure. */
export function withoutReadyPods({ compiled, unit, deployment, pods }: WorkloadStatusInput): PhaseResult {
  if (deployment === undefined && compiled?.digest === null) {
    const message = formatDiagnostics(compiled.diagnostics) ?? 'the compiler built no bundle';
    return createPhase('Failed', message, 'False', formatFaultReason(compiled.diagnostics));
  }
  if (deployment === undefined) {
    const message = unit === undefined ? 'No GatewaySource deploys it yet' : 'Waiting for its Deployment';
    return createPhase('Pending', message, 'False', 'DeploymentNotReady');
  }
  if (deployment.replicas === 0) return createPhase('Pending', 'Scaled to zero', 'False', 'DeploymentNotReady');
  const stuck = pods.find(({ isStuck }) => isStuck);
  if (stuck !== undefined) {
    return createPhase('Failed', `No ready pods; ${stuck.name}: ${stuck.problem}`, 'False', 'DeploymentFailed');
  }
  const starting = pods.find(({ problem }) => problem !== null);
  const detail = starting === undefined ? '' : `; ${starting.name}: ${starting.problem}`;
  return createPhase('Pending', `Waiting for ready pods${detail}`, 'False', 'DeploymentNotReady');
}

/** Backends that get requests: ready ones, and those that require the caller's own credentials. */
export function countRoutable(backends: readonly DiscoveredBackend[]): number {
  return backends.filter(({ status }) => status === 'ready' || status === 'unauthenticated').length;
}

function computeBackendPhase(
  backends: readonly DiscoveredBackend[],
  answered: readonly Pick<PodReport, 'failsRequests'>[],
): PhaseResult {
  const total = backends.length;
  const of = (expectedStatus: DiscoveredBackend['status']) =>
    backends.filter(({ status }) => status === expectedStatus).length;
  const [healthy, asking, slow, away, unknown] = [
    of('ready'),
    of('unauthenticated'),
    of('degraded'),
    of('unavailable'),
    of('unknown'),
  ];
  if (total === 0) return createPhase('Ready', 'Ready, no backends configured', 'True', 'DeploymentReady');
  if (unknown === total) {
    const message = `Waiting for initial health checks (${formatCount(total)} configured)`;
    return createPhase('Pending', message, 'False', 'BackendsUnknown');
  }
  const failing = answered.filter(({ failsRequests }) => failsRequests).length;
  const rest = `${slow} degraded, ${away} unavailable, ${unknown} unknown`;
  if (failing > 0) {
    const isEverywhere = failing === answered.length;
    const where = isEverywhere ? 'Requests fail' : `Requests fail on ${failing} of ${answered.length} pods`;
    const message = `${where} (partialFailureMode is fail): ${healthy + asking}/${total} backends routable (${rest})`;
    return isEverywhere
      ? createPhase('Failed', message, 'False', 'BackendsUnavailable')
      : createPhase('Degraded', message, 'False', 'BackendsDegraded');
  }
  if (healthy + asking === total) {
    const message =
      asking === 0
        ? `${total === 1 ? '' : 'All '}${formatCount(total)} healthy`
        : `${formatCount(healthy)} healthy, ${asking} requiring authentication`;
    return createPhase('Ready', message, 'True', 'DeploymentReady');
  }
  // A degraded backend still serves, although it is not counted as routable.
  if (healthy + asking + slow === 0) {
    return createPhase('Failed', `No routable backends (${rest})`, 'False', 'BackendsUnavailable');
  }
  return createPhase(
    'Degraded',
    `${healthy + asking}/${total} backends routable (${rest})`,
    'False',
    'BackendsDegraded',
  );
}

function formatFaultReason(diagnostics: Parameters<typeof formatDiagnostics>[0]): string {
  const isAuthServer = diagnostics.some(
    ({ severity, pointer = '' }) => severity === 'error' && pointer.startsWith('/spec/authServerConfig'),
  );
  return isAuthServer ? 'AuthServerConfigInvalid' : 'CompilationFailed';
}

function createPhase(
  phase: PhaseResult['phase'],
  message: string,
  status: UntimedCondition['status'],
  reason: string,
): PhaseResult {
  return { phase, message, ready: { type: 'Ready', status, reason, message } };
}

function formatCount(count: number): string {
  return count === 1 ? '1 backend' : `${count} backends`;
}
