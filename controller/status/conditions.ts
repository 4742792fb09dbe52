/**
 * Lists of conditions, as pure functions: lists come in and new ones go out, and nothing here knows what time it is.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */
import { type Condition, compareText } from '#schemas';
import { timestamp } from './timestamp.ts';

/** Longest message of a condition, in characters, as the schema of conditions has it. */
export const MAX_MESSAGE_LENGTH = 32_768;

/** What a condition is to say. */
export interface Finding {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

/** The generation that the condition is about, and the time. */
export interface Stamp {
  /** `metadata.generation` that the finding speaks of. */
  readonly generation: number;
  readonly now: Date;
}

/** Why, for the summary of several conditions. */
export type Cause<Reason extends string = string> = { readonly reason: Reason; readonly message: string };

/** Undefined when there is none of the type. */
export function findCondition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find(condition => condition.type === type);
}

/**
 * The list with this condition. `lastTransitionTime` stays as long as `status` does, and never goes back, whatever the clock does.
 *
 * @throws RangeError for a type or reason that the API server would not take: a mistake of ours
 */
export function setCondition(conditions: readonly Condition[], finding: Finding, stamp: Stamp): readonly Condition[] {
  const { type, status, reason } = finding;
  if (!REASON.test(reason))
    throw new RangeError(`condition ${type} has no CamelCase reason: ${JSON.stringify(reason)}`);
  const before = findCondition(conditions, type);
  const now = timestamp(stamp.now);
  const condition: Condition = {
    type,
    status,
    observedGeneration: stamp.generation,
    lastTransitionTime: before === undefined ? now : transition(before, status, now),
    reason,
    message: cut(finding.message),
  };
  return ordered([...conditions.filter(other => other.type !== type), condition]);
}

/** The list without conditions of these types. */
export function removeConditions(conditions: readonly Condition[], ...types: readonly string[]): readonly Condition[] {
  return conditions.filter(({ type }) => !types.includes(type));
}

/** Everything is as it should be: `Ready` is True, and neither `Reconciling` nor `Stalled` is there. */
export function markReady(conditions: readonly Condition[], cause: Cause, stamp: Stamp): readonly Condition[] {
  const settled = removeConditions(conditions, 'Reconciling', 'Stalled', 'Suspended');
  return setCondition(settled, { type: 'Ready', status: 'True', ...cause }, stamp);
}

/** Work goes on, and how it ends is not known: `Ready` is Unknown until then. */
export function markReconciling(conditions: readonly Condition[], cause: Cause, stamp: Stamp): readonly Condition[] {
  const running = setCondition(
    removeConditions(conditions, 'Stalled', 'Suspended'),
    { type: 'Reconciling', status: 'True', ...cause },
    stamp,
  );
  return setCondition(running, { type: 'Ready', status: 'Unknown', ...cause }, stamp);
}

/** Something failed that is tried again by itself: `Ready` is False with the cause, `Reconciling` says that more tries follow. */
export function markRetrying(conditions: readonly Condition[], cause: Cause, stamp: Stamp): readonly Condition[] {
  const running = setCondition(
    removeConditions(conditions, 'Stalled', 'Suspended'),
    { type: 'Reconciling', status: 'True', reason: 'ProgressingWithRetry', message: cause.message },
    stamp,
  );
  return setCondition(running, { type: 'Ready', status: 'False', ...cause }, stamp);
}

/** Something failed that fails the same way until an input changes: `Stalled` is True, `Ready` False, both with the cause. */
export function markStalled(conditions: readonly Condition[], cause: Cause, stamp: Stamp): readonly Condition[] {
  const stalled = setCondition(
    removeConditions(conditions, 'Reconciling', 'Suspended'),
    { type: 'Stalled', status: 'True', ...cause },
    stamp,
  );
  return setCondition(stalled, { type: 'Ready', status: 'False', ...cause }, stamp);
}

/**
 * Nothing is done until further notice: `Suspended` says so, and what was found before stays, with the generation that it was found of.
 * `Ready` is Unknown only where nothing was ever found.
 */
export function markSuspended(conditions: readonly Condition[], cause: Cause, stamp: Stamp): readonly Condition[] {
  const left = setCondition(
    removeConditions(conditions, 'Reconciling'),
    { type: 'Suspended', status: 'True', ...cause },
    stamp,
  );
  if (findCondition(left, 'Ready') !== undefined) return left;
  return setCondition(left, { type: 'Ready', status: 'Unknown', ...cause }, stamp);
}

/** `Ready`, then what it depends on for tools that know kstatus, then all others by name: the same list always reads the same. */
export function ordered(conditions: readonly Condition[]): readonly Condition[] {
  return conditions.toSorted((a, b) => rank(a) - rank(b) || compareText(a.type, b.type));
}

/** As the schema of conditions has it, but without what is no CamelCase name. */
const REASON = /^[A-Z][A-Za-z0-9]{0,1023}$/;

const FIRST: readonly string[] = ['Ready', 'Reconciling', 'Stalled'];

function rank({ type }: Condition): number {
  const at = FIRST.indexOf(type);
  return at === -1 ? FIRST.length : at;
}

function transition(before: Condition, status: Condition['status'], now: string): string {
  if (before.status === status) return before.lastTransitionTime;
  return Date.parse(before.lastTransitionTime) > Date.parse(now) ? before.lastTransitionTime : now;
}

/** Says how much is missing: half a message that looks like a whole one misleads. */
function cut(text: string): string {
  // Messages may quote strangers, and the API server replaces halves of surrogate pairs: what comes back would never be what was written.
  const message = text.toWellFormed();
  // The API server counts code points, of which there are never more than UTF-16 units.
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  const rest = (length: number) => `… (${length} more characters)`;
  const room = MAX_MESSAGE_LENGTH - rest(message.length).length;
  // No half of a surrogate pair at the end.
  const end = /[\uD800-\uDBFF]/.test(message[room - 1] ?? '') ? room - 1 : room;
  return message.slice(0, end) + rest(message.length - end);
}
