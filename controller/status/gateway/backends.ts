/** Merges the backend states of all pods of a gateway. */
import { compareText, type DiscoveredBackend } from '#schemas';
import type { UnitBackend } from '../../compile/index.ts';
import type { PodBackend, PodReport } from '../../pods/index.ts';
import { formatTimestamp } from '../timestamp.ts';

/** One pod's state of a backend. */
interface View {
  readonly pod: string;
  readonly backend: PodBackend;
}

/** States of a backend in which a pod's clients can use it. */
const SERVES: readonly PodBackend['status'][] = ['ready', 'degraded', 'unauthenticated'];

/** States of a backend, the worst first. */
const BAD_FIRST: readonly PodBackend['status'][] = ['unavailable', 'degraded', 'unauthenticated', 'ready', 'unknown'];

/**
 * One entry for each backend that any of the pods has, sorted by name.
 *
 * Clients reach any pod. So if all pods agree, their state is the status; if only some pods can use the backend, it is `degraded`, and the
 * message names a pod that cannot; if none can, it is the worst state. Pods that have not checked it yet are ignored if others have.
 *
 * @param pods - pods that get requests and answered
 * @param known - the compiler's data about the backends
 */
export function mergeBackends(
  pods: readonly Pick<PodReport, 'name' | 'backends'>[],
  known: readonly UnitBackend[],
): readonly DiscoveredBackend[] {
  const views = pods.flatMap(pod => pod.backends.map((backend): View => ({ pod: pod.name, backend })));
  return [...Map.groupBy(views, ({ backend }) => backend.name)]
    .map(([name, all]) => mergeViews(name, all, known))
    .sort((a, b) => compareText(a.name, b.name));
}

/** States of a circuit breaker, the one that blocks the most requests first. */
const CIRCUIT_STATES = ['open', 'half-open', 'closed'] as const;

function mergeViews(name: string, all: readonly View[], known: readonly UnitBackend[]): DiscoveredBackend {
  const checked = all.filter(({ backend }) => backend.status !== 'unknown');
  const views = checked.length === 0 ? all : checked;
  const serving = views.filter(({ backend }) => SERVES.includes(backend.status));
  const worst = views.toSorted((a, b) => rank(a) - rank(b))[0] as View;
  const { status, message, consecutiveFailures, mcpRevision } = worst.backend;
  const isSplit = serving.length > 0 && serving.length < views.length;
  const config = known.find(unitBackend => unitBackend.name === name);
  const last = views
    .flatMap(({ backend }) => backend.lastHealthCheck ?? [])
    .sort(compareByTime)
    .at(-1);
  const revision = mcpRevision ?? views.find(({ backend }) => backend.mcpRevision !== null)?.backend.mcpRevision ?? '';
  return {
    name,
    ...(config && { url: config.url, authType: config.authType }),
    ...(config?.authConfigRef !== undefined && { authConfigRef: config.authConfigRef }),
    status: isSplit ? 'degraded' : status,
    message: isSplit
      ? `serves on ${serving.length} of ${views.length} pods; ${worst.pod} reports ${status}${message && `: ${message}`}`
      : message,
    ...(last !== undefined && { lastHealthCheck: formatTimestamp(new Date(last)) }),
    consecutiveFailures,
    mcpRevision: revision,
    ...chooseCircuit(views.map(({ backend }) => backend)),
  };
}

/** The most restrictive state, because clients reach any pod, and the last time a pod entered it. Undefined when the breaker is off. */
function chooseCircuit(
  views: readonly PodBackend[],
): Pick<DiscoveredBackend, 'circuitBreakerState' | 'circuitLastChanged'> {
  const state = CIRCUIT_STATES.find(value => views.some(({ circuitBreakerState }) => circuitBreakerState === value));
  if (state === undefined) return {};
  const changed = views
    .flatMap(({ circuitBreakerState, circuitLastChanged }) =>
      circuitBreakerState === state && circuitLastChanged !== null ? [circuitLastChanged] : [],
    )
    .sort(compareByTime)
    .at(-1);
  return {
    circuitBreakerState: state,
    ...(changed !== undefined && { circuitLastChanged: formatTimestamp(new Date(changed)) }),
  };
}

function rank({ backend }: View): number {
  return BAD_FIRST.indexOf(backend.status);
}

function compareByTime(a: string, b: string): number {
  return Date.parse(a) - Date.parse(b);
}

/**
 * Returns the previous entries while only details differ and the interval has not passed: probes run every few seconds, and each status write wakes
 * all watchers.
 */
export function throttleBackends(
  now: readonly DiscoveredBackend[],
  before: readonly DiscoveredBackend[],
  intervalMs: number,
): readonly DiscoveredBackend[] {
  if (now.length !== before.length || !now.every((backend, index) => isSame(backend, before[index]))) return now;
  // The difference counts in both directions: after a clock was set back, details must not stay old until the clock catches up.
  return Math.abs(findNewestTime(now) - findNewestTime(before)) < intervalMs ? before : now;
}

function isSame(a: DiscoveredBackend, b: DiscoveredBackend | undefined): boolean {
  return (
    a.name === b?.name &&
    a.status === b.status &&
    a.circuitBreakerState === b.circuitBreakerState &&
    a.url === b.url &&
    a.authType === b.authType &&
    a.authConfigRef === b.authConfigRef
  );
}

function findNewestTime(backends: readonly DiscoveredBackend[]): number {
  return Math.max(0, ...backends.map(({ lastHealthCheck = '' }) => Date.parse(lastHealthCheck) || 0));
}
