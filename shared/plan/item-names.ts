/**
 * Resolves the name of each tool and prompt, and decides which backend loses a conflict. The compiler uses it for the tool lock and the runtime
 * for live backends, so that the runtime serves the names that were reviewed. The steps are, in this order: overrides, one conflict strategy for
 * the whole gateway, visibility. Hidden tools take part in conflicts, and workflows can call them.
 */
import { type AggregationPlan, type BackendPlan, type BackendToolPlan, compareText } from '#schemas';
import { findOverride } from './presented-item.ts';

/** A tool or prompt of one backend. */
export interface Holder {
  readonly backend: string;
  /** The backend's own name, which calls to the backend use. */
  readonly originalName: string;
}

export interface NamedItem extends Holder {
  /** The name that clients and policies see. */
  readonly name: string;
  /** False: not in lists, but workflow steps can call it. */
  readonly advertised: boolean;
}

/**
 * Why a name is not served. `collision`: several backends have it and no rule chooses one of them, so none is served. `outranked`: another
 * backend is earlier in the priority order.
 */
export type WithholdReason = 'collision' | 'outranked';

export interface WithheldItem extends Holder {
  /** The name that the item would have. */
  readonly name: string;
  readonly reason: WithholdReason;
}

export interface NameResolution {
  readonly named: readonly NamedItem[];
  readonly withheld: readonly WithheldItem[];
}

/** The names that one backend offers, in any order. */
export interface BackendNames {
  readonly backend: string;
  readonly names: readonly string[];
}

type NamePlan = Pick<BackendPlan, 'name' | 'tools'>;

/**
 * Resolves tool names over all backends.
 *
 * @param offered names by backend; a backend without a plan is left out
 * @returns every tool of a backend with a plan exactly once, in `named` or in `withheld`, each list sorted by name
 */
export function resolveToolNames(
  aggregation: AggregationPlan,
  backends: readonly NamePlan[],
  offered: readonly BackendNames[],
): NameResolution {
  const plans = new Map(backends.map(plan => [plan.name, plan.tools]));
  const candidates = offered.flatMap(({ backend, names }) => {
    const plan = plans.get(backend);
    return plan === undefined ? [] : names.map(originalName => toToolCandidate(plan, backend, originalName));
  });
  switch (aggregation.strategy) {
    case 'prefix':
      return settleNames(candidates.map(addPrefix));
    case 'manual':
      return settleNames(candidates);
    case 'priority':
      return resolveByPriority(aggregation.priorityOrder, candidates);
  }
}

/**
 * Resolves prompt names: with a prefix by default; under `priority` the listed backends have no prefix. Settings for tools never hide a prompt.
 */
export function resolvePromptNames(
  aggregation: AggregationPlan,
  backends: readonly NamePlan[],
  offered: readonly BackendNames[],
): NameResolution {
  const plans = new Map(backends.map(plan => [plan.name, plan.tools]));
  const listed = new Set(aggregation.strategy === 'priority' ? aggregation.priorityOrder : []);
  const bare: Candidate[] = [];
  const others: Candidate[] = [];
  for (const { backend, names } of offered) {
    const plan = plans.get(backend);
    if (plan === undefined) continue;
    for (const originalName of names) {
      const candidate = { backend, originalName, name: originalName, prefix: plan.prefix, advertised: true };
      if (listed.has(backend)) bare.push(candidate);
      else others.push(addPrefix(candidate));
    }
  }
  const ranked = pickByRank(aggregation.priorityOrder, bare);
  return settleNames([...ranked.winners, ...others], ranked.lowerPriority);
}

/**
 * Every name that a tool or prompt may get, for all items that other backends may offer. Items that share no possible name, neither directly nor
 * through other items, cannot affect each other and are resolved separately.
 *
 * @param originalName the backend's own name
 */
export function listPossibleNames(
  plan: BackendToolPlan,
  kind: 'tool' | 'prompt',
  originalName: string,
): readonly string[] {
  const override = kind === 'tool' ? findOverride(plan.overrides, originalName) : undefined;
  const name = override?.name ?? originalName;
  return plan.prefix === '' ? [name] : [name, plan.prefix + name];
}

interface Candidate extends NamedItem {
  readonly prefix: string;
}

function toToolCandidate(plan: BackendToolPlan, backend: string, originalName: string): Candidate {
  const name = findOverride(plan.overrides, originalName)?.name ?? originalName;
  return { backend, originalName, name, prefix: plan.prefix, advertised: mayShow(plan, name) };
}

/**
 * Whether clients see the tool if it gets its name.
 *
 * @param originalName the backend's own name
 */
export function isAdvertised(plan: BackendToolPlan, originalName: string): boolean {
  return mayShow(plan, findOverride(plan.overrides, originalName)?.name ?? originalName);
}

/**
 * Whether the backend's settings show a tool of this name.
 *
 * @param overriddenName the name after overrides, without prefix
 */
export function mayShow(plan: Pick<BackendToolPlan, 'advertise'>, overriddenName: string): boolean {
  switch (plan.advertise.type) {
    case 'all':
      return true;
    case 'none':
      return false;
    case 'only':
      return plan.advertise.names.includes(overriddenName);
  }
}

function addPrefix(candidate: Candidate): Candidate {
  return { ...candidate, name: candidate.prefix + candidate.name };
}

/** A conflict among backends that the priority order does not list has no winner: each of them keeps its tool under its own prefix. */
function resolveByPriority(order: readonly string[], candidates: readonly Candidate[]): NameResolution {
  const listed = new Set(order);
  const accepted: Candidate[] = [];
  const lowerPriority: Candidate[] = [];
  for (const holders of groupByName(candidates).values()) {
    const [only] = holders;
    if (only !== undefined && holders.length === 1) {
      accepted.push(only);
    } else if (holders.some(holder => listed.has(holder.backend))) {
      const ranked = pickByRank(order, holders);
      for (const winner of ranked.winners) accepted.push(winner);
      for (const loser of ranked.lowerPriority) lowerPriority.push(loser);
    } else {
      for (const holder of holders) accepted.push(addPrefix(holder));
    }
  }
  return settleNames(accepted, lowerPriority);
}

/** For each name, the tools with the best rank win. Two tools of one backend have the same rank, and `settleNames` then withholds both. */
function pickByRank(
  order: readonly string[],
  candidates: readonly Candidate[],
): { readonly winners: readonly Candidate[]; readonly lowerPriority: readonly Candidate[] } {
  const ranks = new Map(order.map((backend, rank) => [backend, rank]));
  const rank = (candidate: Candidate): number => ranks.get(candidate.backend) ?? Number.POSITIVE_INFINITY;
  const winners: Candidate[] = [];
  const lowerPriority: Candidate[] = [];
  for (const holders of groupByName(candidates).values()) {
    const best = holders.reduce((least, holder) => Math.min(least, rank(holder)), Number.POSITIVE_INFINITY);
    for (const holder of holders) (rank(holder) === best ? winners : lowerPriority).push(holder);
  }
  return { winners, lowerPriority };
}

/** The last step: a name that one tool has is served; a name that several tools have is withheld from all of them. */
function settleNames(candidates: readonly Candidate[], lowerPriority: readonly Candidate[] = []): NameResolution {
  const named: NamedItem[] = [];
  const withheld: WithheldItem[] = lowerPriority.map(candidate => withhold(candidate, 'outranked'));
  for (const holders of groupByName(candidates).values()) {
    const [only] = holders;
    if (only !== undefined && holders.length === 1) {
      const { backend, originalName, name, advertised } = only;
      named.push({ backend, originalName, name, advertised });
    } else {
      for (const holder of holders) withheld.push(withhold(holder, 'collision'));
    }
  }
  return { named: named.sort(compareByName), withheld: withheld.sort(compareByName) };
}

function withhold({ backend, originalName, name }: Candidate, reason: WithholdReason): WithheldItem {
  return { backend, originalName, name, reason };
}

function groupByName(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  return Map.groupBy(candidates, candidate => candidate.name);
}

function compareByName(a: WithheldItem | NamedItem, b: WithheldItem | NamedItem): number {
  return (
    compareText(a.name, b.name) || compareText(a.backend, b.backend) || compareText(a.originalName, b.originalName)
  );
}
