/** Changes of prompts and resources, which clients read. */

import { NO_CALLERS } from '../caller-sets.ts';
import type { Exposure, Who } from '../exposure.ts';
import { formatAudiences } from '../format-who.ts';
import { toAspects } from './aspect.ts';
import type { ItemChange, ItemType } from './difference.ts';
import { combineEffects, compareAudiences } from './effect.ts';
import { diffAdmission, isAnonymous } from './gateway-changes.ts';
import { pairItems } from './pairs.ts';
import type { ItemReach } from './reach/item-reach.ts';
import type { ReachChange } from './reach/reach.ts';
import { reachAspects } from './reach-aspects.ts';
import { shortenDigest } from './tool-changes.ts';

interface Content {
  readonly name: string;
  readonly backend: string;
  /** The backend's name for the item. */
  readonly originalName: string;
  readonly digest: string;
  readonly direct: Who;
}

export function diffContent(
  before: Exposure | null,
  after: Exposure | null,
  reach: ItemReach | undefined,
): readonly ItemChange[] {
  const of = (type: ItemType, items: (exposure: Exposure) => readonly Content[]) =>
    listChanges(type, before && items(before), after && items(after), { before, after, reach });
  const uris = (items: Exposure['resources']) =>
    items.map(item => ({ ...item, name: item.uri, originalName: item.uri }));
  return [
    ...of('prompt', ({ prompts }) => prompts),
    ...of('resource', ({ resources }) => uris(resources)),
    ...of('resource template', ({ resourceTemplates }) => uris(resourceTemplates)),
  ];
}

function listChanges(
  type: ItemType,
  before: readonly Content[] | null,
  after: readonly Content[] | null,
  gateway: {
    readonly before: Exposure | null;
    readonly after: Exposure | null;
    readonly reach: ItemReach | undefined;
  },
): readonly ItemChange[] {
  const origin = ({ backend, originalName }: Content) => JSON.stringify([backend, originalName]);
  const isOpen = (content: Content | undefined) => content !== undefined && content.direct.type !== 'nobody';
  return pairItems(before ?? [], after ?? [], origin, ({ name }) => name).flatMap(
    ([was, is]): readonly ItemChange[] => {
      const one = is ?? was;
      if (one === undefined) return [];
      const isKept = was !== undefined && is !== undefined;
      const isRenamed = isKept && was.name !== is.name;
      const change = reachChange(type, was, is, gateway.reach);
      // A changed content only matters to callers who could read the resource before and still can.
      const content = isKept && staysReadable(type, was, is, gateway.reach) ? 'mixed' : 'same';
      const aspects = [
        ...(isKept && !isRenamed
          ? toAspects('definition', shortenDigest(was.digest), shortenDigest(is.digest), content)
          : []),
        ...toAspects('comes from', was?.backend ?? null, is?.backend ?? null, content),
        ...reachAspects('may read', formatAudiences(was?.direct, is?.direct), change, () =>
          compareAudiences(was?.direct ?? NO_CALLERS, is?.direct ?? NO_CALLERS),
        ),
        ...diffAdmission(gateway.before, gateway.after, isOpen(was) && isOpen(is)),
      ];
      const isNewToAnonymous =
        isAnonymous(gateway.after) && isOpen(is) && !(isAnonymous(gateway.before) && isOpen(was));
      if (aspects.length === 0 && !isRenamed) return [];
      const renaming = isRenamed ? (gateway.reach?.names('get_prompt', [was.name, is.name]) ?? 'mixed') : 'same';
      return [
        {
          type,
          name: one.name,
          ...(isRenamed ? { formerName: was.name } : {}),
          change: was === undefined ? 'added' : is === undefined ? 'removed' : isRenamed ? 'renamed' : 'changed',
          effect: combineEffects([...aspects.map(({ effect }) => effect), renaming]),
          alarms: isNewToAnonymous ? ['anonymous'] : [],
          aspects,
        },
      ];
    },
  );
}

function staysReadable(type: ItemType, was: Content, is: Content, reach: ItemReach | undefined): boolean {
  if (reach === undefined) return true;
  if (type === 'resource template') return reach.keeps.template(was.name, is.name);
  return reach.keeps.named(type === 'prompt' ? 'get_prompt' : 'read_resource', was, is);
}

/** The change of who can get a prompt or resource. Policies decide on the concrete URI, so a template stands for every URI that matches it. */
export function reachChange(
  type: ItemType,
  was: Pick<Content, 'name'> | undefined,
  is: Pick<Content, 'name'> | undefined,
  reach: ItemReach | undefined,
): ReachChange | undefined {
  if (type === 'resource template') return reach?.template(was?.name, is?.name);
  return reach?.named(type === 'prompt' ? 'get_prompt' : 'read_resource', was, is);
}
