/** Items that the official clients cannot read do not cost them the items of other backends. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { ask } from '../stateless-edge/requests.ts';

type Lists = Readonly<Record<string, readonly object[]>>;

const GOOD: Lists = {
  tools: [{ name: 'fine', inputSchema: { type: 'object' } }],
  prompts: [{ name: 'fine' }],
  resources: [{ name: 'fine', uri: 'x://fine' }],
  resourceTemplates: [{ name: 'fine', uriTemplate: 'x://fine/{a}' }],
};

async function backend(name: string, lists: Lists) {
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const server = await startRawServer(
    withHandshake(
      ({ message: { id, method } }, response) => {
        const list = method === 'resources/templates/list' ? 'resourceTemplates' : method.split('/')[0];
        sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: { [list]: lists[list] ?? [] } }));
      },
      undefined,
      capabilities,
    ),
  );
  onTestFinished(() => server.close());
  return backendPlan(name, `${server.origin}/mcp`);
}

async function gatewayWith(lists: Lists) {
  const gateway = await startGateway({ backends: [await backend('good', GOOD), await backend('odd', lists)] });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return gateway;
}

const CLIENTS = {
  'version 1': async (url: string) => {
    const client = new ClientV1({ name: 'test', version: '1' });
    await client.connect(new TransportV1(new URL(url)));
    return client;
  },
  'version 2, in a session': async (url: string) => {
    const client = new ClientV2({ name: 'test', version: '1' });
    await client.connect(new TransportV2(new URL(url)));
    return client;
  },
  'version 2, stateless': async (url: string) => {
    const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new TransportV2(new URL(url)));
    return client;
  },
};

/** Every list of the client, by the names of its items. */
async function listed(client: Awaited<ReturnType<(typeof CLIENTS)[keyof typeof CLIENTS]>>) {
  const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
  return {
    tools: names((await client.listTools()).tools),
    prompts: names((await client.listPrompts()).prompts),
    resources: names((await client.listResources()).resources),
    resourceTemplates: names((await client.listResourceTemplates()).resourceTemplates),
  };
}

const ALL_GOOD = { tools: ['good_fine'], prompts: ['good_fine'], resources: ['fine'], resourceTemplates: ['fine'] };
const tool = (members: object): Lists => ({ tools: [{ name: 'odd', inputSchema: { type: 'object' }, ...members }] });

describe.each(Object.entries(CLIENTS))('a client of %s', (_, connect) => {
  test.each<[string, Lists, withheld: number]>([
    ['a description that is a number', tool({ description: 5 }), 1],
    ['annotations of another type', tool({ annotations: { readOnlyHint: 'yes' } }), 1],
    ['an output schema with a broken reference', tool({ outputSchema: { type: 'object', $ref: '#/no' } }), 1],
    ['a prompt whose arguments are no list', { prompts: [{ name: 'odd', arguments: 5 }] }, 1],
    ['a resource without a name', { resources: [{ uri: 'x://odd' }] }, 1],
    ['a template without a name', { resourceTemplates: [{ uriTemplate: 'x://odd/{a}' }] }, 1],
  ])('an official client can read all lists when a backend offers %s', async (_case, lists, withheld) => {
    const gateway = await gatewayWith(lists);
    const client = await connect(gateway.url);
    expect(await listed(client)).toEqual(ALL_GOOD);
    expect((await gateway.status()).withheld).toHaveLength(withheld);
    await client.close();
  });

  test.each<[string, Lists]>([
    ['members that are null', tool({ title: null, annotations: { title: null }, icons: null, _meta: null })],
    ['an argument that may be anything', tool({ inputSchema: { type: 'object', properties: { any: true } } })],
    ['an output that is a list', tool({ outputSchema: { type: 'array', items: { type: 'string' } } })],
    ['an output that may be anything', tool({ outputSchema: {} })],
  ])('an official client lists a tool with %s', async (_case, lists) => {
    const gateway = await gatewayWith(lists);
    const client = await connect(gateway.url);
    expect(await listed(client)).toEqual({ ...ALL_GOOD, tools: ['good_fine', 'odd_odd'] });
    expect((await gateway.status()).withheld).toEqual([]);
    await client.close();
  });
});

test('a stateless client gets an output schema of type array, and a client in a session does not', async () => {
  const outputSchema = { type: 'array', items: { type: 'string' } };
  const gateway = await gatewayWith(tool({ outputSchema }));
  const { text } = await ask(gateway.url, { method: 'tools/list', params: {} });
  expect(JSON.parse(text).result.tools).toMatchObject([{ name: 'good_fine' }, { name: 'odd_odd', outputSchema }]);
  const client = await gateway.connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ outputSchema: shown }) => shown)).toEqual([undefined, undefined]);
});
