/** Who reaches something: in the words of the policies, and what changes for whom where these are the same. */
import { aspect } from './aspect.ts';
import type { Aspect, Effect, ItemChange } from './difference.ts';
import type { ItemReach } from './reach/item-reach.ts';
import type { ReachChange } from './reach/reach.ts';

/** @param otherwise what the texts alone say, where the plans are not known */
export function reachAspects(
  name: string,
  [was, is]: readonly [string | null, string | null],
  change: ReachChange | undefined,
  otherwise: () => Effect,
): readonly Aspect[] {
  if (change === undefined) return aspect(name, was, is, otherwise);
  // Only in part to whom a name is shown: what a condition means may change without a word of it.
  return was === is ? changeAspects(change) : aspect(name, was, is, change.effect);
}

/** What the tool lock does not know, as things of their own. */
export function unknownChanges(reach: ItemReach | undefined): readonly ItemChange[] {
  return (reach?.unknown ?? []).map(change => ({
    type: change.type,
    name: change.name,
    change: 'changed',
    effect: change.isRenamed ? 'mixed' : change.effect,
    alarms: [],
    aspects: [
      ...changeAspects(change),
      ...(change.isRenamed ? aspect('names', 'as before', 'may be others', 'mixed') : []),
    ],
  }));
}

function changeAspects({ gained, lost }: ReachChange): readonly Aspect[] {
  const text = (whos: readonly string[]) => (whos.length === 0 ? null : whos.join('; or '));
  return [...aspect('open to', null, text(gained), 'wider'), ...aspect('closed to', null, text(lost), 'narrower')];
}
