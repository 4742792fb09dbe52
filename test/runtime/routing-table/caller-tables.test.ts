/** Routing tables for callers with different lists: the same result as `buildTable` for each, at the expected cost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AggregationPlan, ToolOverridePlan } from '#schemas';
import { CallerTables } from '../../../runtime/gateway/callers/caller-tables.ts';
import { SharedCapabilities } from '../../../runtime/gateway/callers/shared-capabilities.ts';
import { type AdvertisedList, CallerLists } from '../../../runtime/gateway/connections/caller-lists.ts';
import {
  KINDS,
  NOTHING_OFFERED,
  type OfferedItem,
  type OfferedItems,
} from '../../../runtime/gateway/offers/offered-items.ts';
import { type BackendOffer, buildTable, type RoutingTable } from '../../../runtime/gateway/routing/table.ts';
import { backendPlan } from '../../support/gateway.ts';
import { runs } from '../../support/runs.ts';

const NAMES = ['x', 'a_x', 'b_x', 'a_a_x', 'y', 'a_y', 'no name'];
const URIS = ['m://1', 'm://2', 'n://1', 'n://x/2'];
const TEMPLATES = ['m://{id}', 'n://{+any}', '{+all}', 'n://x/{id}', 'm://{broken'];

const name = fc.constantFrom(...NAMES);
const description = fc.constantFrom('one', 'two');
const inputSchema = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: 'object' }) },
  { weight: 1, arbitrary: fc.constant({ type: 'int' }) },
  {
    weight: 1,
    arbitrary: fc.constant({ type: 'object', properties: { r: { type: 'string', 'x-mcp-header': 'Region' } } }),
  },
);
const annotations = fc.option(fc.record({ readOnlyHint: fc.boolean() }), { nil: undefined });
const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 4 });
const items: fc.Arbitrary<OfferedItems> = fc.record({
  tools: list(fc.record({ name, description, inputSchema, annotations }).map(withoutUndefined)),
  prompts: list(fc.record({ name, description })),
  resources: list(fc.record({ uri: fc.constantFrom(...URIS), name: description })),
  resourceTemplates: list(fc.record({ uriTemplate: fc.constantFrom(...TEMPLATES), name: description })),
});

function withoutUndefined(item: OfferedItem): OfferedItem {
  return JSON.parse(JSON.stringify(item)) as OfferedItem;
}

const override: fc.Arbitrary<ToolOverridePlan> = fc.record(
  { name, description: fc.constant('overridden') },
  { requiredKeys: [] },
);
const advertise = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ type: 'all' as const }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('only' as const), names: fc.subarray(NAMES) }) },
);
const tools = fc.record({
  prefix: fc.constantFrom('', 'a_', 'b_'),
  advertise,
  overrides: fc.dictionary(name, override, { maxKeys: 2 }),
});
const offersOf = (names: readonly string[]) =>
  fc.tuple(
    ...names.map(backend =>
      fc
        .record({ tools, items, available: fc.boolean() })
        .map((offer): BackendOffer => ({ ...offer, plan: backendPlan(backend, 'http://x.test/mcp', offer) })),
    ),
  );
const aggregation: fc.Arbitrary<AggregationPlan> = fc.record({
  strategy: fc.constantFrom('prefix', 'priority', 'manual'),
  priorityOrder: fc.shuffledSubarray(['s0', 's1', 's2', 's3', 's4']),
});

/** Everything that requests read from a table. */
function seenIn(table: RoutingTable) {
  return {
    lists: KINDS.map(({ kind }) => table.lists[kind].items.map(({ key, json }) => [key, json])),
    tools: ['', 'a_', 'b_'].flatMap(prefix => NAMES.map(one => table.tools.get(prefix + one))),
    prompts: ['', 'a_', 'b_'].flatMap(prefix => NAMES.map(one => table.prompts.get(prefix + one))),
    templates: TEMPLATES.map(one => table.templates.get(one)),
    resources: [...URIS, 'm://other', 'n://x/other', 'other'].map(uri => table.resource(uri)),
  };
}

function toldOf(offered: OfferedItems): AdvertisedList {
  const lists = new CallerLists();
  lists.replace('ann', offered);
  return lists.get('ann') as AdvertisedList;
}

test('the routing table of a caller, built over the shared table, equals a table built of the items of all backends at once', () => {
  fc.assert(
    fc.property(aggregation, offersOf(['s1', 's2', 's4']), offersOf(['s0', 's3']), (plan, shared, own) => {
      const bundle = { aggregation: plan };
      const tables = new CallerTables(new SharedCapabilities(bundle, buildTable(bundle, shared)));
      const told = own.map(({ plan: backend, items: offered, available }) => {
        return { plan: backend, list: toldOf(offered), available };
      });
      expect(seenIn(tables.get(told))).toEqual(seenIn(buildTable(bundle, [...shared, ...own])));
    }),
    { numRuns: runs(1_000), seed: 7 },
  );
});

describe('the tables of callers', () => {
  const bundle = { aggregation: { strategy: 'prefix', priorityOrder: [] } as const };
  const [open, asking] = ['open', 'asking'].map(backend => backendPlan(backend, 'http://x.test/mcp')) as [
    BackendOffer['plan'],
    BackendOffer['plan'],
  ];
  const toolsOf = (...all: OfferedItem[]): OfferedItems => ({ ...NOTHING_OFFERED, tools: all });
  const tool = (one: string, text = 'common'): OfferedItem => ({
    name: one,
    description: text,
    inputSchema: { type: 'object' },
  });
  const shared = [{ plan: open, items: toolsOf(tool('all')), available: true }];

  function start() {
    const lists = new CallerLists();
    const tables = new CallerTables(new SharedCapabilities(bundle, buildTable(bundle, shared)));
    const getTable = (caller: string, ...all: OfferedItem[]) => {
      lists.replace(caller, toolsOf(...all));
      return tables.get([{ plan: asking, list: lists.get(caller) as AdvertisedList, available: true }]);
    };
    return { lists, getTable };
  }

  test('callers with the same items in their lists, in any order, share one routing table', () => {
    const { getTable } = start();
    const ann = getTable('ann', tool('b'), tool('a'));
    expect(getTable('bob', tool('a'), tool('b'))).toBe(ann);
    expect(ann.lists.tools.items.map(({ key }) => key)).toEqual(['asking_a', 'asking_b', 'open_all']);
    expect(getTable('eve', tool('a'), tool('b', "eve's"))).not.toBe(ann);
  });

  test('the tables of callers share the text of equal items in memory, also of the items that all callers have', () => {
    const { getTable } = start();
    const [ann, bob] = [getTable('ann', tool('a'), tool('b', "ann's")), getTable('bob', tool('a'), tool('b', "bob's"))];
    const prepared = [ann, bob].map(({ lists }) => lists.tools.items);
    expect(prepared.map(items => items.map(({ json }) => JSON.parse(json).description))).toEqual([
      ['common', "ann's", 'common'],
      ['common', "bob's", 'common'],
    ]);
    expect(prepared[0]?.[2]).toBe(prepared[1]?.[2]);
  });

  test('the gateway keeps the item lists of callers that often use them in memory, and builds the dropped lists of other callers again on request', () => {
    const { getTable } = start();
    const [ann, bob] = [getTable('ann', tool('a')), getTable('bob', tool('b'))];
    const before = [ann.lists, bob.lists];
    for (let i = 0; i < 31; i++) {
      void getTable(`caller ${i}`, tool(`c${i}`)).lists;
      void ann.lists;
    }
    expect(ann.lists).toBe(before[0]);
    expect(bob.lists).not.toBe(before[1]);
    expect(bob.lists.tools.items).toEqual(before[1]?.tools.items);
  });

  test('the routing table of a caller is built again when the caller gets a different list from a backend', () => {
    const { lists, getTable } = start();
    const before = getTable('ann', tool('a'));
    const list = lists.get('ann') as AdvertisedList;
    getTable('ann', tool('b'));
    expect(list.isHeld).toBe(false);
    expect(getTable('ann', tool('a'))).not.toBe(before);
  });
});
