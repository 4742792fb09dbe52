/**
 * Which name each tool and prompt gets, and who loses where names meet. The compiler asks this of the tool lock and the
 * runtime of live backends; one function, so that what was reviewed is what runs.
 *
 * Order of the steps: overrides, then one conflict strategy for the whole gateway, then
 * visibility. Hidden tools take part in conflicts and stay routable: workflows may call them.
 */
import type { AggregationPlan, BackendPlan, BackendToolPlan } from './format.ts';
import { findOverride } from './presented-item.ts';

/** One thing with a name at one backend. */
export interface Holder {
  readonly backend: string;
  /** The backend's own name; the one it is called by. */
  readonly originalName: string;
}

export interface NamedItem extends Holder {
  /** The name clients and policies see. */
  readonly name: string;
  /** False: absent from lists, yet routable for workflow steps. */
  readonly advertised: boolean;
}

/**
 * Why a name is not served: `collision`: several holders and no rule that picks one, so none is picked;
 * `outranked`: another backend comes earlier in the priority order.
 */
export type WithholdReason = 'collision' | 'outranked';

export interface WithheldItem extends Holder {
  /** The name it would have had. */
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
 * @param offered names by backend; backends that the plan does not know are left out.
 * @returns every tool of a known backend exactly once, in `named` or in `withheld`, each list sorted by name.
 */
export function resolveToolNames(
  aggregation: AggregationPlan,
  backends: readonly NamePlan[],
  offered: readonly BackendNames[],
): NameResolution {
  const plans = new Map(backends.map(plan => [plan.name, plan.tools]));
  const candidates = offered.flatMap(({ backend, names }) => {
    const plan = plans.get(backend);
    return plan === undefined ? [] : names.map(originalName => toolCandidate(plan, backend, originalName));
  });
  switch (aggregation.strategy) {
    case 'prefix':
      return settle(candidates.map(prefixed));
    case 'manual':
      return settle(candidates);
    case 'priority':
      return byPriority(aggregation.priorityOrder, candidates);
  }
}

/**
 * Resolves prompt names: prefixed by default; under `priority` the listed backends keep bare names. Prompts are never
 * hidden by tool settings.
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
      else others.push(prefixed(candidate));
    }
  }
  const ranked = pickByRank(aggregation.priorityOrder, bare);
  return settle([...ranked.winners, ...others], ranked.outranked);
}

/**
 * Every name that a tool or a prompt of a backend may get, whatever the others offer. What shares none with it, directly or
 * through a third one, has no say in its name: it can be resolved without the rest.
 *
 * @param originalName the backend's own name
 */
export function possibleNames(plan: BackendToolPlan, kind: 'tool' | 'prompt', originalName: string): readonly string[] {
  const override = kind === 'tool' ? findOverride(plan.overrides, originalName) : undefined;
  const name = override?.name ?? originalName;
  return plan.prefix === '' ? [name] : [name, plan.prefix + name];
}

interface Candidate extends NamedItem {
  readonly prefix: string;
}

function toolCandidate(plan: BackendToolPlan, backend: string, originalName: string): Candidate {
  const name = findOverride(plan.overrides, originalName)?.name ?? originalName;
  return { backend, originalName, name, prefix: plan.prefix, advertised: mayShow(plan, name) };
}

/**
 * Do clients see a tool, if it gets its name?
 *
 * @param originalName the backend's own name
 */
export function isAdvertised(plan: BackendToolPlan, originalName: string): boolean {
  return mayShow(plan, findOverride(plan.overrides, originalName)?.name ?? originalName);
}

/**
 * May a backend show a tool of this name, as far as its settings tell?
 *
 * @param overriddenName the name after overrides, without a prefix
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

function prefixed(candidate: Candidate): Candidate {
  return { ...candidate, name: candidate.prefix + candidate.name };
}

/** A conflict between unlisted backends alone has no winner: each keeps its tool under its own prefix. */
function byPriority(order: readonly string[], candidates: readonly Candidate[]): NameResolution {
  const listed = new Set(order);
  const kept: Candidate[] = [];
  const outranked: Candidate[] = [];
  for (const holders of groupByName(candidates).values()) {
    const [only] = holders;
    if (only !== undefined && holders.length === 1) {
      kept.push(only);
    } else if (holders.some(holder => listed.has(holder.backend))) {
      const ranked = pickByRank(order, holders);
      for (const winner of ranked.winners) kept.push(winner);
      for (const loser of ranked.outranked) outranked.push(loser);
    } else {
      for (const holder of holders) kept.push(prefixed(holder));
    }
  }
  return settle(kept, outranked);
}

/** Per name, the holders of the best rank win; two of one backend share it, and `settle` then withholds both. */
function pickByRank(
  order: readonly string[],
  candidates: readonly Candidate[],
): { readonly winners: readonly Candidate[]; readonly outranked: readonly Candidate[] } {
  const ranks = new Map(order.map((backend, rank) => [backend, rank]));
  const rank = (candidate: Candidate): number => ranks.get(candidate.backend) ?? Number.POSITIVE_INFINITY;
  const winners: Candidate[] = [];
  const outranked: Candidate[] = [];
  for (const holders of groupByName(candidates).values()) {
    const best = holders.reduce((least, holder) => Math.min(least, rank(holder)), Number.POSITIVE_INFINITY);
    for (const holder of holders) (rank(holder) === best ? winners : outranked).push(holder);
  }
  return { winners, outranked };
}

/** The last word: a name with one holder is served, a name with several is withheld from all of them. */
function settle(candidates: readonly Candidate[], outranked: readonly Candidate[] = []): NameResolution {
  const named: NamedItem[] = [];
  const withheld: WithheldItem[] = outranked.map(candidate => withhold(candidate, 'outranked'));
  for (const holders of groupByName(candidates).values()) {
    const [only] = holders;
    if (only !== undefined && holders.length === 1) {
      const { backend, originalName, name, advertised } = only;
      named.push({ backend, originalName, name, advertised });
    } else {
      for (const holder of holders) withheld.push(withhold(holder, 'collision'));
    }
  }
  return { named: named.sort(byName), withheld: withheld.sort(byName) };
}

function withhold({ backend, originalName, name }: Candidate, reason: WithholdReason): WithheldItem {
  return { backend, originalName, name, reason };
}

function groupByName(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  return Map.groupBy(candidates, candidate => candidate.name);
}

function byName(a: WithheldItem | NamedItem, b: WithheldItem | NamedItem): number {
  return (
    compareText(a.name, b.name) || compareText(a.backend, b.backend) || compareText(a.originalName, b.originalName)
  );
}

/** Order by UTF-16 code units: the same on every machine, unlike a locale's. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
