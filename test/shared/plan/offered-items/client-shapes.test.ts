/** A list keeps exactly the items that the official clients of both generations accept; the test runs those clients. */
import * as next from '@modelcontextprotocol/core';
import * as sdk from '@modelcontextprotocol/sdk/types.js';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ItemList, splitItems } from '#shared/plan';
import { toReadableItem } from '../../../../shared/plan/item-shape.ts';
import { runs } from '../../../support/runs.ts';

const CLIENTS = {
  tools: [sdk.ListToolsResultSchema, next.ListToolsResultSchema],
  prompts: [sdk.ListPromptsResultSchema, next.ListPromptsResultSchema],
  resources: [sdk.ListResourcesResultSchema, next.ListResourcesResultSchema],
  resourceTemplates: [sdk.ListResourceTemplatesResultSchema, next.ListResourceTemplatesResultSchema],
} as const;

const LEAST = {
  tools: { name: 'a', inputSchema: { type: 'object' } },
  prompts: { name: 'a' },
  resources: { name: 'a', uri: 'x:1' },
  resourceTemplates: { name: 'a', uriTemplate: 'x:{a}' },
} as const;

type Item = Readonly<Record<string, unknown>>;

const isTaken = (list: ItemList, item: Item) =>
  CLIENTS[list].every(schema => schema.safeParse({ [list]: [item] }).success);
const isKept = (list: ItemList, item: Item) => splitItems([item], list).fit.length === 1;

describe.each<[ItemList, Item]>([
  ['tools', { name: null }],
  ['tools', { icons: [{ src: null }] }],
  ['tools', { description: 5 }],
  ['tools', { _meta: [] }],
  ['tools', { icons: {} }],
  ['tools', { icons: [{ mimeType: 'image/png' }] }],
  ['tools', { icons: [{ src: 'x', theme: 'grey' }] }],
  ['tools', { annotations: 5 }],
  ['tools', { annotations: { readOnlyHint: 'yes' } }],
  ['tools', { execution: 1 }],
  ['tools', { execution: { taskSupport: 'x' } }],
  ['prompts', { arguments: 5 }],
  ['prompts', { arguments: [{}] }],
  ['prompts', { arguments: [{ name: 'a', required: 'yes' }] }],
  ['resources', { size: '5' }],
  ['resources', { mimeType: 5 }],
  ['resources', { annotations: { audience: ['all'] } }],
  ['resources', { annotations: { priority: 2 } }],
  ['resourceTemplates', { annotations: { lastModified: 'today' } }],
  ['resourceTemplates', { annotations: { lastModified: '2026-02-31T00:00:00Z' } }],
])('%s with %j', (list, wrong) => {
  test(`the gateway withholds ${list} with ${JSON.stringify(wrong)}, which the client of the MCP SDK refuses`, () => {
    expect(isTaken(list, LEAST[list])).toBe(true);
    expect(isKept(list, LEAST[list])).toBe(true);
    expect(isTaken(list, { ...LEAST[list], ...wrong })).toBe(false);
    expect(isKept(list, { ...LEAST[list], ...wrong })).toBe(false);
  });
});

test.each(['resources', 'resourceTemplates'] as const)('the gateway withholds %s without a name', list => {
  const { name, ...nameless } = LEAST[list];
  expect(name).toBe('a');
  expect([isTaken(list, nameless), isKept(list, nameless)]).toEqual([false, false]);
});

test('the reason for a withheld prompt names the invalid member with its path', () => {
  const { unfit } = splitItems([{ ...LEAST.prompts, arguments: [{ name: 'x' }, { name: 5 }] }], 'prompts');
  expect(unfit.map(({ detail }) => detail)).toEqual(['cannot be read by clients: arguments[1].name must be a string']);
});

test('the gateway leaves out an optional member of a tool that is null, and no other member', () => {
  const item = {
    name: 'a',
    title: null,
    icons: [{ src: 'x', mimeType: null, own: null }],
    annotations: { title: null, readOnlyHint: true, own: null },
    inputSchema: { type: 'object', default: null },
    own: null,
  };
  expect(isTaken('tools', item)).toBe(false);
  expect(isKept('tools', item)).toBe(true);
  expect(toReadableItem(item, 'tools')).toEqual({
    name: 'a',
    icons: [{ src: 'x', own: null }],
    annotations: { readOnlyHint: true, own: null },
    inputSchema: { type: 'object', default: null },
    own: null,
  });
});

const wild = fc.jsonValue({ maxDepth: 2 });
const some = (...fit: readonly unknown[]) => fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...fit) }, wild);
const object = (members: Record<string, Arbitrary<unknown>>) =>
  fc.oneof({ weight: 6, arbitrary: fc.record(members, { requiredKeys: [] }) }, wild);
const list = (entry: Arbitrary<unknown>) => fc.oneof({ weight: 6, arbitrary: fc.array(entry, { maxLength: 2 }) }, wild);

const TIMES = [
  '2026-01-31T12:00:00Z',
  '2026-01-31T12:00:00+01:00',
  '2024-02-29T00:00:00.5Z',
  '2023-02-29T00:00:00Z',
  '0000-01-01T00:00Z',
];
const icons = list(
  object({
    src: some('https://x/y.png', ''),
    mimeType: some('image/png'),
    sizes: list(some('any')),
    theme: some('dark', 'light', 'x'),
  }),
);
const shared = { title: some('t'), description: some('d'), icons, _meta: object({ a: wild }), unknown: wild };
const content = {
  ...shared,
  mimeType: some('a/b'),
  annotations: object({
    audience: list(some('user', 'assistant', 'all')),
    priority: some(0, 1, 0.5, -1),
    lastModified: some(...TIMES),
  }),
};
const hint = some(true, false);
const MEMBERS: Record<ItemList, Record<string, Arbitrary<unknown>>> = {
  tools: {
    ...shared,
    annotations: object({
      title: some('t'),
      readOnlyHint: hint,
      destructiveHint: hint,
      idempotentHint: hint,
      openWorldHint: hint,
      other: wild,
    }),
    execution: object({ taskSupport: some('required', 'optional', 'forbidden', 'x') }),
  },
  prompts: { ...shared, arguments: list(object({ name: some('a'), description: some('d'), required: hint })) },
  resources: { ...content, size: some(0, 1.5) },
  resourceTemplates: content,
};

test.each(['tools', 'prompts', 'resources', 'resourceTemplates'] as const)(
  'the gateway keeps an item of %s exactly when the client of the MCP SDK accepts it',
  kind => {
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(fc.record(MEMBERS[kind], { requiredKeys: [] }), members => {
        const item = { ...members, ...LEAST[kind] };
        const taken = isTaken(kind, toReadableItem(item, kind));
        seen[`${taken}`]++;
        expect(isKept(kind, item)).toBe(taken);
        if (isTaken(kind, item)) expect(toReadableItem(item, kind)).toEqual(item);
      }),
      { numRuns: runs(3_000), seed: 1 },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(runs(100));
  },
);
