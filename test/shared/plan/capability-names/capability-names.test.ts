import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AggregationPlan, BackendToolPlan } from '#schemas';
import { type NameResolution, resolvePromptNames, resolveToolNames } from '#shared/plan';

const all: BackendToolPlan = { prefix: '', advertise: { type: 'all' }, overrides: {} };
const backend = (name: string, tools: Partial<BackendToolPlan> = {}) => ({
  name,
  tools: { ...all, prefix: `${name}_`, ...tools },
});
const offer = (name: string, ...names: string[]) => ({ backend: name, names });
const prefix: AggregationPlan = { strategy: 'prefix', priorityOrder: [] };
const manual: AggregationPlan = { strategy: 'manual', priorityOrder: [] };
const priority = (...priorityOrder: string[]): AggregationPlan => ({ strategy: 'priority', priorityOrder });

interface Row {
  readonly name: string;
  readonly plan: AggregationPlan;
  readonly backends: ReturnType<typeof backend>[];
  readonly offered: ReturnType<typeof offer>[];
  /** `advertised < backend.original`, with a leading `-` for hidden ones. */
  readonly named: string[];
  /** `name < backend.original reason`. */
  readonly withheld?: string[];
}

const rows: Row[] = [
  {
    name: 'prefix always adds a prefix, even without a conflict',
    plan: prefix,
    backends: [backend('a'), backend('b')],
    offered: [offer('a', 'search'), offer('b', 'search', 'read')],
    named: ['a_search < a.search', 'b_read < b.read', 'b_search < b.search'],
  },
  {
    name: 'prefix withholds two tools that are equal with their prefixes',
    plan: prefix,
    backends: [backend('a'), backend('a_b')],
    offered: [offer('a', 'b_c', 'ok'), offer('a_b', 'c')],
    named: ['a_ok < a.ok'],
    withheld: ['a_b_c < a.b_c collision', 'a_b_c < a_b.c collision'],
  },
  {
    name: 'an override is applied before the prefix and before the filter',
    plan: prefix,
    backends: [backend('a', { overrides: { x: { name: 'y' } }, advertise: { type: 'only', names: ['y'] } })],
    offered: [offer('a', 'x', 'z')],
    named: ['a_y < a.x', '-a_z < a.z'],
  },
  {
    name: 'an override named like an object member is only an override when it is one',
    plan: manual,
    backends: [backend('a')],
    offered: [offer('a', 'constructor', 'toString')],
    named: ['constructor < a.constructor', 'toString < a.toString'],
  },
  {
    name: 'a rename to the name of another tool of the backend withholds both tools',
    plan: manual,
    backends: [backend('a', { overrides: { x: { name: 'y' } } })],
    offered: [offer('a', 'x', 'y')],
    named: [],
    withheld: ['y < a.x collision', 'y < a.y collision'],
  },
  {
    name: 'manual adds no prefix and withholds conflicts',
    plan: manual,
    backends: [backend('a'), backend('b')],
    offered: [offer('a', 'search', 'one'), offer('b', 'search', 'two')],
    named: ['one < a.one', 'two < b.two'],
    withheld: ['search < a.search collision', 'search < b.search collision'],
  },
  {
    name: 'manual with an override that resolves the conflict',
    plan: manual,
    backends: [backend('a', { overrides: { search: { name: 'find' } } }), backend('b')],
    offered: [offer('a', 'search'), offer('b', 'search')],
    named: ['find < a.search', 'search < b.search'],
  },
  {
    name: 'priority keeps the tool of the first backend in the order and drops the tools of the others',
    plan: priority('b', 'a'),
    backends: [backend('a'), backend('b'), backend('c')],
    offered: [offer('a', 'search', 'mine'), offer('b', 'search'), offer('c', 'search')],
    named: ['mine < a.mine', 'search < b.search'],
    withheld: ['search < a.search outranked', 'search < c.search outranked'],
  },
  {
    name: 'priority adds prefixes in a conflict among unlisted backends',
    plan: priority('a'),
    backends: [backend('a'), backend('b'), backend('c')],
    offered: [offer('a', 'mine'), offer('b', 'search'), offer('c', 'search')],
    named: ['b_search < b.search', 'c_search < c.search', 'mine < a.mine'],
  },
  {
    name: 'priority withholds a prefixed name that equals a name without a prefix, and this name',
    plan: priority('a'),
    backends: [backend('a'), backend('b'), backend('c')],
    offered: [offer('a', 'b_search'), offer('b', 'search'), offer('c', 'search')],
    named: ['c_search < c.search'],
    withheld: ['b_search < a.b_search collision', 'b_search < b.search collision'],
  },
  {
    name: 'hidden tools take part in conflicts and can be called',
    plan: manual,
    backends: [backend('a', { advertise: { type: 'none' } }), backend('b')],
    offered: [offer('a', 'search', 'inner'), offer('b', 'search')],
    named: ['-inner < a.inner'],
    withheld: ['search < a.search collision', 'search < b.search collision'],
  },
  {
    name: 'a tool that a backend lists twice is withheld',
    plan: prefix,
    backends: [backend('a')],
    offered: [offer('a', 'x', 'x')],
    named: [],
    withheld: ['a_x < a.x collision', 'a_x < a.x collision'],
  },
  { name: 'a backend outside the plan is left out', plan: prefix, backends: [], offered: [offer('a', 'x')], named: [] },
];

describe('tool names', () => {
  test.each(rows.map(row => [row.name, row] as const))(
    'a gateway names its tools by the conflict resolution: %s',
    (_, { plan, backends, offered, named, withheld }) => {
      const resolution = resolveToolNames(plan, backends, offered);
      expect(resolution.named.map(t => `${t.advertised ? '' : '-'}${t.name} < ${t.backend}.${t.originalName}`)).toEqual(
        named,
      );
      expect(resolution.withheld.map(t => `${t.name} < ${t.backend}.${t.originalName} ${t.reason}`)).toEqual(
        withheld ?? [],
      );
    },
  );

  test('every tool gets one unique name or is withheld, and the order of backends does not matter', () => {
    const name = fc.constantFrom('x', 'y', 'a_x', 'b_x', 'a', '');
    const offered = fc.record({ a: fc.uniqueArray(name), b: fc.uniqueArray(name), a_b: fc.uniqueArray(name) });
    const plan = fc.constantFrom(prefix, manual, priority('a'), priority('b', 'a'), priority('zzz'));
    fc.assert(
      fc.property(offered, plan, (lists, aggregation) => {
        const backends = Object.keys(lists).map(key => backend(key));
        const offers = Object.entries(lists).map(([key, names]) => offer(key, ...names));
        const resolution = resolveToolNames(aggregation, backends, offers);
        const names = resolution.named.map(tool => tool.name);
        expect(new Set(names).size).toBe(names.length);
        expect(resolution.named.length + resolution.withheld.length).toBe(offers.flatMap(o => o.names).length);
        expect(resolveToolNames(aggregation, backends.toReversed(), offers.toReversed())).toEqual(resolution);
      }),
      { seed: 7, numRuns: 500 },
    );
  });
});

/** More than the number of arguments that a call can have. */
const MANY = 150_000;

test.each([
  ['prefix', prefix, 'collision', 'collision'],
  ['priority', priority('a'), 'collision', 'collision'],
  ['priority that does not list the backend', priority('b'), 'collision', 'collision'],
] as const)('a gateway with %s withholds a name that one backend offers very often', (_, plan, tools, prompts) => {
  const offered = [{ backend: 'a', names: new Array<string>(MANY).fill('x') }];
  const reasons = ({ withheld }: NameResolution) => [withheld.length, ...new Set(withheld.map(({ reason }) => reason))];
  expect(reasons(resolveToolNames(plan, [backend('a')], offered))).toEqual([MANY, tools]);
  expect(reasons(resolvePromptNames(plan, [backend('a')], offered))).toEqual([MANY, prompts]);
});

describe('prompt names', () => {
  const promptRows: {
    name: string;
    plan: AggregationPlan;
    offered: ReturnType<typeof offer>[];
    named: string[];
    withheld?: string[];
  }[] = [
    { name: 'prefix adds a prefix', plan: prefix, offered: [offer('a', 'p')], named: ['a_p < a.p'] },
    { name: 'manual adds a prefix', plan: manual, offered: [offer('a', 'p')], named: ['a_p < a.p'] },
    {
      name: 'priority adds no prefix for listed backends, and a prefix for unlisted backends',
      plan: priority('b', 'a'),
      offered: [offer('a', 'p'), offer('b', 'p'), offer('c', 'p')],
      named: ['c_p < c.p', 'p < b.p'],
      withheld: ['p < a.p outranked'],
    },
    {
      name: 'ambiguous names are withheld from all backends',
      plan: priority('a'),
      offered: [offer('a', 'b_p'), offer('b', 'p')],
      named: [],
      withheld: ['b_p < a.b_p collision', 'b_p < b.p collision'],
    },
  ];
  test.each(promptRows.map(row => [row.name, row] as const))(
    'a gateway names its prompts by the conflict resolution: %s',
    (_, { plan, offered, named, withheld }) => {
      const resolution = resolvePromptNames(plan, [backend('a'), backend('b'), backend('c')], offered);
      expect(resolution.named.map(p => `${p.name} < ${p.backend}.${p.originalName}`)).toEqual(named);
      expect(resolution.withheld.map(p => `${p.name} < ${p.backend}.${p.originalName} ${p.reason}`)).toEqual(
        withheld ?? [],
      );
    },
  );
});
