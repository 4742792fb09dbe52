/**
 * Which callers reach an item: the callers as policies describe them, and the callers whose access changes although the description stays
 * the same.
 */
import { toAspects } from './aspect.ts';
import type { Aspect, Effect, ItemChange } from './difference.ts';
import type { ItemReach } from './reach/item-reach.ts';
import type { ReachChange } from './reach/reach.ts';

/** @param otherwise effect according to the texts alone, when plans are missing */
export function reachAspects(
  name: string,
  [was, is]: readonly [string | null, string | null],
  change: ReachChange | undefined,
  otherwise: () => Effect,
): readonly Aspect[] {
  if (change === undefined) return toAspects(name, was, is, otherwise);
  // The text shows the policies only in part: the meaning of a condition may change while its text stays the same.
  return was === is ? changeAspects(change) : toAspects(name, was, is, change.effect);
}

/** Items that the tool lock does not know, reported as items of their own. */
export function listUnknownChanges(reach: ItemReach | undefined): readonly ItemChange[] {
  return (reach?.unknown ?? []).map(change => ({
    type: change.type,
    name: change.name,
    change: 'changed',
    effect: change.isRenamed ? 'mixed' : change.effect,
    alarms: [],
    aspects: [
      ...changeAspects(change),
      ...(change.isRenamed ? toAspects('names', 'as before', 'may be others', 'mixed') : []),
    ],
  }));
}

function changeAspects({ gained, lost }: ReachChange): readonly Aspect[] {
  const text = (whos: readonly string[]) => (whos.length === 0 ? null : whos.join('; or '));
  return [
    ...toAspects('open to', null, text(gained), 'wider'),
    ...toAspects('closed to', null, text(lost), 'narrower'),
  ];
}
