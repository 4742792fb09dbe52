/** The lists of single callers, without the items that the caller may not call. */
import { LRUCache } from 'lru-cache';
import type { CedarAction } from '#shared/plan';
import type { CallerAccess } from '../../auth/authorization/authorizer.ts';
import type { ItemKind } from '../offers/offered-items.ts';
import type { PreparedList } from '../offers/prepared-list.ts';
import type { RoutingTable } from './table.ts';

/** Maximum number of cached variants of one list. There is one for each set of visible items; callers with equal permissions share it. */
const MAX_VARIANTS = 32;

/** Number of consecutive decisions before other work runs: each decision costs some 50 microseconds. */
const DECISIONS_IN_A_ROW = 50;

const ACTIONS: Readonly<Record<ItemKind, CedarAction>> = {
  tools: 'call_tool',
  prompts: 'get_prompt',
  resources: 'read_resource',
  resourceTemplates: 'read_resource',
};

/** The visible items of a list: a bit for each, as text. */
type Choice = string;

interface Variants {
  readonly choices: WeakMap<CallerAccess, Promise<Choice>>;
  readonly lists: LRUCache<Choice, PreparedList>;
}

/** The variants of each list, which stay valid while the list and the permissions are the same. */
const variantsByList = new WeakMap<PreparedList, Variants>();

/** The items of a list that a caller may call; policies decide about a template by its literal text. */
export async function getVisibleList(
  table: Pick<RoutingTable, 'lists' | 'tools'>,
  kind: ItemKind,
  access: CallerAccess,
): Promise<PreparedList> {
  const list = table.lists[kind];
  if (access.isUnlimited) return list;
  const variants = variantsByList.get(list) ?? { choices: new WeakMap(), lists: new LRUCache({ max: MAX_VARIANTS }) };
  variantsByList.set(list, variants);
  return getVariant(list, variants, await getChoice(table, kind, access, variants));
}

function getChoice(
  table: Pick<RoutingTable, 'lists' | 'tools'>,
  kind: ItemKind,
  access: CallerAccess,
  variants: Variants,
): Promise<Choice> {
  let choosing = variants.choices.get(access);
  if (choosing === undefined) {
    choosing = choose(table, kind, access);
    variants.choices.set(access, choosing);
    choosing.catch(() => variants.choices.delete(access));
  }
  return choosing;
}

async function choose(
  { lists, tools }: Pick<RoutingTable, 'lists' | 'tools'>,
  kind: ItemKind,
  access: CallerAccess,
): Promise<Choice> {
  const { items } = lists[kind];
  const bits = Buffer.alloc(Math.ceil(items.length / 8));
  for (const [index, { key }] of items.entries()) {
    if (index % DECISIONS_IN_A_ROW === DECISIONS_IN_A_ROW - 1) await new Promise(setImmediate);
    const annotations = kind === 'tools' ? tools.get(key)?.annotations : undefined;
    if (access.maySee(ACTIONS[kind], { name: key, annotations }))
      bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
  }
  return bits.toString('latin1');
}

function isChosen(choice: Choice, index: number): boolean {
  return ((choice.charCodeAt(index >> 3) >> (index & 7)) & 1) === 1;
}

function getVariant(list: PreparedList, { lists }: Variants, choice: Choice): PreparedList {
  const known = lists.get(choice);
  if (known !== undefined) return known;
  const visible = list.only(index => isChosen(choice, index));
  lists.set(choice, visible);
  return visible;
}
