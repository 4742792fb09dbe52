/** The conditions of a reconcile: its steps, and the state of the source. */
import type { Condition } from '#schemas';
import type { CompileOutcome } from '../compile/index.ts';
import {
  isRolledBack,
  readHoldReason,
  type SourceState,
  type SourceStatusInput,
  type StepCondition,
  type UnitState,
} from '../status/index.ts';
import type { Checkout, ObservedSource } from './context.ts';
import { formatReported } from './drift-text.ts';
import { toFailureState } from './failure.ts';
import { formatUnitKey } from './guards.ts';
import type { ReconcileError } from './reasons.ts';
import type { SyncResult } from './sync-result.ts';
import type { HealthResult } from './unit-states.ts';

type ConditionSteps = NonNullable<SourceStatusInput['steps']>;

/** Maximum number of named objects in a message. */
const MAX_NAMED = 5;

/** Characters of notes in a message: the API server refuses conditions with more than 32768. */
const MAX_NOTES = 2_000;

export function setSourceVerified(
  source: ObservedSource,
  tree: Checkout | undefined,
  error?: ReconcileError,
): ConditionSteps {
  if (source.spec.verify === undefined) return { SourceVerified: null };
  if (error?.reason === 'SignatureInvalid') {
    return { SourceVerified: { status: 'False', reason: error.reason, message: error.message } };
  }
  if (tree === undefined) return {};
  return {
    SourceVerified: {
      status: 'True',
      reason: 'Succeeded',
      message: `${tree.revision} is signed by ${tree.verifiedBy}`,
    },
  };
}

export function setCompiled(
  { revision }: Checkout,
  { programs, units, ignored }: CompileOutcome,
  refusal: ReconcileError | undefined,
): ConditionSteps {
  const rest = ignored === 0 ? '' : `, ${formatCount(ignored, 'foreign object')} left alone`;
  return {
    Compiled:
      refusal === undefined
        ? { status: 'True', reason: 'Succeeded', message: `${revision} has ${formatKinds(units)}${rest}` }
        : { status: 'False', reason: refusal.reason, message: `${revision}: ${refusal.message}` },
    ProgramsSkipped:
      programs.length === 0
        ? null
        : { status: 'True', reason: 'RenderRequired', message: formatProgramsMessage(programs) },
  };
}

/** @param problem from `ReconcileContext` */
export function setDefinitions(problem: string | null | undefined): ConditionSteps {
  if (typeof problem !== 'string') return { DefinitionsOutdated: problem };
  return { DefinitionsOutdated: { status: 'True', reason: 'DefinitionsOutdated', message: problem } };
}

/** Explains TypeScript programs in a repository. */
export function formatProgramsMessage(programs: readonly string[]): string {
  const [first, ...more] = programs;
  const named = more.length === 0 ? `${first} renders` : `${first} and ${more.length} more render`;
  return `${named} specs, and programs are never run here: render in CI and commit the YAML`;
}

/**
 * The conditions about what was done at the destination.
 * @param before the previous `Applied` condition: its notes stay until the controller checks the objects again that the notes are about
 */
export function syncConditions(
  { revision }: Checkout,
  synced: SyncResult,
  before: Condition | undefined,
): ConditionSteps {
  const { plan, drift = [], health, units } = synced;
  const back = units.filter(isRolledBack);
  const [firstBack] = back;
  return {
    Applied: plan && createAppliedCondition(revision, synced, before),
    Healthy: synced.knowsHealth === false ? null : plan && createHealthyCondition(health),
    DriftDetected:
      drift.length === 0
        ? null
        : {
            status: 'True',
            reason: 'DriftReported',
            message: `${formatCount(drift.length, 'object')} changed by other clients: ${formatList(drift.map(formatReported))}`,
          },
    RolledBack:
      firstBack === undefined
        ? null
        : {
            status: 'True',
            reason: readHoldReason(firstBack.message),
            message: formatList(
              back.map(unit => `${formatTitle(unit)} runs the previous bundle again: ${unit.message}`),
            ),
          },
  };
}

export function applyFailedCondition({ reason, message }: ReconcileError): ConditionSteps {
  return { Applied: { status: 'False', reason, message } };
}

/** The state of a source whose newest revision is valid and applied. */
export function summarizeSync(
  tree: Checkout,
  { health, guarded, leaving, units, pendingApproval }: SyncResult,
): SourceState {
  const ofType = <T extends HealthResult['type']>(type: T) =>
    health.filter((result): result is Extract<HealthResult, { type: T }> => result.type === type);
  const stoppedUnits = [...ofType('failed'), ...ofType('held')];
  const [first] = stoppedUnits;
  if (first !== undefined) {
    const reason = first.type === 'failed' ? first.reason : readHoldReason(first.state.message);
    const texts = stoppedUnits.map(({ state }) => `${formatTitle(state)}: ${state.message}`);
    return {
      state: 'stalled',
      reason,
      message: [
        `${tree.revision}: ${formatList(texts)}`,
        ...formatWaiting(health),
        ...(pendingApproval === undefined ? [] : [pendingApproval]),
      ].join('; '),
    };
  }
  if (guarded?.cause !== undefined) return { state: 'stalled', ...guarded.cause };
  const progressing = ofType('progressing');
  if (progressing.length > 0) {
    const texts = progressing.map(({ state, message }) => `${formatTitle(state)}: ${message}`);
    const message = [`${tree.revision}: ${formatList(texts)}`, ...formatWaiting(health)].join('; ');
    return { state: 'progressing', reason: 'Progressing', message };
  }
  const [waitingNow] = formatWaiting(health);
  if (waitingNow !== undefined) {
    return { state: 'progressing', reason: 'Progressing', message: `${tree.revision}: ${waitingNow}` };
  }
  if (leaving.length > 0) {
    const message = `${tree.revision}: ${formatCount(leaving.length, 'object')} still to be deleted`;
    return { state: 'progressing', reason: 'Progressing', message };
  }
  const message = `applied ${tree.revision}: ${formatKinds(units)}${formatKept(guarded)}`;
  return { state: 'ready', reason: 'Succeeded', message };
}

/** Describes the objects that `prune: false` keeps although the revision no longer has them. */
function formatKept(guarded: SyncResult['guarded']): string {
  const count = guarded?.held.length ?? 0;
  if (count === 0) return '';
  return `; ${formatCount(count, 'object')} that it lacks ${count === 1 ? 'stays' : 'stay'}, because spec.prune is false`;
}

/** The state of a source whose newest revision failed, with what keeps running. */
export function summarizeFailure(error: ReconcileError, tree: Checkout | undefined): SourceState {
  const state = toFailureState(error);
  return tree === undefined ? state : { ...state, message: `${tree.revision}: ${state.message}` };
}

/** Which gateways and registry servers keep their previous image and why, as text; empty when none does. */
function formatWaiting(health: readonly HealthResult[]): readonly string[] {
  const units = health.flatMap(({ type, state }) => (type === 'waiting' ? [state] : []));
  if (units.length === 0) return [];
  const isStopped = health.some(({ type }) => type === 'failed' || type === 'held');
  const until = isStopped ? 'while one with the new image is rolled back' : 'until those before them are healthy';
  return [`${formatKinds(units)} ${units.length === 1 ? 'keeps' : 'keep'} the previous image ${until}`];
}

function createHealthyCondition(health: readonly HealthResult[]): StepCondition {
  const bad = health.filter(({ type }) => type !== 'active' && type !== 'waiting');
  const [first] = bad;
  if (first === undefined)
    return { status: 'True', reason: 'Succeeded', message: 'every gateway and registry server runs its bundle' };
  const texts = bad.map(result => {
    const { message = 'message' in result ? result.message : '' } = result.state;
    return `${formatTitle(result.state)}: ${message}`;
  });
  const isFailed = bad.some(({ type }) => type !== 'progressing');
  const failed = bad.find(result => result.type === 'failed' || result.type === 'held');
  const reason = failed === undefined ? 'HealthCheckFailed' : readHoldReason(failed.state.message);
  return {
    status: isFailed ? 'False' : 'Unknown',
    reason: isFailed ? reason : 'Progressing',
    message: formatList(texts),
  };
}

/**
 * How many gateways and registry servers currently run their desired state; undefined when they were not checked. Those whose deletion waits for
 * approval count as well: they still run, in the state of the last revision that had them.
 */
export function countReady({ rollouts, health, knowsHealth, units, guarded }: SyncResult): string | undefined {
  if (rollouts === undefined || knowsHealth === false) return undefined;
  const desiredKeys = new Set(health.map(({ state }) => formatUnitKey(state)));
  const blocked =
    guarded?.cause?.reason === 'PruneBlocked' ? units.filter(unit => !desiredKeys.has(formatUnitKey(unit))) : [];
  const running = blocked.filter(({ activeDigest }) => activeDigest !== undefined);
  const active = health.filter(({ type }) => type === 'active');
  return `${active.length + running.length}/${health.length + blocked.length}`;
}

/** A revision does not count as applied while one of its deletions waits for approval. */
function createAppliedCondition(revision: string, synced: SyncResult, before: Condition | undefined): StepCondition {
  const { guarded } = synced;
  if (guarded?.cause === undefined)
    return { status: 'True', reason: 'Succeeded', message: formatApplied(revision, synced, before) };
  const { reason, message } = guarded.cause;
  const waiting = formatCount(guarded.held.length, 'deletion');
  return { status: 'False', reason, message: `applied ${revision} without ${waiting}: ${message}` };
}

function formatApplied(revision: string, { plan }: SyncResult, before: Condition | undefined): string {
  if (before !== undefined && plan?.notes === undefined && hasNotes({ revision }, before)) return before.message;
  return `applied ${revision}${formatNotes(plan?.notes)}`;
}

/** Whether a condition `Applied` of the revision has notes of a plan. */
export function hasNotes({ revision }: Pick<Checkout, 'revision'>, applied: Condition | undefined): boolean {
  return applied?.status === 'True' && applied.message.startsWith(`applied ${revision};`);
}

function formatNotes(notes: readonly string[] = []): string {
  if (notes.length === 0) return '';
  const text = formatList(notes);
  return `; ${text.length > MAX_NOTES ? `${text.slice(0, MAX_NOTES)}…` : text}`;
}

function formatTitle({ kind, namespace, name }: HealthResult['state']): string {
  return `${kind} ${namespace}/${name}`;
}

function formatKinds(units: readonly Pick<UnitState, 'kind'>[]): string {
  const of = (desiredKeys: readonly UnitState['kind'][]) =>
    units.filter(({ kind }) => desiredKeys.includes(kind)).length;
  const [gateways, servers, registries] = [of(['gateway']), of(['server', 'remote-proxy']), of(['registry'])];
  const others = [
    ...(servers === 0 ? [] : [formatCount(servers, 'server')]),
    ...(registries === 0 ? [] : [formatCount(registries, 'registry server')]),
  ];
  return [...(gateways === 0 && others.length > 0 ? [] : [formatCount(gateways, 'gateway')]), ...others].join(' and ');
}

function formatList(texts: readonly string[]): string {
  const more = texts.length - MAX_NAMED;
  return `${texts.slice(0, MAX_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
