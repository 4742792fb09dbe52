/**
 * Pure functions on lists of conditions: they take and return lists, and do not read the clock.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
 * @see https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */
import { type Condition, compareText } from '#schemas';
import { formatTimestamp } from './timestamp.ts';

/** Maximum length of a condition's message, in characters, according to the schema of conditions. */
export const MAX_MESSAGE_LENGTH = 32_768;

/** A condition without its generation and time. */
export interface Finding {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

/** The generation and the time of a condition. */
export interface Stamp {
  /** `metadata.generation` that the condition is about. */
  readonly generation: number;
  readonly now: Date;
}

/** The reason, for the summary of several conditions. */
export type Cause<Reason extends string = string> = { readonly reason: Reason; readonly message: string };

/** The condition of a type; undefined when the list has none. */
export function findCondition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find(condition => condition.type === type);
}

/** The outcome of a source: its condition `Suspended` if it is true, otherwise `Ready`. */
export function findOutcome(conditions: readonly Condition[]): Condition | undefined {
  return findCondition(conditions, 'Suspended') ?? findCondition(conditions, 'Ready');
}

/**
 * Sets a condition. `lastTransitionTime` changes only with `status`, and never goes back even if the clock does.
 *
 * @throws RangeError for a type or reason that the API server would refuse, which is a bug
 */
export function setCondition(conditions: readonly Condition[], finding: Finding, stamp: Stamp): readonly Condition[] {
  const { type, status, reason } = finding;
  if (!REASON.test(reason))
    throw new RangeError(`condition ${type} has no CamelCase reason: ${JSON.stringify(reason)}`);
  const before = findCondition(conditions, type);
  const now = formatTimestamp(stamp.now);
  const condition: Condition = {
    type,
    status,
    observedGeneration: stamp.generation,
    lastTransitionTime: before === undefined ? now : getTransitionTime(before, status, now),
    reason,
    message: cut(finding.message),
  };
  return sortConditions([...conditions.filter(other => other.type !== type), condition]);
}

/** The list without conditions of these types. */
export function removeConditions(conditions: readonly Condition[], ...types: readonly string[]): readonly Condition[] {
  return conditions.filter(({ type }) => !types.includes(type));
}

/** Success: `Ready` is True, `Reconciling` and `Stalled` are removed. */
export function markReady(conditions: readonly Condition[], cause: Cause, stamp: Stamp): readonly Condition[] {
  const settled = removeConditions(conditions, 'Reconciling', 'Stalled', 'Suspended');
  return setCondition(settled, { type: 'Ready', status: 'True', ...cause }, stamp);
}

/** Work is in progress with an unknown result: `Ready` is Unknown. */
export function markReconciling(conditions: readonly Condition[], cause: Cause, stamp: Stamp): readonly Condition[] {
  const running = setCondition(
    removeConditions(conditions, 'Stalled', 'Suspended'),
    { type: 'Reconciling', status: 'True', ...cause },
    stamp,
  );
  return setCondition(running, { type: 'Ready', status: 'Unknown', ...cause }, stamp);
}

/** A failure that is retried automatically: `Ready` is False with the cause, `Reconciling` announces retries. */
export function markRetrying(conditions: readonly Condition[], cause: Cause, stamp: Stamp): readonly Condition[] {
  const running = setCondition(
    removeConditions(conditions, 'Stalled', 'Suspended'),
    { type: 'Reconciling', status: 'True', reason: 'ProgressingWithRetry', message: cause.message },
    stamp,
  );
  return setCondition(running, { type: 'Ready', status: 'False', ...cause }, stamp);
}

/** A failure that lasts until an input changes: `Stalled` is True, `Ready` False, both with the cause. */
export function markStalled(conditions: readonly Condition[], cause: Cause, stamp: Stamp): readonly Condition[] {
  const stalled = setCondition(
    removeConditions(conditions, 'Reconciling', 'Suspended'),
    { type: 'Stalled', status: 'True', ...cause },
    stamp,
  );
  return setCondition(stalled, { type: 'Ready', status: 'False', ...cause }, stamp);
}

/** Suspended: `Suspended` is True, and the other conditions stay with their generation. `Ready` is Unknown only if it was never set. */
export function markSuspended(conditions: readonly Condition[], cause: Cause, stamp: Stamp): readonly Condition[] {
  const remaining = setCondition(
    removeConditions(conditions, 'Reconciling'),
    { type: 'Suspended', status: 'True', ...cause },
    stamp,
  );
  if (findCondition(remaining, 'Ready') !== undefined) return remaining;
  return setCondition(remaining, { type: 'Ready', status: 'Unknown', ...cause }, stamp);
}

/** `Ready` first, then kstatus conditions, then all others by name, so that the order is stable. */
export function sortConditions(conditions: readonly Condition[]): readonly Condition[] {
  return conditions.toSorted((a, b) => rank(a) - rank(b) || compareText(a.type, b.type));
}

/** The pattern of the condition schema, restricted to CamelCase names. */
const REASON = /^[A-Z][A-Za-z0-9]{0,1023}$/;

const FIRST: readonly string[] = ['Ready', 'Reconciling', 'Stalled'];

function rank({ type }: Condition): number {
  const at = FIRST.indexOf(type);
  return at === -1 ? FIRST.length : at;
}

function getTransitionTime(before: Condition, status: Condition['status'], now: string): string {
  if (before.status === status) return before.lastTransitionTime;
  return Date.parse(before.lastTransitionTime) > Date.parse(now) ? before.lastTransitionTime : now;
}

/** States how much was cut: a truncated message must not look complete. */
function cut(text: string): string {
  // Messages may quote untrusted text. The API server replaces unpaired surrogates, and then the stored status would always differ from the
  // written one.
  const message = text.toWellFormed();
  // The API server counts code points, which are never more than UTF-16 units.
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  const rest = (length: number) => `… (${length} more characters)`;
  const room = MAX_MESSAGE_LENGTH - rest(message.length).length;
  // The cut must not separate a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(message[room - 1] ?? '') ? room - 1 : room;
  return message.slice(0, end) + rest(message.length - end);
}
