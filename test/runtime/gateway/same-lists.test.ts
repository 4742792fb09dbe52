import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '#runtime';
import { UNLIMITED } from '../../../runtime/auth/authorization/authorizer.ts';
import { Gateway } from '../../../runtime/gateway/gateway.ts';
import { areListsEqual } from '../../../runtime/gateway/offers/lists-equal.ts';
import { NOTHING_OFFERED, type OfferedItem } from '../../../runtime/gateway/offers/offered-items.ts';
import { backendPlan, eventually, FIRST_LIST_WAIT_MS, gatewayBundle } from '../../support/gateway.ts';
import { sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';

const getLists = (...tools: unknown[]) => ({ ...NOTHING_OFFERED, tools: tools as OfferedItem[] });
const copyOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const nested = (levels: number, inner: string): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`);

test.each<[string, unknown, unknown, boolean]>([
  ['an additional member', { a: 1 }, { a: 1, b: 2 }, false],
  ['another name', { a: 1 }, { b: 1 }, false],
  ['the name of a member of all objects', {}, { toString: 1 }, false],
  ['a list in place of an object', {}, [], false],
  ['an object in place of a list', [], {}, false],
  ['null in place of an object', {}, null, false],
  ['a string in place of a number', 1, '1', false],
  ['a longer list', [1], [1, 2], false],
  ['a deeply nested difference', nested(80, '1'), nested(80, '2'), false],
  ['a difference so deep that the item is withheld', nested(50_000, '1'), nested(50_000, '2'), true],
])('the gateway compares two lists of a backend: %s', (_, a, b, isSame) => {
  expect(areListsEqual(getLists(a), getLists(b))).toBe(isSame);
  expect(areListsEqual(getLists({ given: a }), { ...NOTHING_OFFERED, tools: [{ given: b }] })).toBe(isSame);
});

test('two lists are equal exactly if their JSON is equal', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(areListsEqual(getLists(a), getLists(copyOf(a)))).toBe(true);
      expect(areListsEqual(getLists(a), getLists(b))).toBe(JSON.stringify(a) === JSON.stringify(b));
      if (areListsEqual(getLists(a), getLists(b))) expect(isDeepStrictEqual(copyOf(a), copyOf(b))).toBe(true);
    }),
    { seed: 14, numRuns: 1_000 },
  );
});

test('the gateway builds its routing table again only for changed lists', async () => {
  let tools = [{ name: 'a', inputSchema: { type: 'object' } }];
  let readings = 0;
  const server = await startRawServer(
    withHandshake(({ message: { id, method } }, response) => {
      if (method === 'tools/list') readings++;
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }));
    }),
  );
  onTestFinished(() => server.close());
  const health = { intervalMs: 50, timeoutMs: 5_000, unhealthyThreshold: 1_000 };
  const bundle = gatewayBundle({ backends: [backendPlan('b', `${server.origin}/mcp`)], operational: { health } });
  const gateway = new Gateway(bundle, UNLIMITED, {
    version: '0',
    log: createLogger('silent'),
    firstListWaitMs: FIRST_LIST_WAIT_MS,
  });
  onTestFinished(() => gateway.close());
  await gateway.start();
  await gateway.settled();
  const { table } = gateway;
  expect([...table.tools.keys()]).toEqual(['b_a']);
  const before = readings;
  await eventually(() => readings > before + 3);
  expect(gateway.table).toBe(table);
  tools = [{ name: 'a', inputSchema: { type: 'object' } }, ...tools.map(tool => ({ ...tool, name: 'c' }))];
  await eventually(() => gateway.table.tools.has('b_c'));
});
