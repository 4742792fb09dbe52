/** However many items of backends cannot be served: the rest is, and the messages stay readable. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AggregationPlan } from '#schemas';
import { NOTHING_OFFERED, type OfferedItem, type OfferedItems } from '../../../runtime/gateway/offers/offered-items.ts';
import { type BackendOffer, buildTable, type ItemTable } from '../../../runtime/gateway/routing/table.ts';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';

const inputSchema = { type: 'object' };
const prefix: AggregationPlan = { strategy: 'prefix', priorityOrder: [] };

/** More than the number of arguments that a call can have. */
const MANY = 150_000;

function offer(name: string, items: Partial<OfferedItems>, toolPrefix = `${name}_`): BackendOffer {
  const tools = { prefix: toolPrefix, advertise: { type: 'all' }, overrides: {} } as const;
  const plan = backendPlan(name, `http://${name}.test/mcp`, { tools });
  return { plan, items: { ...NOTHING_OFFERED, ...items }, available: true };
}

const items = (count: number, itemOf: (index: number) => OfferedItem): OfferedItem[] =>
  Array.from({ length: count }, (_, i) => itemOf(i));
const counted = ({ withheld, moreWithheld }: ItemTable): { readonly [backend: string]: number } => {
  const counts: Record<string, number> = {};
  for (const { backend } of withheld) counts[backend] = (counts[backend] ?? 0) + 1;
  for (const { backend, count } of moreWithheld) counts[backend] = (counts[backend] ?? 0) + count;
  return counts;
};

const good = offer('good', { tools: [{ name: 'tool', inputSchema }], resources: [{ uri: 'x://good', name: 'r' }] });
const bare = (name: string, items: Partial<OfferedItems>) => offer(name, items, '');
const same = (index: number) => ({ name: `same${index}`, inputSchema });

describe(`a table with ${MANY} items that cannot be served`, () => {
  test.each<[string, AggregationPlan, BackendOffer[], { readonly [backend: string]: number }]>([
    [
      'for their schemas, at two backends',
      prefix,
      ['bad', 'worse'].map(name =>
        offer(name, { tools: items(MANY / 2, i => ({ name: `t${i}`, inputSchema: { type: 'int' } })) }),
      ),
      { bad: MANY / 2, worse: MANY / 2 },
    ],
    ['that have no names', prefix, [offer('bad', { tools: items(MANY, () => ({ title: 't' })) })], { bad: MANY }],
    [
      'that have the same name',
      prefix,
      [offer('bad', { prompts: items(MANY + 1, () => ({ name: 'one' })) })],
      { bad: MANY },
    ],
    [
      'because two backends have their names',
      prefix,
      ['bad', 'worse'].map(name => bare(name, { tools: items(MANY, same) })),
      { bad: MANY, worse: MANY },
    ],
    [
      'because another backend comes first',
      { strategy: 'priority', priorityOrder: ['good', 'bad', 'worse'] },
      ['bad', 'worse'].map(name => bare(name, { prompts: items(MANY, same) })),
      { worse: MANY },
    ],
    [
      'because another backend has their URIs',
      prefix,
      ['bad', 'worse'].map(name => offer(name, { resources: items(MANY, i => ({ uri: `x://${i}`, name: 'r' })) })),
      { worse: MANY },
    ],
    [
      'because they are no URI templates',
      prefix,
      [offer('bad', { resourceTemplates: items(MANY, i => ({ uriTemplate: `x://{${i}`, name: 't' })) })],
      { bad: MANY },
    ],
  ])('the gateway serves the other items when many items are withheld %s', (_, aggregation, bad, counts) => {
    const table = buildTable({ aggregation }, [good, ...bad]);
    expect(table.lists.tools.items.filter(({ key }) => /^(good_)?tool$/.test(key))).toHaveLength(1);
    expect(table.resource('x://good')).toEqual({ backend: 'good', originalName: 'x://good' });
    expect(counted(table)).toEqual(counts);
    expect(table.withheld.length).toBeLessThanOrEqual(500);
  });
});

test('URI templates of a backend beyond the first thousand are withheld, and those of other backends are served', () => {
  const resourceTemplates = items(1002, i => ({ uriTemplate: `x://{a}/t${i}`, name: 't' }));
  const other = offer('other', { resourceTemplates: [{ uriTemplate: 'x://{a}/other', name: 't' }] });
  const table = buildTable({ aggregation: prefix }, [offer('bad', { resourceTemplates }), other]);
  expect(table.templates.size).toBe(1001);
  expect(table.lists.resourceTemplates.items).toHaveLength(1001);
  expect(['t999', 't1000', 'other'].map(end => table.resource(`x://a/${end}`)?.backend)).toEqual([
    'bad',
    undefined,
    'other',
  ]);
  const detail = 'only the first 1000 are served';
  expect(table.withheld).toEqual(
    ['x://{a}/t1000', 'x://{a}/t1001'].map(name => ({
      kind: 'resourceTemplates',
      backend: 'bad',
      name,
      originalName: name,
      reason: 'too_many',
      detail,
    })),
  );
});

describe('the report of withheld items', () => {
  const bad = (name: string, count: number) =>
    offer(name, { tools: items(count, i => ({ name: `t ${i}`, inputSchema })) });
  const shownOf = (table: ItemTable) => table.withheld.map(({ backend }) => backend);
  const count = (names: readonly string[], name: string) => names.filter(one => one === name).length;

  test('the report of withheld items names the first 100 items of each backend, and counts its further items', () => {
    const table = buildTable({ aggregation: prefix }, [bad('a', 103), bad('b', 100)]);
    const shown = shownOf(table);
    expect([count(shown, 'a'), count(shown, 'b')]).toEqual([100, 100]);
    expect(table.moreWithheld).toEqual([{ backend: 'a', count: 3 }]);
  });

  test('the report of withheld items gives each of many backends the same share, and leaves out no backend', () => {
    const names = items(20, i => ({ name: `b${i}` })).map(({ name }) => name as string);
    const table = buildTable({ aggregation: prefix }, [...names.map(name => bad(name, 60)), bad('few', 2)]);
    const shown = shownOf(table);
    expect(names.map(name => count(shown, name))).toEqual(names.map(() => 23));
    expect(count(shown, 'few')).toBe(2);
    expect(table.moreWithheld).toEqual(names.toSorted().map(backend => ({ backend, count: 37 })));
    const each = items(600, i => ({ name: `b${i}` })).map(({ name }) => bad(name as string, 2));
    expect(new Set(shownOf(buildTable({ aggregation: prefix }, each))).size).toBe(600);
  });

  test('the report of withheld items is short enough for the controller, with any characters in the names', () => {
    const wild = (name: string) =>
      offer(name, { tools: items(200, i => ({ name: `${i}${'\u0001'.repeat(400)}`, inputSchema })) });
    const names = items(30, i => ({ name: `b${i}` })).map(({ name }) => name as string);
    const table = buildTable({ aggregation: prefix }, names.map(wild));
    expect(counted(table)).toEqual(Object.fromEntries(names.map(name => [name, 200])));
    expect(JSON.stringify(table.withheld).length).toBeLessThan(2 * 1024 * 1024);
  });

  test('the report of withheld items shortens long names and URIs', () => {
    const long = 'n'.repeat(100_000);
    const table = buildTable({ aggregation: prefix }, [
      offer('a', { tools: [{ name: long, inputSchema }], resourceTemplates: [{ uriTemplate: long, name: 't' }] }),
    ]);
    const shortened = `${'n'.repeat(255)}…`;
    expect(table.withheld.map(({ originalName }) => originalName)).toEqual([shortened, shortened]);
  });
});

test('two backends with very many invalid tools do not change the tools of other backends', async () => {
  const bad = JSON.stringify(items(MANY / 2, i => ({ name: `t${i}`, inputSchema: { type: 'int' } })));
  const backendWith = async (tools: string) => {
    const server = await startRawServer(
      withHandshake(({ message }, response) => {
        const result = message.method === 'tools/list' ? `{"tools":${tools}}` : '{"content":[]}';
        sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
      }, 's-1'),
    );
    onTestFinished(() => server.close());
    return `${server.origin}/mcp`;
  };
  const backends = [
    backendPlan('good', await backendWith(JSON.stringify([{ name: 'tool', inputSchema }]))),
    backendPlan('bad', await backendWith(bad)),
    backendPlan('worse', await backendWith(bad)),
  ];
  await using gateway = await startGateway({ backends });
  await eventually(async () => (await gateway.status()).backends.every(({ status }) => /ready|degraded/.test(status)));
  const client = new RawClient(gateway.url);
  await client.open();
  expect(await client.result('tools/list')).toEqual({ tools: [{ name: 'good_tool', inputSchema }] });
  expect(await client.result('tools/call', { name: 'good_tool' })).toEqual({ content: [] });
  const page = await gateway.status();
  expect(page).toMatchObject({ healthy: true, counts: { tools: 1 } });
  expect(page.withheld).toHaveLength(200);
  const left = MANY / 2 - 100;
  expect(page.moreWithheld).toEqual(['bad', 'worse'].map(backend => ({ backend, count: left })));
});
