/** What each class of callers gains and loses across all tools, workflows, prompts and resources. */
import { compareText } from '#schemas';
import { grantKey, isCoveredBy, listGrants } from '../caller-sets.ts';
import type { CallerClass, Exposure, Who } from '../exposure.ts';
import { formatWho } from '../format-who.ts';
import { reachChange } from './content-changes.ts';
import type { CallerChange, ItemChange, ItemType, ReachedItem } from './difference.ts';
import type { ItemReach } from './reach/item-reach.ts';
import type { ReachChange } from './reach/reach.ts';

/** Changes of access grouped by the affected callers; unaffected callers are left out. */
export function diffReached(
  before: Exposure,
  after: Exposure,
  changes: readonly ItemChange[],
  reach: ItemReach,
): readonly CallerChange[] {
  const found = changes.flatMap(({ type, name, formerName = name, change }) => {
    const [was, is] = [change === 'added' ? undefined : formerName, change === 'removed' ? undefined : name];
    const reached = toReachedType(type);
    const callers = reached && findChange(type, { was, is }, { before, after }, reach);
    return callers === undefined || reached === undefined ? [] : [{ item: { type: reached, name }, ...callers }];
  });
  const of = (who: string): CallerChange => {
    const reading = reach.findReading(who);
    return {
      who,
      gained: found.filter(({ gained }) => gained.includes(who)).map(({ item }) => item),
      lost: found.filter(({ lost }) => lost.includes(who)).map(({ item }) => item),
      ...(reading && { reading }),
    };
  };
  const whos = new Set(found.flatMap(({ gained, lost }) => [...gained, ...lost]));
  return [...whos].sort(compareText).map(of);
}

const REACHED: { readonly [type in ItemType]?: ReachedItem['type'] } = {
  tool: 'tool',
  workflow: 'workflow',
  prompt: 'prompt',
  resource: 'resource',
  'resource template': 'resource',
};

function toReachedType(type: ItemType): ReachedItem['type'] | undefined {
  return REACHED[type];
}

function findChange(
  type: ItemType,
  names: { readonly was: string | undefined; readonly is: string | undefined },
  { before, after }: { readonly before: Exposure; readonly after: Exposure },
  reach: ItemReach,
): ReachChange | undefined {
  const unknown = reach.unknown.find(change => change.type === type && change.name === names.is);
  if (unknown !== undefined) return unknown;
  const of = <T extends { readonly name: string }>(items: (exposure: Exposure) => readonly T[]) =>
    [items(before).find(({ name }) => name === names.was), items(after).find(({ name }) => name === names.is)] as const;
  if (type === 'tool') return reach.tool(...of(({ tools }) => tools));
  if (type === 'workflow') return reach.named('call_tool', ...of(({ composites }) => composites));
  const named = (name: string | undefined) => (name === undefined ? undefined : { name });
  return reachChange(type, named(names.was), named(names.is), reach);
}

/** The changes for each class of callers. By `renames`, a renamed item is neither gained nor lost. */
export function diffCallers(
  before: Exposure | null,
  after: Exposure | null,
  renames: readonly ItemChange[],
): readonly CallerChange[] {
  const nameNow = new Map(
    renames.flatMap(({ type, name, formerName }) =>
      formerName === undefined ? [] : [[formatKey(type, formerName), name]],
    ),
  );
  const now = (item: ReachedItem) => ({ ...item, name: nameNow.get(formatKey(item.type, item.name)) ?? item.name });
  const old = indexClasses(before?.callers ?? [], now);
  const current = indexClasses(after?.callers ?? [], item => item);
  const whos = new Map([...old.whos, ...current.whos]);
  return [...whos].sort(compareByClass).flatMap(([, who]) => {
    const [was, is] = [old.reachedBy(who), current.reachedBy(who)];
    const gained = [...is].filter(([id]) => !was.has(id)).map(([, item]) => item);
    const lost = [...was].filter(([id]) => !is.has(id)).map(([, item]) => item);
    return gained.length === 0 && lost.length === 0 ? [] : [{ who: formatWho(who), gained, lost }];
  });
}

const EVERYONE_KEY = '';

/** The items that a class of callers reaches: its own, and those of every class that includes it. */
function indexClasses(callers: readonly CallerClass[], named: (item: ReachedItem) => ReachedItem) {
  const reached = callers.map(caller => ({ who: caller.who, items: listReached(caller).map(named) }));
  return {
    whos: callers.map(({ who }) => [formatClassKey(who), who] as const),
    reachedBy: (who: Who) =>
      new Map(
        reached
          .filter(entry => isCoveredBy(who, entry.who))
          .flatMap(({ items }) => items.map(item => [formatKey(item.type, item.name), item] as const)),
      ),
  };
}

function formatClassKey(who: Who): string {
  const [grant] = listGrants(who);
  return grant === undefined ? EVERYONE_KEY : grantKey(grant);
}

function listReached({ tools, composites, prompts, resources }: CallerClass): readonly ReachedItem[] {
  const of = (type: ReachedItem['type'], names: readonly string[]) => names.map(name => ({ type, name }));
  return [...of('tool', tools), ...of('workflow', composites), ...of('prompt', prompts), ...of('resource', resources)];
}

function formatKey(type: string, name: string): string {
  return JSON.stringify([type, name]);
}

function compareByClass([a]: readonly [string, Who], [b]: readonly [string, Who]): number {
  return compareText(a, b);
}
