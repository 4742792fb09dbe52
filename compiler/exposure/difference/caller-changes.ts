/** What each class of callers gains and loses, across all tools, workflows, prompts and resources. */
import { compareText } from '#schemas';
import type { CallerClass, Exposure, Who } from '../exposure.ts';
import { grantKey, grantsOf, isCoveredBy } from '../who.ts';
import { whoText } from '../who-text.ts';
import type { CallerChange, ItemChange, Reached } from './difference.ts';

/** `renames`: a thing that has another name now is neither gained nor lost. */
export function callerChanges(
  before: Exposure | null,
  after: Exposure | null,
  renames: readonly ItemChange[],
): readonly CallerChange[] {
  const nameNow = new Map(
    renames.flatMap(({ type, name, formerName }) =>
      formerName === undefined ? [] : [[keyOf(type, formerName), name]],
    ),
  );
  const now = (item: Reached) => ({ ...item, name: nameNow.get(keyOf(item.type, item.name)) ?? item.name });
  const old = classes(before?.callers ?? [], now);
  const current = classes(after?.callers ?? [], item => item);
  const whos = new Map([...old.whos, ...current.whos]);
  return [...whos].sort(byClass).flatMap(([, who]) => {
    const [was, is] = [old.reachedBy(who), current.reachedBy(who)];
    const gained = [...is].filter(([id]) => !was.has(id)).map(([, item]) => item);
    const lost = [...was].filter(([id]) => !is.has(id)).map(([, item]) => item);
    return gained.length === 0 && lost.length === 0 ? [] : [{ who: whoText(who), gained, lost }];
  });
}

const EVERYONE_KEY = '';

/** What the callers of a class have: all that is open to them and to everyone among whom they certainly are. */
function classes(callers: readonly CallerClass[], named: (item: Reached) => Reached) {
  const reached = callers.map(caller => ({ who: caller.who, items: itemsOf(caller).map(named) }));
  return {
    whos: callers.map(({ who }) => [classKey(who), who] as const),
    reachedBy: (who: Who) =>
      new Map(
        reached
          .filter(one => isCoveredBy(who, one.who))
          .flatMap(({ items }) => items.map(item => [keyOf(item.type, item.name), item] as const)),
      ),
  };
}

function classKey(who: Who): string {
  const [grant] = grantsOf(who);
  return grant === undefined ? EVERYONE_KEY : grantKey(grant);
}

function itemsOf({ tools, composites, prompts, resources }: CallerClass): readonly Reached[] {
  const of = (type: Reached['type'], names: readonly string[]) => names.map(name => ({ type, name }));
  return [...of('tool', tools), ...of('workflow', composites), ...of('prompt', prompts), ...of('resource', resources)];
}

function keyOf(type: string, name: string): string {
  return JSON.stringify([type, name]);
}

function byClass([a]: readonly [string, Who], [b]: readonly [string, Who]): number {
  return compareText(a, b);
}
