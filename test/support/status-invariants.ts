/**
 * Invariants of the status of a GatewaySource or VirtualMCPServer: pass every version of every object to one `StatusInvariants`, and at the end
 * expect `violations` to be empty.
 *
 * - S1 `observedGeneration` never decreases and is never more than `generation`, both in the status itself and in its conditions.
 * - S2 `Ready` is written as True only when `observedGeneration` is `generation`, and neither `Stalled` nor `Reconciling` is True. The `Ready` of
 *   a suspended source stays as it was, with the generation that it had.
 * - S3 `Stalled` and `Reconciling` are never both True.
 * - S4 `lastTransitionTime` changes only when `status` does, and never goes back.
 * - S5 each reason is one of a fixed set.
 * - S6 no condition goes True, False, True while no input changes.
 * - S7 a condition that is False has a message; an abnormal condition is True or absent.
 * - S8 the status satisfies the CRD.
 * - S9 lists are sorted, and conditions unique.
 * - S10 at most 20 diagnostics, errors first.
 * - S11 at most 5 entries of history, the newest first, and no adjacent ones with the same revision and digest.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Condition, compareText, KINDS_FILE } from '#schemas';
import { checkStructure } from '../../compiler/check/structural.ts';
import type { KubeObject } from '../../controller/kube/index.ts';

export interface Violation {
  readonly invariant: string;
  /** `Kind/namespace/name`, and the violation. */
  readonly message: string;
}

interface Status {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly [field: string]: unknown;
}

interface Seen {
  readonly object: KubeObject;
  /** Statuses of each condition since an input last changed, without repetitions. */
  readonly courses: ReadonlyMap<string, readonly string[]>;
  readonly inputs: string;
}

/** Conditions that are present only while something is abnormal. */
const ABNORMAL = ['Reconciling', 'Stalled'];

export class StatusInvariants {
  readonly #seen = new Map<string, Seen>();
  readonly #violations: Violation[] = [];
  readonly #isRaced: boolean;
  #outside = 0;

  /**
   * @param options `isRaced`: specs are changed while statuses are written, as in a real cluster. The status of the previous generation may then
   * come after the change, with that generation in it. Pods that do not respond in time also count as changed inputs
   */
  constructor({ isRaced = false }: { readonly isRaced?: boolean } = {}) {
    this.#isRaced = isRaced;
  }

  /** All violations so far. */
  get violations(): readonly Violation[] {
    return this.#violations;
  }

  /**
   * Call it when an input has changed that objects do not show: a pod, a backend, or a server's response. Conditions may then change back and
   * forth again.
   */
  inputChanged(): void {
    this.#outside += 1;
  }

  /** @returns the violations of this object, given those that were seen before it */
  see(object: KubeObject): readonly Violation[] {
    const id = `${object.kind}/${object.metadata.namespace}/${object.metadata.name}`;
    const key = object.metadata.uid ?? id;
    const before = this.#seen.get(key);
    const inputs = `${this.#outside} ${inputsOf(object)}`;
    // An edit makes the written status outdated, which is not a violation.
    const isWritten = !isDeepStrictEqual(object.status, before?.object.status);
    const isSameCourse = before?.inputs === inputs;
    const courses =
      isSameCourse || isWritten
        ? coursesOf(object, isSameCourse ? before.courses : new Map())
        : new Map<string, readonly string[]>();
    this.#seen.set(key, { object, courses, inputs });
    const found = [
      ...ofOne(object, isWritten, this.#isRaced),
      ...ofTwo(object, before?.object),
      ...(this.#isRaced && object.kind === 'VirtualMCPServer' ? [] : flapping(courses)),
    ].map(([invariant, message]): Violation => ({ invariant, message: `${id}: ${message}` }));
    this.#violations.push(...found);
    return found;
  }
}

type Broken = readonly [invariant: string, message: string];

function statusOf(object: KubeObject | undefined): Status {
  return (object?.status ?? {}) as Status;
}

function conditionsOf(object: KubeObject | undefined): readonly Condition[] {
  return statusOf(object).conditions ?? [];
}

/** The inputs that the object itself shows. */
function inputsOf(object: KubeObject): string {
  const { generation, annotations } = object.metadata;
  return JSON.stringify([generation, annotations, statusOf(object).lastAttemptedRevision]);
}

function coursesOf(
  object: KubeObject,
  before: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  const courses = new Map(before);
  for (const { type, status } of conditionsOf(object)) {
    const course = courses.get(type) ?? [];
    if (course.at(-1) !== status) courses.set(type, [...course, status]);
  }
  return courses;
}

function* flapping(courses: ReadonlyMap<string, readonly string[]>): Generator<Broken> {
  for (const [type, course] of courses) {
    const definite = course.filter(status => status !== 'Unknown');
    const changes = definite.filter((status, index) => status !== definite[index - 1]);
    if (changes.slice(changes.indexOf('True')).length > 2 && changes.includes('True')) {
      yield ['S6', `${type} went ${course.join(', ')} while no input changed`];
    }
  }
}

function* ofOne(object: KubeObject, isWritten: boolean, isRaced: boolean): Generator<Broken> {
  const status = statusOf(object);
  const { generation = 0 } = object.metadata;
  const conditions = conditionsOf(object);
  const is = (type: string) => conditions.find(condition => condition.type === type)?.status === 'True';

  for (const [place, observed] of observations(status)) {
    if (observed > generation) yield ['S1', `${place} observed generation ${observed} of ${generation}`];
  }
  if (is('Ready')) {
    const places = observations(status).filter(
      ([place]) => place === 'status' || (place === 'Ready' && !is('Suspended')),
    );
    for (const [place, observed] of places) {
      const isLate = isRaced && observed === generation - 1;
      if (isWritten && observed !== generation && !isLate)
        yield ['S2', `Ready while ${place} is of generation ${observed}, not ${generation}`];
    }
    if (places.length < (is('Suspended') ? 1 : 2)) yield ['S2', 'Ready without telling the generation'];
    for (const other of ABNORMAL) if (is(other)) yield ['S2', `Ready and ${other}`];
  }
  if (is('Stalled') && is('Reconciling')) yield ['S3', 'Stalled and Reconciling'];
  for (const condition of conditions) yield* ofCondition(object.kind, condition);
  for (const { path, message } of checkStructure(KINDS_FILE[object.kind]?.status ?? {}, status)) {
    yield ['S8', `status.${path.join('.')}: ${message}`];
  }
  yield* lists(status);
}

function observations({ observedGeneration, conditions = [] }: Status): readonly (readonly [string, number])[] {
  return [
    ...(observedGeneration === undefined ? [] : [['status', observedGeneration] as const]),
    ...conditions.flatMap(({ type, observedGeneration: one }) => (one === undefined ? [] : [[type, one] as const])),
  ];
}

function* ofCondition(kind: string, { type, status, reason, message }: Condition): Generator<Broken> {
  const allowed = REASONS[kind];
  if (allowed !== undefined && !allowed.includes(reason)) yield ['S5', `${type} has the unknown reason ${reason}`];
  if (status === 'False' && message === '') yield ['S7', `${type} is False without a message`];
  if (ABNORMAL.includes(type) && status !== 'True') yield ['S7', `${type} is ${status} instead of absent`];
}

function* ofTwo(now: KubeObject, before: KubeObject | undefined): Generator<Broken> {
  if (before === undefined) return;
  const former = new Map(observations(statusOf(before)));
  for (const [place, observed] of observations(statusOf(now))) {
    const was = former.get(place) ?? 0;
    if (observed < was) yield ['S1', `${place} went back from generation ${was} to ${observed}`];
  }
  if (former.has('status') && statusOf(now).observedGeneration === undefined)
    yield ['S1', 'status lost its generation'];
  for (const condition of conditionsOf(now)) {
    const same = conditionsOf(before).find(({ type }) => type === condition.type);
    if (same !== undefined) yield* transition(same, condition);
  }
}

function* transition(before: Condition, now: Condition): Generator<Broken> {
  const { type } = now;
  const change = `${before.lastTransitionTime} to ${now.lastTransitionTime}`;
  if (before.status === now.status && before.lastTransitionTime !== now.lastTransitionTime) {
    yield ['S4', `${type} stayed ${now.status}, and its time changed from ${change}`];
  }
  if (Date.parse(now.lastTransitionTime) < Date.parse(before.lastTransitionTime)) {
    yield ['S4', `${type} went back in time from ${change}`];
  }
}

function* lists(status: Status): Generator<Broken> {
  const items = (field: string) => (Array.isArray(status[field]) ? (status[field] as Record<string, string>[]) : []);
  const sorted: readonly (readonly [string, readonly string[]])[] = [
    ['gateways', items('gateways').map(({ kind, namespace, name }) => `${kind}\0${namespace}\0${name}`)],
    ['discoveredBackends', items('discoveredBackends').map(({ name = '' }) => name)],
    [
      'inventory.entries',
      ((status.inventory as { entries?: { id: string }[] } | undefined)?.entries ?? []).map(({ id }) => id),
    ],
  ];
  for (const [field, keys] of sorted) {
    if (keys.some((key, index) => index > 0 && compareText(keys[index - 1] ?? '', key) >= 0)) {
      yield ['S9', `${field} is not sorted, or holds one twice: ${keys.join(', ')}`];
    }
  }
  const types = (status.conditions ?? []).map(({ type }) => type);
  if (new Set(types).size < types.length) yield ['S9', `conditions hold one twice: ${types.join(', ')}`];
  const grave = items('diagnostics').map(({ severity = '' }) => SEVERITIES.indexOf(severity));
  if (grave.length > 20) yield ['S10', `${grave.length} diagnostics`];
  if (grave.some((rank, index) => rank < (grave[index - 1] ?? 0))) yield ['S10', 'errors are not first'];
  const history = items('history');
  if (history.length > 5) yield ['S11', `${history.length} entries of history`];
  for (const [index, entry] of history.entries()) {
    const older = history[index + 1];
    if (older === undefined) continue;
    if (Date.parse(entry.lastReconciled ?? '') < Date.parse(older.lastReconciled ?? '')) {
      yield ['S11', `history has ${older.revision} after the older ${entry.revision}`];
    }
    if (entry.revision === older.revision && entry.digest === older.digest) {
      yield ['S11', `history has ${entry.revision} twice in a row`];
    }
  }
}

const SEVERITIES = ['error', 'warning', 'hint'];

/** The reasons, by kind. They are repeated here on purpose, so that a new reason is a decision. */
const REASONS: { readonly [kind: string]: readonly string[] } = {
  GatewaySource: [
    'Succeeded',
    'Progressing',
    'ProgressingWithRetry',
    'FetchFailed',
    'AuthenticationFailed',
    'SignatureInvalid',
    'CompilationFailed',
    'RenderRequired',
    'PolicyDenied',
    'ApprovalRequired',
    'DependencyNotReady',
    'DryRunFailed',
    'FieldConflict',
    'BundleRejected',
    'HealthCheckFailed',
    'PruneBlocked',
    'DefinitionsOutdated',
    'DriftReported',
    'Suspended',
  ],
};
