/** What single callers were told: kept apart, united for routing, and bounded. */
import { describe, expect, test } from 'vitest';
import { CallerLists } from '../../../runtime/gateway/caller-lists.ts';
import { type Capabilities, NO_CAPABILITIES } from '../../../runtime/gateway/capabilities.ts';

const answer = (...names: string[]): Capabilities => ({ ...NO_CAPABILITIES, tools: names.map(name => ({ name })) });
const united = (lists: CallerLists) => lists.union.tools.map(({ name }) => name).toSorted();
const told = (lists: CallerLists, caller: string) => [...(lists.of(caller)?.tools ?? [])];

describe('lists of callers', () => {
  test('an answer replaces what the same caller was told, and nothing else', () => {
    const lists = new CallerLists();
    lists.replace('ann', answer('a', 'both'));
    lists.replace('bob', answer('both'));
    lists.replace('bob', answer());
    expect(told(lists, 'ann')).toEqual(['a', 'both']);
    expect(united(lists)).toEqual(['a', 'both']);
    lists.replace('ann', answer('a'));
    expect(united(lists)).toEqual(['a']);
  });

  test('says who sees something else than before; the union stays the same object while nothing changes', () => {
    const lists = new CallerLists();
    expect([...lists.replace('ann', answer('a', 'b'))]).toEqual([['ann', new Set(['tools'])]]);
    const { union } = lists;
    expect([...lists.replace('ann', answer('b', 'a', 'a'))]).toEqual([]);
    expect([...lists.replace('bob', answer('a'))]).toEqual([['bob', new Set(['tools'])]]);
    expect(lists.union).toBe(union);
    const redefined = { ...NO_CAPABILITIES, tools: [{ name: 'a', description: 'new' }] };
    expect([...lists.replace('bob', redefined).keys()].toSorted()).toEqual(['ann', 'bob']);
    expect(lists.union.tools).toEqual([{ name: 'a', description: 'new' }, { name: 'b' }]);
    expect([...lists.replace('ann', answer('b')).keys()]).toEqual(['ann']);
  });

  test('those used least recently make room, with the names that were only theirs', () => {
    const forgotten: string[] = [];
    const lists = new CallerLists(caller => forgotten.push(caller), { maxCallers: 2, maxNames: 4 });
    lists.replace('ann', answer('a'));
    lists.replace('bob', answer('b'));
    lists.of('ann');
    lists.replace('eve', answer('e'));
    expect(forgotten).toEqual(['bob']);
    expect(united(lists)).toEqual(['a', 'e']);
    expect(lists.of('bob')).toBeUndefined();
    lists.replace('eve', answer('1', '2', '3', '4', '5'));
    expect(forgotten).toEqual(['bob', 'ann']);
    expect(told(lists, 'eve')).toEqual(['1', '2', '3', '4', '5']);
  });

  test('what has no name is kept for the report of what is withheld', () => {
    const lists = new CallerLists();
    const tools = [{ title: 'no name' }, null] as unknown as Capabilities['tools'];
    lists.replace('ann', { ...NO_CAPABILITIES, tools });
    expect(lists.union.tools).toEqual(tools);
  });
});
