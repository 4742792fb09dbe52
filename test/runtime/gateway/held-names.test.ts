/**
 * Names outlast outages (runtime/adr/0003): a gateway that starts while a backend is unavailable gives none of that backend's locked names to
 * another, and agrees with a gateway that has known the backend before.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AggregationPlan, BackendPlan, LockedNamesPlan } from '#schemas';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';

const BOTH: LockedNamesPlan = {
  tools: ['search'],
  prompts: ['greet'],
  resources: ['memo://one'],
  resourceTemplates: ['memo://{id}'],
};

/** A backend that offers all of `BOTH`, and names itself in each response. */
async function startBackend(name: string, port = 0): Promise<RawServer> {
  const server = await startRawServer(
    withHandshake(
      ({ message: { id, method } }, response) => {
        const results: { readonly [method: string]: object } = {
          'tools/list': { tools: BOTH.tools.map(tool => ({ name: tool, inputSchema: { type: 'object' } })) },
          'prompts/list': { prompts: BOTH.prompts.map(prompt => ({ name: prompt })) },
          'resources/list': { resources: BOTH.resources.map(uri => ({ uri, name: uri })) },
          'resources/templates/list': {
            resourceTemplates: BOTH.resourceTemplates.map(uriTemplate => ({ uriTemplate, name: uriTemplate })),
          },
          'tools/call': { content: [{ type: 'text', text: name }] },
          'prompts/get': { messages: [], description: name },
          'resources/read': { contents: [{ uri: 'memo://one', text: name }] },
        };
        sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
      },
      's-1',
      { tools: {}, prompts: {}, resources: {} },
    ),
    port,
  );
  onTestFinished(() => server.close());
  return server;
}

const REQUESTS: readonly (readonly [method: string, params: object])[] = [
  ['tools/call', { name: 'search', arguments: {} }],
  ['prompts/get', { name: 'greet' }],
  ['resources/read', { uri: 'memo://one' }],
  ['resources/read', { uri: 'memo://two' }],
];

/** For each request, the backend that answers it, or that its backend is unavailable, or that no backend has the name. */
async function holders(gateway: TestGateway): Promise<readonly string[]> {
  const client = new RawClient(gateway.url);
  await client.open();
  const found: string[] = [];
  for (const [method, params] of REQUESTS) {
    const { result, error } = JSON.parse((await client.request(method, params)).text);
    if (error !== undefined) found.push(error.data?.backend === undefined ? 'unknown' : `away: ${error.data.backend}`);
    else found.push(result.content?.[0].text ?? result.description ?? result.contents[0].text);
  }
  return found;
}

const STRATEGIES: readonly (readonly [
  name: string,
  aggregation: AggregationPlan,
  /** The owner of the tool, prompt, resource and a URI of the template. */
  held: readonly string[],
])[] = [
  ['priority', { strategy: 'priority', priorityOrder: ['a', 'b'] }, ['a', 'a', 'a', 'a']],
  // Without prefixes two tools with one name collide, and so do prompts: no backend gets them.
  ['manual', { strategy: 'manual', priorityOrder: [] }, ['unknown', 'unknown', 'a', 'a']],
  ['prefix', { strategy: 'prefix', priorityOrder: [] }, ['unknown', 'unknown', 'a', 'a']],
];

const away = (held: readonly string[]): readonly string[] => held.map(who => (who === 'a' ? 'away: a' : who));

describe.each(STRATEGIES)('%s', (_, aggregation, held) => {
  test('a gateway that starts while a backend is unavailable assigns tool names to the same backends as a gateway that started before', async () => {
    const [a, b] = [await startBackend('a'), await startBackend('b')];
    const start = async (): Promise<TestGateway> => {
      const tools: BackendPlan['tools'] = { prefix: '', advertise: { type: 'all' }, overrides: {} };
      const plan = (name: string, { origin }: RawServer) => backendPlan(name, `${origin}/mcp`, { tools, locked: BOTH });
      const gateway = await startGateway({ aggregation, backends: [plan('a', a), plan('b', b)] });
      onTestFinished(() => gateway.stop());
      return gateway;
    };
    const before = await start();
    await before.ready();
    expect(await holders(before)).toEqual(held);
    await a.close();
    const within = await start();
    await within.ready();
    await eventually(async () => (await holders(before)).every(who => who !== 'a'));
    expect(await holders(before)).toEqual(away(held));
    expect(await holders(within)).toEqual(away(held));
    const client = new RawClient(within.url);
    await client.open();
    // Of an unavailable backend, only the fact that it is unavailable is listed.
    const _meta = { 'dev.lintel/unavailableBackends': { count: 1, names: ['a'] } };
    expect(await client.result('tools/list')).toEqual({ _meta, tools: [] });

    await startBackend('a', a.port);
    await eventually(async () => !(await holders(within)).includes('away: a'));
    expect(await holders(within)).toEqual(held);
    await eventually(async () => !(await holders(before)).includes('away: a'));
    expect(await holders(before)).toEqual(held);
  });
});

test('without a tool lock, the gateway gives a tool name of two backends to the one backend that has answered', async () => {
  const [a, b] = [await startBackend('a'), await startBackend('b')];
  await a.close();
  await using gateway = await startGateway({
    aggregation: { strategy: 'priority', priorityOrder: ['a', 'b'] },
    backends: [backendPlan('a', `${a.origin}/mcp`), backendPlan('b', `${b.origin}/mcp`)],
  });
  await gateway.ready();
  expect(await holders(gateway)).toEqual(['b', 'b', 'b', 'b']);
});
