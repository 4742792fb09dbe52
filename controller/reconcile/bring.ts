/** Brings a destination to a good revision: plan, guard, apply, look, put back, prune. One look and one push; it waits for nothing. */
import { durationMs } from '#compiler';
import { ALLOW_DELETIONS_ANNOTATION } from '#schemas';
import type { CompileOutcome } from '../compile/outcome.ts';
import {
  type Destination,
  type InventoryEntry,
  PartlyApplied,
  type Plan,
  type PlannedChange,
  type Rollout,
  type UnitState,
} from './destination.ts';
import { DELETION_BLOCKED, type Guarded, guardDeletions, isApproved, unitKey } from './guards.ts';
import { type Compiled, elapsedMs, type SourceMemory } from './memory.ts';
import type { ObservedSource, Surroundings } from './surroundings.ts';
import { type Course, courseOf, isActive, wantedUnits } from './units.ts';
import { waitingUnits } from './waves.ts';

/** What was found and done, as far as it went. */
export interface Brought {
  inventory: readonly InventoryEntry[];
  units: readonly UnitState[];
  plan?: Plan;
  /** Changes that were applied. */
  applied: readonly PlannedChange[];
  /** Differences that nobody asked for and that stay, because only a report is wanted. */
  drift: readonly PlannedChange[];
  /** How the pods go; undefined when nobody came to look. */
  rollouts?: readonly Rollout[];
  courses: readonly Course[];
  /** False where a destination cannot tell how anything goes. */
  knowsHealth?: boolean;
  guarded?: Guarded;
  /** Why deletions wait that no guard holds back, with what to do. */
  waits?: string;
  /** Entries that were deleted and are still there. */
  leaving: readonly InventoryEntry[];
}

export interface BringOptions {
  readonly destination: Destination;
  readonly around: Surroundings;
  readonly memory: SourceMemory;
  /** What is there, as the status has it. */
  readonly inventory: readonly InventoryEntry[];
  readonly units: readonly UnitState[];
  /** Of a revision from before nothing is deleted: what it lacks may be there for a reason. */
  readonly isNewest: boolean;
  /** Writes down what is about to be created, before it is. */
  readonly announce: (inventory: readonly InventoryEntry[], changes: readonly PlannedChange[]) => Promise<void>;
  /** Filled on the way, so that a failure forgets nothing of what was done. */
  readonly brought: Brought;
}

const DEFAULT_HEALTH_TIMEOUT_MS: number = 5 * 60_000;

/** @throws ReconcileError, PartlyApplied, and what the destination throws */
export async function bring(
  source: ObservedSource,
  { tree, outcome }: Compiled,
  options: BringOptions,
  signal: AbortSignal,
): Promise<void> {
  const { destination, around, isNewest, brought } = options;
  const timed = stopwatch(source, around);
  const asked = wantedUnits(outcome.units, options.units, around.now(), unit => destination.releaseOf?.(unit));
  const waiting = waitingUnits(asked, options.units);
  const wanted = asked.map(state => (waiting.has(unitKey(state)) ? asItRuns(state) : state));
  const held = wanted.filter(({ heldDigest }) => heldDigest !== undefined).map(unitKey);
  const before = {
    inventory: options.inventory,
    units: options.units,
    lastAppliedRevision: source.status?.lastAppliedRevision,
    stays: new Set([...held, ...waiting]),
  };
  const plan = await timed('plan', () => destination.plan(outcome, before, signal));
  brought.plan = plan;
  brought.knowsHealth = destination.knowsHealth;
  const agree = (around.consent ?? byAnnotation)(tree.commit);
  const approval = source.metadata.annotations?.[ALLOW_DELETIONS_ANNOTATION];
  const guarded = guardDeletions({
    entries: plan.deletions,
    unitsBefore: options.units,
    outcome,
    spec: isNewest ? source.spec : { ...source.spec, prune: false },
    tree,
    agree,
    approval,
  });
  brought.guarded = guarded;

  const { drift = 'correct' } = source.spec;
  const changes = plan.changes.filter(({ isDrift }) => drift === 'correct' || !isDrift);
  brought.drift = drift === 'report' ? plan.changes.filter(({ isDrift }) => isDrift) : [];
  const stays = [...plan.kept, ...plan.deletions, ...knownOf(plan.changes, options.inventory)];
  if (changes.length > 0) {
    brought.inventory = merged(changes.filter(({ action }) => action === 'create').map(aboutToBe), stays);
    await options.announce(brought.inventory, changes);
    brought.inventory = merged(await timed('apply', () => applied(changes, stays, options, signal)), stays);
    brought.applied = changes;
  } else brought.inventory = merged([], stays);

  await timed('rollout', () => watch(source, outcome, wanted, waiting, options, signal));

  // Nothing goes before what may take its place has run.
  const { allowed } = guarded;
  const neverRan = brought.units.filter(({ activeDigest }) => activeDigest === undefined);
  const isUnderWay = neverRan.some(({ heldDigest }) => heldDigest === undefined);
  // What failed may be the new name of something that serves: only that waits for it, and only until somebody agrees.
  const isLost = neverRan.length > 0 && isServiceLeaving(outcome, options.units) && !isApproved(approval, tree);
  const isReplaced = !isUnderWay && !isLost;
  if (allowed.length > 0 && isLost && !isUnderWay) brought.waits = waitingText(allowed.length, neverRan, agree);
  const leaving =
    isReplaced && allowed.length > 0 ? await timed('prune', () => destination.prune(allowed, signal)) : allowed;
  brought.leaving = isReplaced ? leaving : [];
  const left = new Set(leaving.map(({ id }) => id));
  const gone = new Set(allowed.map(({ id }) => id).filter(id => !left.has(id)));
  brought.inventory = brought.inventory.filter(({ id }) => !gone.has(id));
  if (plan.deletions.length > gone.size) {
    brought.units = withFormer(brought.units, options.units, guarded.isRemembered === true);
  }
}

/** Whether a gateway or registry server that the revision no longer has is in service. */
function isServiceLeaving({ units }: CompileOutcome, before: readonly UnitState[]): boolean {
  const wanted = new Set(units.map(unitKey));
  return before.some(unit => unit.activeDigest !== undefined && !wanted.has(unitKey(unit)));
}

function waitingText(count: number, neverRan: readonly UnitState[], agree: string): string {
  const [first] = neverRan;
  const others = neverRan.length > 1 ? ` and ${neverRan.length - 1} more` : '';
  const who = `${first?.kind} ${first?.namespace}/${first?.name}${others}`;
  return `${count} deletion${count === 1 ? ' waits' : 's wait'} until ${who} has run once; ${agree}`;
}

function byAnnotation(commit: string): string {
  return `to agree, annotate the GatewaySource with ${ALLOW_DELETIONS_ANNOTATION}: ${commit}`;
}

async function applied(
  changes: readonly PlannedChange[],
  stays: readonly InventoryEntry[],
  { destination, brought }: BringOptions,
  signal: AbortSignal,
): Promise<readonly InventoryEntry[]> {
  try {
    return await destination.apply(changes, signal);
  } catch (error) {
    if (error instanceof PartlyApplied) brought.inventory = merged(error.entries, brought.inventory);
    else brought.inventory = merged(brought.inventory, stays);
    throw error;
  }
}

/** Looks how everything goes, promotes what runs, and puts back what does not. */
async function watch(
  source: ObservedSource,
  outcome: CompileOutcome,
  wanted: readonly UnitState[],
  waiting: ReadonlySet<string>,
  { destination, around, memory, brought }: BringOptions,
  signal: AbortSignal,
): Promise<void> {
  const { healthTimeout } = source.spec;
  const healthTimeoutMs = healthTimeout === undefined ? DEFAULT_HEALTH_TIMEOUT_MS : durationMs(healthTimeout);
  const compiledUnits = new Map(outcome.units.map(unit => [unitKey(unit), unit]));
  brought.units = wanted;
  const observed = await destination.rollouts(outcome.units, signal);
  const rollouts = new Map(observed.map(rollout => [unitKey(rollout.unit), rollout]));
  const courses: Course[] = [];
  const underWay = new Set<string>();
  for (const state of wanted) {
    const key = unitKey(state);
    if (waiting.has(key)) {
      courses.push({ type: 'waiting', state });
      continue;
    }
    const timer = `${key} ${state.digest} ${state.release}`;
    const isNew = !isActive(state) && state.heldDigest === undefined;
    const elapsed = isNew ? elapsedMs(memory, timer, state.since, around) : 0;
    if (isNew) underWay.add(timer);
    const course = courseOf(state, rollouts.get(key), elapsed, healthTimeoutMs);
    const unit = compiledUnits.get(key);
    const isToGoBack = (course.type === 'failed' || course.type === 'held') && course.back !== undefined;
    const isBack = !isToGoBack || unit === undefined || (await destination.restore(unit, course.back, signal));
    courses.push(isBack ? course : { ...course, state: { ...course.state, ...runsOf(state) } });
  }
  for (const timer of memory.rollouts.keys()) if (!underWay.has(timer)) memory.rollouts.delete(timer);
  brought.rollouts = observed;
  brought.courses = courses;
  brought.units = courses.map(({ state }) => state);
}

/** A unit that waits for its turn. */
function asItRuns({ release: _, ...state }: UnitState): UnitState {
  return { ...state, ...(state.activeRelease !== undefined && { release: state.activeRelease }) };
}

/** What a unit that could not be put back goes on with. */
function runsOf({ digest, release }: UnitState): Pick<UnitState, 'digest' | 'release'> {
  return { digest, ...(release !== undefined && { release }) };
}

/** One entry for each object; the first lists count. */
function merged(...lists: readonly (readonly InventoryEntry[])[]): readonly InventoryEntry[] {
  return [...new Map(lists.toReversed().flatMap(list => list.map(entry => [entry.id, entry] as const))).values()];
}

/** Entries of what is there already and will be changed. */
function knownOf(changes: readonly PlannedChange[], inventory: readonly InventoryEntry[]): readonly InventoryEntry[] {
  const ids = new Set(changes.map(change => aboutToBe(change).id));
  return inventory.filter(({ id }) => ids.has(id));
}

/** The entry of an object that may be created and whose uid nobody may come to know. */
function aboutToBe({ object }: PlannedChange): InventoryEntry {
  const { apiVersion, kind, metadata } = object;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { id: `${metadata.namespace ?? ''}_${metadata.name}_${group}_${kind}`, v: version ?? '', uid: '' };
}

/** With the units of which something is still there, because its deletion waits. */
function withFormer(
  units: readonly UnitState[],
  before: readonly UnitState[],
  isRemembered: boolean,
): readonly UnitState[] {
  const known = new Set(units.map(unitKey));
  const former = before.filter(unit => !known.has(unitKey(unit)));
  return [...units, ...(isRemembered ? former.map(unit => ({ ...unit, message: DELETION_BLOCKED })) : former)];
}

type Timed = <T>(stage: 'plan' | 'apply' | 'rollout' | 'prune', work: () => Promise<T>) => Promise<T>;

function stopwatch(source: ObservedSource, { metrics, uptime }: Surroundings): Timed {
  return async (stage, work) => {
    const start = uptime();
    try {
      return await work();
    } finally {
      metrics.stage(source, stage, (uptime() - start) / 1000);
    }
  };
}
