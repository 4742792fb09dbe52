/** What leaves mean of which each tool, prompt, resource and route says what a change of them does. */
import type { Exposure } from '../exposure.ts';
import type { LeafDifference } from '../plan/walk.ts';
import type { Effect, ItemChange } from './difference.ts';
import { together } from './effect.ts';
import { areNamesApart, areUrisApart, type NamedBackend } from './names-apart.ts';
import type { ItemReach } from './reach/item-reach.ts';

/** @param reach undefined where nothing can be said about callers */
export function derivedEffect(
  leaf: LeafDifference,
  before: Exposure,
  after: Exposure,
  reach: ItemReach | undefined,
): Effect {
  if (reach === undefined) return 'mixed';
  if (leaf.pattern === 'backends[]') return backendEffect(leaf, before, after, reach);
  if (leaf.pattern.startsWith('backends[].locked')) return lockEffect(leaf.pattern, reach);
  if (leaf.pattern.startsWith('backends[].tools.overrides{}')) return overrideEffect(leaf.path, before, after);
  return 'same';
}

/** Routes are told one by one, each with who gets which answer; a change that none of them shows is not understood. */
export function derivedRegistryEffect(_: LeafDifference, items: readonly ItemChange[]): Effect {
  return together(items.map(({ effect }) => effect)) === 'same' ? 'mixed' : 'same';
}

/** Whose names or URIs others may have too takes them from others, or leaves them to others. */
function backendEffect({ was, is }: LeafDifference, before: Exposure, after: Exposure, { sides }: ItemReach): Effect {
  const [exposure, side] = was === undefined ? [after, sides.after] : [before, sides.before];
  const backend = (was ?? is) as NamedBackend;
  const { aggregation, backends } = side.plan;
  const others = backends.filter(({ name }) => name !== backend.name);
  if (!areNamesApart(aggregation, backend, others) || !areUrisApart(exposure, backend.name)) return 'mixed';
  return was === undefined ? 'wider' : 'narrower';
}

/** Another lock may give a name or URI that several backends have to another of them. */
function lockEffect(pattern: string, { sides: { before, after } }: ItemReach): Effect {
  const isAlone = [before, after].every(({ plan }) => plan.backends.length < 2);
  const arePrefixed = [before, after].every(({ plan }) => plan.aggregation.strategy === 'prefix');
  const isNamed = pattern.endsWith('.tools') || pattern.endsWith('.prompts');
  return isAlone || (arePrefixed && isNamed) ? 'same' : 'mixed';
}

/** A tool that the lock knows is told by itself; another one gets another name or other hints. */
function overrideEffect(path: string, before: Exposure, after: Exposure): Effect {
  const [, backend = '', tool = ''] =
    /^backends\[([^\]]*)\]\.tools\.overrides\{(.*)\}(?:\.(?:name|description|annotations.*))?$/s.exec(path) ?? [];
  const knows = ({ tools }: Exposure) => tools.some(one => one.backend === backend && one.originalName === tool);
  return knows(before) && knows(after) ? 'same' : 'mixed';
}
