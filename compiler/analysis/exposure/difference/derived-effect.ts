/** Derives the effect of a changed leaf from the comparison of the tools, prompts, resources and routes that the leaf is about. */
import { REGISTRY_PATH } from '#schemas';
import { type CedarAction, listPossibleNames } from '#shared/plan';
import type { Exposure } from '../exposure.ts';
import type { LeafDifference } from '../plan/diff-leaves.ts';
import type { RegistryExposure } from '../registry/registry-exposure.ts';
import type { Effect, ItemChange } from './difference.ts';
import { areNamesDisjoint, type NamedBackend } from './disjoint-names.ts';
import type { ItemReach } from './reach/item-reach.ts';

/** @param reach undefined when callers are unknown */
export function deriveEffect(
  leaf: LeafDifference,
  before: Exposure,
  after: Exposure,
  reach: ItemReach | undefined,
): Effect {
  if (reach === undefined) return 'mixed';
  if (leaf.pattern === 'backends[]') return deriveBackendEffect(leaf, reach);
  if (leaf.pattern.startsWith('backends[].locked')) return lockEffect(leaf.pattern, reach);
  if (leaf.pattern.startsWith('backends[].tools.overrides{}')) return overrideEffect(leaf.path, before, after, reach);
  return 'same';
}

/**
 * The effect of a changed leaf of a registry server, of which other comparisons report the details. The effect is `same` only if an item about the
 * same route, registry, source or setting reports the change. So an unrelated change of the server never hides it.
 */
export function deriveRegistryEffect(
  { path, pattern }: LeafDifference,
  items: readonly ItemChange[],
  sides: readonly RegistryExposure[],
): Effect {
  const hasAspect = (name: string) =>
    items.some(({ type, aspects }) => type === 'registry server' && aspects.some(one => one.name === name));
  if (pattern === 'auth.mode') return hasAspect('gets in') ? 'same' : 'mixed';
  if (pattern.startsWith('authorization.')) return hasAspect('may see') ? 'same' : 'mixed';
  const [, source, leaf = ''] = /^sources\[([^\]]*)\]\.(filter|from\.entries\.digest)(?:\.|$)/.exec(path) ?? [];
  if (source !== undefined) {
    const aspects = items.find(({ type, name }) => type === 'source' && name === source)?.aspects ?? [];
    const isReported = aspects.some(({ name, items }) =>
      leaf === 'filter' ? name === 'filter' : name === 'entries with another content' || items !== undefined,
    );
    return isReported ? 'same' : 'mixed';
  }
  return items.some(item => tellsAbout(item, path, sides)) ? 'same' : 'mixed';
}

/** Whether an item reports what callers get now from the route, registry or source that a path belongs to. */
function tellsAbout({ type, name }: ItemChange, path: string, sides: readonly RegistryExposure[]): boolean {
  const [, list = '', key = ''] = /^(routes|registries|sources)\[([^\]]*)\]/.exec(path) ?? [];
  if (list === '' || list === 'routes') return type === 'route';
  const concerned =
    list === 'registries'
      ? [key]
      : sides.flatMap(({ registries }) => registries.filter(one => one.sources.includes(key)).map(one => one.name));
  return concerned.some(
    registry =>
      (type === 'registry' && name === registry) ||
      (type === 'route' && name.startsWith(`GET ${REGISTRY_PATH}/${registry}/`)),
  );
}

/**
 * The effect of adding or removing a backend. The backend may have names or URIs that other backends have too. These items then belong to another
 * backend than before, which affects callers who reach them on both sides. Any backend may offer any URI, even one that the lock does not have.
 */
function deriveBackendEffect({ was, is }: LeafDifference, reach: ItemReach): Effect {
  const side = was === undefined ? reach.sides.after : reach.sides.before;
  const backend = (was ?? is) as NamedBackend;
  const { aggregation, backends } = side.plan;
  const others = backends.filter(({ name }) => name !== backend.name);
  const shared: readonly CedarAction[] = [
    ...(areNamesDisjoint(aggregation, backend, others) ? [] : (['call_tool', 'get_prompt'] as const)),
    ...(others.length === 0 ? [] : (['read_resource'] as const)),
  ];
  if (shared.some(action => reach.any(action) === 'mixed')) return 'mixed';
  return was === undefined ? 'wider' : 'narrower';
}

/** The effect of another tool lock. A name or URI that several backends have may then belong to another backend. */
function lockEffect(pattern: string, { sides: { before, after } }: ItemReach): Effect {
  const isAlone = [before, after].every(({ plan }) => plan.backends.length < 2);
  const arePrefixed = [before, after].every(({ plan }) => plan.aggregation.strategy === 'prefix');
  const isNamed = pattern.endsWith('.tools') || pattern.endsWith('.prompts');
  return isAlone || (arePrefixed && isNamed) ? 'same' : 'mixed';
}

/**
 * The effect of another override. A tool in the lock has an entry of its own in the exposure. An override of an unknown tool may rename the tool,
 * which takes the name from a tool of another backend or frees one. It may also change only the description.
 */
function overrideEffect(path: string, before: Exposure, after: Exposure, reach: ItemReach): Effect {
  const [, backend = '', tool = ''] =
    /^backends\[([^\]]*)\]\.tools\.overrides\{(.*)\}(?:\.(?:name|description|annotations.*))?$/s.exec(path) ?? [];
  const knows = ({ tools }: Exposure) => tools.some(entry => entry.backend === backend && entry.originalName === tool);
  if (knows(before) && knows(after)) return 'same';
  const plans = [reach.sides.before, reach.sides.after].map(({ plan }) =>
    plan.backends.find(({ name }) => name === backend),
  );
  const [was = [], is = []] = plans.map(plan => plan && listPossibleNames(plan.tools, 'tool', tool));
  if (knows(before) || knows(after) || was.length === 0 || is.length === 0) return 'mixed';
  return was.join() === is.join() ? reach.described(backend, tool, is) : reach.names('call_tool', [...was, ...is]);
}
