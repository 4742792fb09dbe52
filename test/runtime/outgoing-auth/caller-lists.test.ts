/** A backend's lists for single callers are separate, share memory where they are equal, and are limited in number. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CallerLists } from '../../../runtime/gateway/connections/caller-lists.ts';
import { NOTHING_OFFERED, type OfferedItem, type OfferedItems } from '../../../runtime/gateway/offers/offered-items.ts';

const toolsOf = (...tools: OfferedItem[]): OfferedItems => ({ ...NOTHING_OFFERED, tools });
const answer = (...names: string[]): OfferedItems => toolsOf(...names.map(name => ({ name })));
const told = (lists: CallerLists, caller: string) => lists.get(caller)?.offered.tools.map(({ name }) => name);
const changed = (lists: CallerLists, caller: string, offered: OfferedItems) => [
  ...lists.replace(caller, offered).changed,
];
const shown = ({ shown: { tools } }: CallerLists) => tools.map(({ name }) => name);
const ROOMY = { maxCallers: 10, maxNames: 100, maxCharacters: 10_000 };

describe('the item lists of callers', () => {
  test('a new list of a caller replaces only the former list of this caller', () => {
    const lists = new CallerLists();
    lists.replace('ann', answer('a', 'both'));
    lists.replace('bob', answer('both'));
    lists.replace('bob', answer());
    expect(told(lists, 'ann')).toEqual(['a', 'both']);
    expect(told(lists, 'bob')).toEqual([]);
    expect(shown(lists)).toEqual(['a', 'both']);
    lists.replace('ann', answer('a'));
    expect(shown(lists)).toEqual(['a']);
  });

  test('the gateway notices when the list of a caller has changed, and ignores the order and repetitions of its items', () => {
    const lists = new CallerLists();
    expect(changed(lists, 'ann', answer('a', 'b'))).toEqual(['tools']);
    expect(changed(lists, 'ann', answer('b', 'a', 'a'))).toEqual([]);
    expect(changed(lists, 'bob', NOTHING_OFFERED)).toEqual([]);
    expect(changed(lists, 'bob', { ...answer('a'), resources: [{ uri: 'x:y' }] })).toEqual(['tools', 'resources']);
    expect(changed(lists, 'bob', answer('a'))).toEqual(['resources']);
    expect(changed(lists, 'bob', toolsOf({ name: 'a', description: 'new' }))).toEqual(['tools']);
    expect(changed(lists, 'bob', answer())).toEqual(['tools']);
  });

  test('each caller gets the definitions in its own list, also when two callers have a tool of the same name', () => {
    const lists = new CallerLists();
    const of = (whose: string) => toolsOf({ name: 'pick', description: `projects of ${whose}` });
    lists.replace('ann', of('ann'));
    expect(changed(lists, 'bob', of('bob'))).toEqual(['tools']);
    expect(changed(lists, 'ann', of('ann'))).toEqual([]);
    for (const one of ['ann', 'bob']) expect(lists.get(one)?.offered).toEqual(of(one));
    expect(shown(lists)).toEqual(['pick']);
  });

  test('callers with equal lists share one list in memory, and different lists share their equal items', () => {
    const lists = new CallerLists();
    const common = () => ({ name: 'common', inputSchema: { type: 'object' } });
    expect(lists.replace('ann', toolsOf(common(), { name: 'a' })).items.tools.length).toBe(2);
    expect(lists.replace('bob', toolsOf({ name: 'a' }, common())).items).toEqual(NOTHING_OFFERED);
    expect(lists.replace('eve', toolsOf({ name: 'e' }, common())).items).toEqual(answer('e'));
    expect(lists.get('bob')).toBe(lists.get('ann'));
    expect(lists.get('eve')).not.toBe(lists.get('ann'));
    expect(lists.get('eve')?.offered.tools[0]).toBe(lists.get('ann')?.offered.tools[1]);
  });

  test('the list of a caller takes no further memory if another caller has the same list', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const lists = new CallerLists();
    const tell = (caller: string) => {
      const common = { name: 'common', description: 'the same' };
      lists.replace(caller, toolsOf({ name: caller }, common));
      return new WeakRef(common);
    };
    const [first, second] = [tell('ann'), tell('bob')];
    // The target of a WeakRef that was created or dereferenced lives until the end of that turn.
    await new Promise(resolve => setTimeout(resolve));
    collectGarbage();
    expect([first.deref() !== undefined, second.deref()]).toEqual([true, undefined]);
    expect(told(lists, 'bob')).toEqual(['bob', 'common']);
  });

  test('at the limit, the gateway drops the least recently used item lists of callers, with the items that no other list has', () => {
    const forgotten: string[] = [];
    const lists = new CallerLists(caller => forgotten.push(caller), { ...ROOMY, maxCallers: 2, maxNames: 4 });
    lists.replace('ann', answer('a'));
    lists.replace('bob', answer('b'));
    lists.get('ann');
    lists.replace('eve', answer('e'));
    expect(forgotten).toEqual(['bob']);
    expect(shown(lists)).toEqual(['a', 'e']);
    expect(lists.get('bob')).toBeUndefined();
    lists.replace('eve', answer('1', '2', '3', '4', '5'));
    expect(forgotten).toEqual(['bob', 'ann']);
    expect(told(lists, 'eve')).toEqual(['1', '2', '3', '4', '5']);
  });

  test('equal item lists of callers count once toward the limit of all lists, and long texts count more than short texts', () => {
    const forgotten: string[] = [];
    const lists = new CallerLists(caller => forgotten.push(caller), { ...ROOMY, maxNames: 4, maxCharacters: 200 });
    for (const caller of ['ann', 'bob', 'eve']) lists.replace(caller, answer('1', '2', '3', '4'));
    expect(forgotten).toEqual([]);
    lists.replace('dan', toolsOf({ name: '1', description: 'd'.repeat(150) }));
    expect(forgotten).toEqual(['ann', 'bob', 'eve']);
    lists.replace('ann', answer('1'));
    expect(forgotten).toEqual(['ann', 'bob', 'eve']);
    lists.replace('bob', toolsOf({ name: '2', description: 'd'.repeat(500) }));
    expect(forgotten.slice(3)).toEqual(['dan', 'ann']);
    expect(told(lists, 'bob')).toEqual(['2']);
  });

  test('no items of dropped item lists of callers remain in memory, after any sequence of changes', () => {
    const caller = fc.constantFrom('ann', 'bob', 'eve');
    const offered = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), n: fc.nat(2) }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(caller, offered)), steps => {
        const lists = new CallerLists(undefined, { ...ROOMY, maxCallers: 2 });
        for (const [one, tools] of steps) lists.replace(one, toolsOf(...tools));
        const held = ['ann', 'bob', 'eve'].flatMap(one => told(lists, one) ?? []);
        expect(shown(lists).toSorted()).toEqual([...new Set(held)].toSorted());
        lists.clear();
        expect([lists.isEmpty, shown(lists)]).toEqual([true, []]);
        // All of the budget is free again.
        lists.replace('x', answer(...Array.from({ length: 50 }, (_, index) => String(index))));
        lists.replace('y', answer(...Array.from({ length: 50 }, (_, index) => `y${index}`)));
        expect(lists.get('x')).toBeDefined();
      }),
      { seed: 1 },
    );
  });

  test('the item lists of callers keep items without a name, and items nested too deeply to print, for the report of withheld items', () => {
    const lists = new CallerLists();
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    const tools = [{ name: 'a', deep }, null, { title: 'no name' }] as unknown as OfferedItem[];
    lists.replace('ann', toolsOf(...tools));
    expect(new Set(lists.shown.tools)).toEqual(new Set(tools));
  });
});
