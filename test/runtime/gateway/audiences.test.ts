/**
 * Some backends list tools, prompts and resources only to clients with certain capabilities. A client in a session gets through the gateway what
 * it would get directly; the gateway queries once for all clients with the same capabilities.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { type BundleOptions, backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { listenOnOwnPort } from '../../support/own-port.ts';
import { cedarPlan } from '../authorization/plans.ts';

type Announced = { readonly [name: string]: object };

const KNOWN = ['sampling', 'elicitation', 'roots'];

/** An official SDK backend whose lists have an item for each capability of its client, and `plain` for clients without any. */
async function startBackend() {
  const sessions = new Map<string, { server: Server; transport: StreamableHTTPServerTransport }>();
  const extra: string[] = [];
  const initialized: Announced[] = [];
  const open = async (incoming: IncomingMessage, response: ServerResponse) => {
    const id = String(incoming.headers['mcp-session-id'] ?? '');
    const known = sessions.get(id);
    if (known !== undefined) return known.transport.handleRequest(incoming, response);
    if (id !== '') return void response.writeHead(404).end();
    const server = serverOf(extra, announced => void initialized.push(announced));
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: opened => void sessions.set(opened, { server, transport }),
      onsessionclosed: closed => void sessions.delete(closed),
    });
    await server.connect(transport as Parameters<Server['connect']>[0]);
    await transport.handleRequest(incoming, response);
  };
  const http = createServer((incoming, response) => void open(incoming, response));
  await listenOnOwnPort(http);
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise(resolve => http.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    /** The capabilities of clients, in the order of their sessions. */
    initialized,
    openSessions: () => sessions.size,
    /** Adds an item for clients with sampling. */
    async add(name: string) {
      extra.push(name);
      for (const { server } of sessions.values()) await server.sendToolListChanged();
    },
  };
}

function serverOf(extra: readonly string[], onInitialized: (announced: Announced) => void): Server {
  const capabilities = { tools: { listChanged: true }, prompts: {}, resources: {} };
  const server = new Server({ name: 'choosy', version: '1' }, { capabilities });
  const announced = () => (server.getClientCapabilities() ?? {}) as Announced;
  server.oninitialized = () => onInitialized(announced());
  const names = () => {
    const fit = KNOWN.filter(name => Object.hasOwn(announced(), name));
    return fit.length === 0 ? ['plain'] : [...fit, ...(fit.includes('sampling') ? extra : [])];
  };
  const inputSchema = { type: 'object' as const };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: names().map(name => ({ name, inputSchema })) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: 'text', text: names().includes(params.name) ? `called ${params.name}` : 'not for you' }],
  }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: names().map(name => ({ name })) }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: params.name } }],
  }));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: names().map(name => ({ name, uri: `x://${name}` })),
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: names().map(name => ({ name, uriTemplate: `t-${name}://{id}` })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({
    contents: [{ uri: params.uri, text: params.uri }],
  }));
  return server;
}

async function gatewayOf(options: BundleOptions): Promise<TestGateway> {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return gateway;
}

async function connect(url: string, capabilities: Announced) {
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  let changes = 0;
  client.fallbackNotificationHandler = async ({ method }) => {
    if (method === 'notifications/tools/list_changed') changes++;
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return { client, changes: () => changes };
}

async function toolsOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** Everything that is listed to a client, and the result for each name. */
async function reached(client: Client, prefix = '') {
  const ungiven = (name: string) => name.slice(prefix.length);
  const tools = await toolsOf(client);
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const calls = tools.map(async name => (await client.callTool({ name })).content);
  const gets = prompts.map(async ({ name }) => (await client.getPrompt({ name })).messages);
  const uris = [...resources.map(({ uri }) => uri), ...resourceTemplates.map(t => t.uriTemplate.replace('{id}', '7'))];
  const reads = uris.map(async uri => (await client.readResource({ uri })).contents);
  return {
    tools: tools.map(ungiven).sort(),
    prompts: prompts.map(({ name }) => ungiven(name)).sort(),
    uris: uris.sort(),
    got: (await Promise.all([...calls, ...gets, ...reads])).map(one => JSON.stringify(one)).sort(),
  };
}

const CLIENTS: readonly (readonly [name: string, announced: Announced])[] = [
  ['no capabilities', {}],
  ['sampling', { sampling: {} }],
  ['elicitation', { elicitation: {} }],
  ['roots', { roots: { listChanged: true } }],
  ['all capabilities', { sampling: {}, elicitation: {}, roots: {} }],
  ['an unknown capability', { experimental: { x: {} } }],
];

test.each(CLIENTS)(
  'a client that announces %s sees the same items through the gateway as directly',
  async (_name, announced) => {
    const backend = await startBackend();
    const gateway = await gatewayOf({ backends: [backendPlan('b', backend.url)] });
    const direct = await reached((await connect(backend.url, announced)).client);
    expect(await reached((await connect(gateway.url, announced)).client, 'b_')).toEqual(direct);
    expect(direct.got.join()).not.toContain('not for you');
  },
);

test('a name that a backend does not list for a client is unknown to that client, whichever clients are connected', async () => {
  const backend = await startBackend();
  const gateway = await gatewayOf({ backends: [backendPlan('b', backend.url)] });
  const { client } = await connect(gateway.url, { sampling: {} });
  const { client: plain } = await connect(gateway.url, {});
  expect(await toolsOf(client)).toEqual(['b_sampling']);
  expect(await toolsOf(plain)).toEqual(['b_plain']);
  await expect(plain.callTool({ name: 'b_sampling' })).rejects.toMatchObject({ code: -32602 });
  await expect(client.callTool({ name: 'b_plain' })).rejects.toMatchObject({ code: -32602 });
});

test('the first call of a client succeeds although the client has not listed tools before', async () => {
  const backend = await startBackend();
  const gateway = await gatewayOf({ backends: [backendPlan('b', backend.url)] });
  const { client } = await connect(gateway.url, { sampling: {} });
  expect(await client.callTool({ name: 'b_sampling' })).toMatchObject({ content: [{ text: 'called sampling' }] });
});

test('the gateway reads the lists of a backend once for all clients that announce the same capabilities, in any order', async () => {
  const backend = await startBackend();
  const gateway = await gatewayOf({ backends: [backendPlan('b', backend.url)] });
  const before = backend.initialized.length;
  for (const announced of [
    { sampling: {}, roots: {} },
    { roots: {}, sampling: {} },
    { sampling: {}, roots: {} },
  ]) {
    expect(await toolsOf((await connect(gateway.url, announced)).client)).toEqual(['b_roots', 'b_sampling']);
  }
  expect(backend.initialized.length - before).toBe(1);
});

test('filters, overrides and policies apply to items that only some clients see', async () => {
  const backend = await startBackend();
  const tools = {
    prefix: 'b_',
    advertise: { type: 'only' as const, names: ['complete', 'elicitation'] },
    overrides: { sampling: { name: 'complete' } },
  };
  const authorization = cedarPlan([
    'permit(principal, action, resource) unless { resource == Tool::"b_elicitation" };',
  ]);
  const gateway = await gatewayOf({ backends: [backendPlan('b', backend.url, { tools })], authorization });
  const { client } = await connect(gateway.url, { sampling: {}, elicitation: {}, roots: {} });
  expect(await toolsOf(client)).toEqual(['b_complete']);
  await expect(client.callTool({ name: 'b_roots' })).rejects.toMatchObject({ code: -32602 }); // Filtered out.
  await expect(client.callTool({ name: 'b_elicitation' })).rejects.toThrow(); // Denied by a policy.
});

test('when a list changes only for clients with a capability, the gateway notifies these clients and lists the new item to them', async () => {
  const backend = await startBackend();
  const gateway = await gatewayOf({ backends: [backendPlan('b', backend.url)] });
  const some = await connect(gateway.url, { sampling: {} });
  const others = await connect(gateway.url, {});
  expect(await toolsOf(some.client)).toEqual(['b_sampling']);
  const [before, beforeOfOthers] = [some.changes(), others.changes()];
  await backend.add('more');
  await eventually(() => some.changes() > before);
  expect(await toolsOf(some.client)).toEqual(['b_more', 'b_sampling']);
  expect(others.changes()).toBe(beforeOfOthers);
});

test('items that only some clients see stay listed after a new bundle', async () => {
  const backend = await startBackend();
  const gateway = await gatewayOf({ backends: [backendPlan('b', backend.url)] });
  const { client } = await connect(gateway.url, { sampling: {} });
  expect(await toolsOf(client)).toEqual(['b_sampling']);
  const { digest } = (await gateway.status()).bundle;
  await gateway.replace({ backends: [backendPlan('b', backend.url, { timeoutMs: 4_000 })] });
  await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  expect(await toolsOf(client)).toEqual(['b_sampling']);
  expect(await client.callTool({ name: 'b_sampling' })).toMatchObject({ content: [{ text: 'called sampling' }] });
});
