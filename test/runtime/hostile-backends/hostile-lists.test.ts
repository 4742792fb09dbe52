import { afterAll, afterEach, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type RawHandler, type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';

const open: { close(): Promise<void> }[] = [];
const faults: unknown[] = [];
const onFault = (error: unknown) => void faults.push(error);
process.on('unhandledRejection', onFault);
// Vitest does not report later files in this process while another listener exists.
afterAll(() => void process.off('unhandledRejection', onFault));

afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
  expect(faults.splice(0), 'nothing may end the process').toEqual([]);
});

/** A backend whose `tools/list` answers with this JSON text. */
async function withList(result: string): Promise<RawServer> {
  const server = await startRawServer(
    withHandshake(({ message }, response) => {
      sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
    }, 's-1'),
  );
  open.push(server);
  return server;
}

async function gatewayTo(server: RawServer): Promise<TestGateway> {
  const gateway = await startGateway({ backends: [backendPlan('bad', `${server.origin}/mcp`)] });
  open.push({ close: () => gateway.stop() });
  return gateway;
}

test('the gateway withholds a definition that is nested too deeply, and serves the other definitions', async () => {
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  const server = await withList(
    `{"tools":[{"name":"deep","inputSchema":${deep}},{"name":"plain","inputSchema":{"type":"object"}}]}`,
  );
  const gateway = await gatewayTo(server);
  const raw = new RawClient(gateway.url);
  await raw.open();
  expect(await raw.result('tools/list')).toEqual({ tools: [{ name: 'bad_plain', inputSchema: { type: 'object' } }] });
  expect((await gateway.status()).withheld).toEqual([
    {
      kind: 'tools',
      backend: 'bad',
      name: 'deep',
      originalName: 'deep',
      reason: 'malformed',
      detail: 'is nested more than 90 levels deep',
    },
  ]);
});

test('the gateway stops reading a list whose pages return the same cursor again', async () => {
  const server = await withList('{"tools":[],"nextCursor":"same"}');
  const gateway = await gatewayTo(server);
  const message = await eventually(async () => (await gateway.status()).backends[0]?.message.match(/cursor.*/)?.[0]);
  expect(message).toBe('cursor of tools/list leads back to itself');
  expect(server.requests.filter(request => request.message?.method === 'tools/list').length).toBeLessThan(10);
});

test('the gateway refuses a page with more items than the limit, and /status says so', async () => {
  const items = Array.from({ length: 250_000 }, () => '0').join(',');
  const gateway = await gatewayTo(await withList(`{"tools":[${items}]}`));
  await eventually(async () =>
    (await gateway.status()).backends[0]?.message.includes('tools/list gave more than 100000 items'),
  );
});

/** Backends with these lists, page by page, and one with a valid tool. */
async function besideGood(lists: { readonly [method: string]: readonly (readonly object[])[] }): Promise<TestGateway> {
  const pages = new Map(Object.entries(lists).map(([method, all]) => [method, all.map(page => JSON.stringify(page))]));
  const handler: RawHandler = ({ message: { id, method, params } }, response) => {
    const at = Number(params?.cursor ?? 0);
    const next = at + 1 < (pages.get(method)?.length ?? 0) ? `,"nextCursor":"${at + 1}"` : '';
    const member = method.slice(0, method.indexOf('/'));
    const result = method.endsWith('/list') ? `{"${member}":${pages.get(method)?.[at] ?? '[]'}${next}}` : '{}';
    sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
  };
  const large = await startRawServer(withHandshake(handler, 's-1', { tools: {}, prompts: {} }));
  const good = await withList('{"tools":[{"name":"tool","inputSchema":{"type":"object"}}]}');
  open.push(large);
  const backends = [backendPlan('large', `${large.origin}/mcp`), backendPlan('good', `${good.origin}/mcp`)];
  const gateway = await startGateway({ backends });
  open.push({ close: () => gateway.stop() });
  return gateway;
}

const GOOD_TOOL = { name: 'good_tool', inputSchema: { type: 'object' } };
const toolOf = (name: string, length: number) => ({
  name,
  inputSchema: { type: 'object' },
  description: 'd'.repeat(length),
});
/** A page of this many Mi characters. */
const findPage = (name: string, mebi: number) =>
  Array.from({ length: 2 * mebi }, (_, index) => toolOf(`${name}${String(index).padStart(2, '0')}`, 2 ** 19));

test.each([
  ['one list', { 'tools/list': [findPage('a', 9), findPage('b', 9)] }],
  ['one page', { 'tools/list': [findPage('a', 17)] }],
  ['several lists', { 'tools/list': [findPage('a', 9)], 'prompts/list': [findPage('b', 9)] }],
])('the gateway serves the other backends when one backend has more than 16 MiB in %s', async (_, lists) => {
  const gateway = await besideGood(lists);
  const tooMuch = 'backend "large": its lists have more than 16777216 bytes together';
  await eventually(async () => (await gateway.status()).backends.some(({ message }) => message === tooMuch));
  const raw = new RawClient(gateway.url);
  await raw.open();
  expect(await raw.result('tools/list')).toMatchObject({ tools: [GOOD_TOOL] });
});

test('a client gets long lists in pages, without a definition that is too long for a page', async () => {
  const gateway = await besideGood({ 'tools/list': [findPage('a', 9), [toolOf('monster', 2 ** 20), toolOf('z', 1)]] });
  await eventually(async () => (await gateway.status()).counts.tools === 20);
  const raw = new RawClient(gateway.url);
  await raw.open();
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { text } = await raw.request('tools/list', cursor === undefined ? {} : { cursor });
    expect(text.length).toBeLessThan(2 ** 22 + 2 ** 10);
    const { tools, nextCursor } = JSON.parse(text).result;
    names.push(...tools.map(({ name }: { name: string }) => name));
    cursor = nextCursor;
  } while (cursor !== undefined);
  const long = findPage('a', 9).map(({ name }) => `large_${name}`);
  expect(names).toEqual(['good_tool', ...long, 'large_z']);
  expect((await gateway.status()).withheld).toMatchObject([{ backend: 'large', name: 'monster', reason: 'malformed' }]);
});

test.each([
  ['a resource template with exponential matching time', '{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}/z', 'a'],
  ['a URI that is chosen for a slow match', '{name}-{version}', '-'],
])('%s does not delay other requests', async (_, template, filling) => {
  const lists: { readonly [method: string]: object } = {
    'tools/list': { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [] },
    'resources/list': { resources: [] },
    'resources/templates/list': { resourceTemplates: [{ uriTemplate: `x://${template}`, name: 't' }] },
    'resources/read': { contents: [] },
  };
  const handler: RawHandler = ({ message: { id, method } }, response) =>
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: lists[method] ?? {} }));
  const server = await startRawServer(withHandshake(handler, 's-1', { tools: {}, resources: {} }));
  open.push(server);
  const raw = new RawClient((await gatewayTo(server)).url);
  await raw.open();
  for (const length of [8_000, 120_000, 4_000_000]) {
    const answer = await raw.request('resources/read', { uri: `x://${filling.repeat(length)}?` });
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: -32002 } });
  }
  expect(
    await raw.result('resources/read', { uri: `x://${filling.repeat(20)}${template.endsWith('z') ? '/z' : ''}` }),
  ).toEqual({
    contents: [],
  });
  expect(await raw.result('tools/call', { name: 'bad_tool' })).toEqual({ content: [] });
});
