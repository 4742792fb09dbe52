/** Messages and requests that backends initiate reach exactly the client for which they are, and its answers go back. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { MAX_SUBSCRIPTIONS } from '../../../runtime/gateway/sessions/subscriptions.ts';
import { MAX_WATCHED_URI_LENGTH, MAX_WATCHED_URIS_LENGTH } from '../../../runtime/mcp/client-limits.ts';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, openEvents, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';

let sdk: SdkServer;
let other: SdkServer;
let old: SdkServer;
let gateway: TestGateway;

const plans = () => [
  backendPlan('sdk', sdk.url),
  backendPlan('other', other.url),
  backendPlan('old', old.url, { transport: 'sse' }),
];

beforeAll(async () => {
  [sdk, other, old] = await Promise.all([
    startSdkServer({ transport: 'streamable-http' }),
    startSdkServer({ transport: 'streamable-http' }),
    startSdkServer({ transport: 'sse' }),
  ]);
  gateway = await startGateway({ backends: plans() });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([sdk.close(), other.close(), old.close()]);
});

/** A client that answers every elicitation with its own name. */
async function connect(name: string): Promise<Client> {
  const client = new Client(
    { name, version: '1' },
    { capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } } },
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: 'accept',
    content: { answer: `${name}: ${params.message}` },
  }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: name,
    role: 'assistant',
    content: { type: 'text', text: 'Paris' },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file:///${name}` }] }));
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  onTestFinished(() => client.close());
  return client;
}

async function textOf(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] };
  return content[0]?.text ?? '';
}

describe.each(['sdk', 'old'])('questions of backend "%s"', backend => {
  test('the client of a call answers the elicitation, sampling and roots requests that the backend of the call sends', async () => {
    const [ann, bob] = await Promise.all([connect('ann'), connect('bob')]);
    const asked = ['one', 'two', 'three'].flatMap(message =>
      [ann, bob].map(client => textOf(client, `${backend}_elicit`, { message })),
    );
    const answers = ['one', 'two', 'three'].flatMap(message => [`ann: ${message}`, `bob: ${message}`]);
    expect((await Promise.all(asked)).map(text => JSON.parse(text).content.answer)).toEqual(answers);
    expect(JSON.parse(await textOf(ann, `${backend}_sample`))).toMatchObject({
      model: 'ann',
      content: { text: 'Paris' },
    });
    expect(JSON.parse(await textOf(bob, `${backend}_roots`))).toEqual({ roots: [{ uri: 'file:///bob' }] });
  });

  test('a backend gets an error when it asks a client for a capability that the client has not announced', async () => {
    const client = await gateway.connect();
    expect(await textOf(client, `${backend}_elicit`)).toMatch(/^refused with -32/);
    expect(await textOf(client, `${backend}_ping_client`)).toBe('pong');
  });

  test('a client gets those log messages of its call that have at least the level that the client has set', async () => {
    const client = await connect('ann');
    const levels: string[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void levels.push(params.level));
    // The first call opens the backend's session and its notification stream at the same time.
    await eventually(async () => {
      await textOf(client, `${backend}_log`);
      return levels.includes('error');
    });
    await client.setLoggingLevel('warning');
    levels.length = 0;
    await textOf(client, `${backend}_log`);
    await eventually(() => levels.includes('error'));
    expect(levels).toEqual(['warning', 'error']);
  });
});

test('a client can answer two questions that have the same id and come from two backends at the same time', async () => {
  const client = await connect('ann');
  const texts = await Promise.all(
    ['sdk', 'other', 'sdk', 'other'].map((backend, index) =>
      textOf(client, `${backend}_elicit`, { message: `${backend} ${index}` }),
    ),
  );
  expect(texts.map(text => JSON.parse(text).content.answer)).toEqual([
    'ann: sdk 0',
    'ann: other 1',
    'ann: sdk 2',
    'ann: other 3',
  ]);
});

test.each(['notifications/cancelled', 'notifications\\u002fcancelle\\u0064'])(
  'a backend cannot withdraw the question of another backend (%s)',
  async method => {
    const wild = await startRawServer(
      withHandshake(({ message: { id, method: asked } }, response) => {
        const tools = '{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}';
        if (asked !== 'tools/call')
          return sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${tools}}`);
        openEvents(response);
        for (const requestId of ['"lintel-q1"', '"lintel-q2"', 'null']) {
          response.write(eventText(`{"jsonrpc":"2.0","method":"${method}","params":{"requestId":${requestId}}}`));
        }
        response.end(eventText(`{"jsonrpc":"2.0","id":${id},"result":{}}`));
      }, 's-1'),
    );
    onTestFinished(() => wild.close());
    const beside = await startGateway({ backends: [backendPlan('wild', `${wild.origin}/mcp`)] });
    onTestFinished(() => beside.stop());
    const raw = new RawClient(beside.url);
    await raw.open('2025-11-25', { elicitation: {} });
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wild_t"}}';
    const { text, type } = await raw.sendText(body);
    // Nothing came before the response.
    expect({ text, type }).toEqual({ text: '{"jsonrpc":"2.0","id":1,"result":{}}', type: 'application/json' });
  },
);

test('an update of a resource reaches its subscribers, and no other client', async () => {
  const [ann, bob] = await Promise.all([connect('ann'), connect('bob')]);
  const { resources } = await ann.listResources();
  const uri = resources[0]?.uri as string;
  const heard: string[] = [];
  for (const [name, client] of Object.entries({ ann, bob })) {
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void heard.push(`${name} ${params.uri}`),
    );
  }
  await ann.subscribeResource({ uri });
  const holder = [sdk, other, old].find(server => server.subscriptions.includes(uri)) as SdkServer;
  await eventually(async () => {
    await holder.update(uri);
    return heard.length > 0;
  });
  await ann.unsubscribeResource({ uri });
  expect(holder.subscriptions).toEqual([]);
  expect(new Set(heard)).toEqual(new Set([`ann ${uri}`]));
});

const TOO_LONG = 'x:'.padEnd(MAX_WATCHED_URI_LENGTH + 1, 'x');

/** A client of a backend that has every resource of `x:`, and lists one with a URI longer than clients may subscribe to. */
async function subscriber() {
  const origin = await startRawServer(
    withHandshake(
      ({ message: { id, method } }, response) => {
        const templates = [{ uriTemplate: 'x:{id}', name: 'x' }];
        const resources = [{ uri: TOO_LONG, name: 'long' }];
        const result = method.endsWith('/list') ? { resources, resourceTemplates: templates } : {};
        sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
      },
      's-1',
      { resources: { subscribe: true } },
    ),
  );
  onTestFinished(() => origin.close());
  const beside = await startGateway({ backends: [backendPlan('wild', `${origin.origin}/mcp`)] });
  onTestFinished(() => beside.stop());
  const raw = new RawClient(beside.url);
  await raw.open();
  const subscribe = async (uri: string) => JSON.parse((await raw.request('resources/subscribe', { uri })).text);
  return { raw, subscribe };
}

test('a session can subscribe only to a limited number of resources', async () => {
  const { raw, subscribe } = await subscriber();
  for (let n = 0; n < MAX_SUBSCRIPTIONS; n += 100) {
    const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => subscribe(`x:${n + i}`)));
    for (const answer of answers) expect(answer).toMatchObject({ result: {} });
  }
  expect(await subscribe('x:more')).toMatchObject({ error: { code: -32000 } });
  expect(await subscribe('x:0')).toMatchObject({ result: {} });
  await raw.request('resources/unsubscribe', { uri: 'x:0' });
  expect(await subscribe('x:more')).toMatchObject({ result: {} });
});

test('a session can subscribe only to URIs of a limited total length', async () => {
  const { raw, subscribe } = await subscriber();
  const uri = (index: number, length: number) => `x:${index}`.padEnd(length, '-');
  expect(await subscribe(TOO_LONG)).toMatchObject({ error: { code: -32602 } });
  expect(await raw.result('resources/read', { uri: TOO_LONG })).toEqual({});
  const fitting = MAX_WATCHED_URIS_LENGTH / MAX_WATCHED_URI_LENGTH;
  for (let index = 0; index < fitting; index++) {
    expect(await subscribe(uri(index, MAX_WATCHED_URI_LENGTH))).toMatchObject({ result: {} });
  }
  expect(await subscribe('x:more')).toMatchObject({ error: { code: -32000 } });
  expect(await subscribe(uri(0, MAX_WATCHED_URI_LENGTH))).toMatchObject({ result: {} });
  await raw.request('resources/unsubscribe', { uri: uri(0, MAX_WATCHED_URI_LENGTH) });
  expect(await subscribe('x:more')).toMatchObject({ result: {} });
});

test('the gateway refuses the question of a backend to a client that accepts no event stream and has no GET stream', async () => {
  const raw = new RawClient(gateway.url);
  await raw.open('2025-11-25', { elicitation: {} });
  const { text } = await raw.request('tools/call', { name: 'sdk_elicit', arguments: {} }, 'application/json');
  expect(text).toContain('refused with -32603');
});

test.each([
  ['an unknown level', { level: 'loud' }],
  ['no level', {}],
])('the gateway refuses logging/setLevel with %s', async (_, params) => {
  const raw = new RawClient(gateway.url);
  await raw.open();
  expect(JSON.parse((await raw.request('logging/setLevel', params)).text).error.code).toBe(-32602);
});

test('a subscription continues over the connection that a new bundle makes to its backend', async () => {
  const client = await connect('ann');
  const uri = (await client.listResources()).resources[0]?.uri as string;
  const heard: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  await client.subscribeResource({ uri });
  const holder = [sdk, other, old].find(server => server.subscriptions.includes(uri)) as SdkServer;
  const before = (await gateway.status()).bundle.digest;
  await gateway.replace({ backends: plans().map(plan => ({ ...plan, timeoutMs: 4_000 })) });
  await eventually(async () => (await gateway.status()).bundle.digest !== before);
  await eventually(async () => {
    await holder.update(uri);
    return heard.length > 0;
  });
  expect(heard[0]).toBe(uri);
});
