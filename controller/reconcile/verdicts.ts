/** What a run says about itself: its steps, and where the source stands. */
import type { Condition } from '#schemas';
import type { CompileOutcome } from '../compile/outcome.ts';
import type { SourceFacts, SourceState, Verdict } from '../status/source-status.ts';
import type { UnitState } from './destination.ts';
import { reportedText } from './drift-text.ts';
import { stateOf } from './failure.ts';
import type { ReconcileError } from './reasons.ts';
import type { ObservedSource, SourceTree } from './surroundings.ts';
import type { Brought } from './sync-result.ts';
import { type Course, heldReason, isPutBack } from './units.ts';

type Steps = NonNullable<SourceFacts['steps']>;

/** Most objects that a message names. */
const MAX_NAMED = 5;

/** Characters of notes in a message: the API server refuses conditions with more than 32768. */
const MAX_NOTES = 2_000;

export function sourceStep(source: ObservedSource, tree: SourceTree | undefined, error?: ReconcileError): Steps {
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

export function compileSteps(
  { revision }: SourceTree,
  { programs, units, ignored }: CompileOutcome,
  refusal: ReconcileError | undefined,
): Steps {
  const rest = ignored === 0 ? '' : `, ${counted(ignored, 'foreign object')} left alone`;
  return {
    Compiled:
      refusal === undefined
        ? { status: 'True', reason: 'Succeeded', message: `${revision} has ${kindsOf(units)}${rest}` }
        : { status: 'False', reason: refusal.reason, message: `${revision}: ${refusal.message}` },
    ProgramsSkipped:
      programs.length === 0 ? null : { status: 'True', reason: 'RenderRequired', message: programsMessage(programs) },
  };
}

/** What TypeScript in a repository means. */
export function programsMessage(programs: readonly string[]): string {
  const [first, ...more] = programs;
  const named = more.length === 0 ? `${first} renders` : `${first} and ${more.length} more render`;
  return `${named} specs, and programs are never run here: render in CI and commit the YAML`;
}

/** @param before what `Applied` said until now: notes are taken when something is applied, and stay as long as that does */
export function broughtSteps({ revision }: SourceTree, brought: Brought, before: Condition | undefined): Steps {
  const { plan, drift = [], courses, units } = brought;
  const back = units.filter(isPutBack);
  const [firstBack] = back;
  return {
    Applied: plan && appliedVerdict(revision, brought, before),
    Healthy: brought.knowsHealth === false ? null : plan && healthOf(courses),
    DriftDetected:
      drift.length === 0
        ? null
        : {
            status: 'True',
            reason: 'DriftReported',
            message: `${counted(drift.length, 'object')} changed by others: ${listed(drift.map(reportedText))}`,
          },
    RolledBack:
      firstBack === undefined
        ? null
        : {
            status: 'True',
            reason: heldReason(firstBack.message),
            message: listed(back.map(unit => `${titleOf(unit)} runs the former bundle again: ${unit.message}`)),
          },
  };
}

export function appliedFailure({ reason, message }: ReconcileError): Steps {
  return { Applied: { status: 'False', reason, message } };
}

/** Where a source stands whose newest revision was good and brought to its destination. */
export function settledState(tree: SourceTree, { courses, guarded, leaving, units, waits }: Brought): SourceState {
  const ofType = <T extends Course['type']>(type: T) =>
    courses.filter((course): course is Extract<Course, { type: T }> => course.type === type);
  const held = [...ofType('failed'), ...ofType('held')];
  const [first] = held;
  if (first !== undefined) {
    const reason = first.type === 'failed' ? first.reason : heldReason(first.state.message);
    const texts = held.map(({ state }) => `${titleOf(state)}: ${state.message}`);
    return {
      state: 'stalled',
      reason,
      message: [
        `${tree.revision}: ${listed(texts)}`,
        ...waitingText(courses),
        ...(waits === undefined ? [] : [waits]),
      ].join('; '),
    };
  }
  if (guarded?.cause !== undefined) return { state: 'stalled', ...guarded.cause };
  const progressing = ofType('progressing');
  if (progressing.length > 0) {
    const texts = progressing.map(({ state, message }) => `${titleOf(state)}: ${message}`);
    const message = [`${tree.revision}: ${listed(texts)}`, ...waitingText(courses)].join('; ');
    return { state: 'progressing', reason: 'Progressing', message };
  }
  const [waitingNow] = waitingText(courses);
  if (waitingNow !== undefined) {
    return { state: 'progressing', reason: 'Progressing', message: `${tree.revision}: ${waitingNow}` };
  }
  if (leaving.length > 0) {
    const message = `${tree.revision}: ${counted(leaving.length, 'object')} still to be deleted`;
    return { state: 'progressing', reason: 'Progressing', message };
  }
  return { state: 'ready', reason: 'Succeeded', message: `applied ${tree.revision}: ${kindsOf(units)}` };
}

/** A failure of the newest revision, with what goes on meanwhile. */
export function failedState(error: ReconcileError, tree: SourceTree | undefined): SourceState {
  const state = stateOf(error);
  return tree === undefined ? state : { ...state, message: `${tree.revision}: ${state.message}` };
}

/** What keeps the former image, in words; empty when nothing does. */
function waitingText(courses: readonly Course[]): readonly string[] {
  const units = courses.flatMap(({ type, state }) => (type === 'waiting' ? [state] : []));
  if (units.length === 0) return [];
  const isStopped = courses.some(({ type }) => type === 'failed' || type === 'held');
  const until = isStopped ? 'while one that got the new image is put back' : 'until those before them are healthy';
  return [`${kindsOf(units)} ${units.length === 1 ? 'keeps' : 'keep'} the former image ${until}`];
}

function healthOf(courses: readonly Course[]): Verdict {
  const bad = courses.filter(({ type }) => type !== 'active' && type !== 'waiting');
  const [first] = bad;
  if (first === undefined) return { status: 'True', reason: 'Succeeded', message: 'everything runs what it should' };
  const texts = bad.map(course => {
    const { message = 'message' in course ? course.message : '' } = course.state;
    return `${titleOf(course.state)}: ${message}`;
  });
  const isFailed = bad.some(({ type }) => type !== 'progressing');
  const failed = bad.find(course => course.type === 'failed' || course.type === 'held');
  const reason = failed === undefined ? 'HealthCheckFailed' : heldReason(failed.state.message);
  return {
    status: isFailed ? 'False' : 'Unknown',
    reason: isFailed ? reason : 'Progressing',
    message: listed(texts),
  };
}

/** How many gateways and registry servers run what they should, now; undefined when nobody came to look. */
export function readyOf({ rollouts, courses, knowsHealth }: Brought): string | undefined {
  if (rollouts === undefined || knowsHealth === false) return undefined;
  return `${courses.filter(({ type }) => type === 'active').length}/${courses.length}`;
}

/** Not all of a revision is applied while a deletion that it asks for waits for somebody. */
function appliedVerdict(revision: string, brought: Brought, before: Condition | undefined): Verdict {
  const { guarded } = brought;
  if (guarded?.cause === undefined)
    return { status: 'True', reason: 'Succeeded', message: appliedText(revision, brought, before) };
  const { reason, message } = guarded.cause;
  const waiting = counted(guarded.held.length, 'deletion');
  return { status: 'False', reason, message: `applied ${revision} without ${waiting}: ${message}` };
}

function appliedText(revision: string, { plan, applied }: Brought, before: Condition | undefined): string {
  const text = `applied ${revision}`;
  if (applied.length === 0 && before?.status === 'True' && before.message.startsWith(`${text};`)) return before.message;
  return `${text}${notesText(plan?.notes)}`;
}

function notesText(notes: readonly string[] = []): string {
  if (notes.length === 0) return '';
  const text = listed(notes);
  return `; ${text.length > MAX_NOTES ? `${text.slice(0, MAX_NOTES)}…` : text}`;
}

function titleOf({ kind, namespace, name }: Course['state']): string {
  return `${kind} ${namespace}/${name}`;
}

function kindsOf(units: readonly Pick<UnitState, 'kind'>[]): string {
  const of = (wanted: readonly UnitState['kind'][]) => units.filter(({ kind }) => wanted.includes(kind)).length;
  const [gateways, servers, registries] = [of(['gateway']), of(['server', 'remote-proxy']), of(['registry'])];
  const others = [
    ...(servers === 0 ? [] : [counted(servers, 'server')]),
    ...(registries === 0 ? [] : [counted(registries, 'registry server')]),
  ];
  return [...(gateways === 0 && others.length > 0 ? [] : [counted(gateways, 'gateway')]), ...others].join(' and ');
}

function listed(texts: readonly string[]): string {
  const more = texts.length - MAX_NAMED;
  return `${texts.slice(0, MAX_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
