/** Stateless clients with session backends, over both older transports. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { openEvents, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { REVISION } from '../stateless-edge/requests.ts';

let sdk: SdkServer;
let old: SdkServer;
let gateway: TestGateway;

const plans = () => [backendPlan('sdk', sdk.url), backendPlan('old', old.url, { transport: 'sse' })];

beforeAll(async () => {
  [sdk, old] = await Promise.all([
    startSdkServer({ transport: 'streamable-http' }),
    startSdkServer({ transport: 'sse' }),
  ]);
  gateway = await startGateway({ backends: plans() });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([sdk.close(), old.close()]);
});

async function connect(name: string, capabilities: object = {}, url = gateway.url): Promise<Client> {
  const client = new Client({ name, version: '1' }, { capabilities, versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe(REVISION);
  return client;
}

async function asking(name: string): Promise<Client> {
  const client = await connect(name, { elicitation: { form: {} }, sampling: {}, roots: {} });
  client.setRequestHandler('elicitation/create', ({ params }) => ({
    action: 'accept' as const,
    content: { answer: `${name}: ${params.message}` },
  }));
  client.setRequestHandler('sampling/createMessage', () => ({
    model: name,
    role: 'assistant' as const,
    content: { type: 'text' as const, text: 'Paris' },
  }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: `file:///${name}` }] }));
  return client;
}

async function textOf(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = (await client.callTool({ name, arguments: args })) as { content: { text: string }[] };
  return content[0]?.text ?? '';
}

describe.each(['sdk', 'old'])('backend "%s"', backend => {
  test('a stateless client lists and calls tools, reads resources and gets prompts of a backend with sessions', async () => {
    const client = await connect('ann');
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain(`${backend}_echo`);
    expect(await textOf(client, `${backend}_echo`, { a: [1] })).toBe('{"a":[1]}');
    const prompt = await client.getPrompt({ name: `${backend}_greet`, arguments: { who: 'ann' } });
    expect(JSON.stringify(prompt.messages)).toContain('greet ann');
    const { resources } = await client.listResources();
    const read = await client.readResource({ uri: resources[0]?.uri as string });
    expect(read.contents).toHaveLength(1);
    expect((await client.callTool({ name: `${backend}_fail`, arguments: {} })).isError).toBe(true);
  });

  test('a stateless client gets the progress of a backend with sessions', async () => {
    const client = await connect('ann');
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void seen.push(progress);
    await client.callTool({ name: `${backend}_progress`, arguments: {} }, { onprogress });
    expect(seen).toEqual([1, 2, 3]);
  });

  test('each of two stateless clients answers the questions that a backend with sessions asks for the calls of this client', async () => {
    const [ann, bob] = await Promise.all([asking('ann'), asking('bob')]);
    const messages = ['one', 'two', 'three'];
    const asked = messages.flatMap(message =>
      [ann, bob].map(client => textOf(client, `${backend}_elicit`, { message })),
    );
    expect((await Promise.all(asked)).map(text => JSON.parse(text).content.answer)).toEqual(
      messages.flatMap(message => [`ann: ${message}`, `bob: ${message}`]),
    );
    expect(JSON.parse(await textOf(ann, `${backend}_sample`))).toMatchObject({ model: 'ann' });
    expect(JSON.parse(await textOf(bob, `${backend}_roots`))).toEqual({ roots: [{ uri: 'file:///bob' }] });
  });

  test('a backend with sessions gets an error for a question to a stateless client that does not announce the capability', async () => {
    expect(await textOf(await connect('ann'), `${backend}_elicit`)).toMatch(/^refused with -32/);
  });

  test('a backend with sessions gets a cancellation when its stateless client disconnects', async () => {
    const server = backend === 'sdk' ? sdk : old;
    const { cancelled: before, slowCalls } = server;
    const client = await connect('ann');
    const stop = new AbortController();
    const call = client.callTool({ name: `${backend}_slow`, arguments: {} }, { signal: stop.signal });
    const gone = expect(call).rejects.toThrow();
    await eventually(() => server.slowCalls > slowCalls);
    stop.abort();
    await gone;
    await eventually(() => server.cancelled > before);
  });
});

test('when a stateless client disconnects, the gateway first cancels its call at the backend and then ends the session there', async () => {
  const tools = JSON.stringify({ tools: [{ name: 'slow', inputSchema: { type: 'object' } }] });
  const raw = await startRawServer(
    withHandshake(({ message }, response) => {
      if (message.method === 'tools/call') openEvents(response);
      else sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${tools}}`);
    }, 'raw-session'),
  );
  const own = await startGateway({ backends: [backendPlan('raw', `${raw.origin}/mcp`)] });
  onTestFinished(async () => {
    await own.stop();
    await raw.close();
  });
  await own.ready();
  const stop = new AbortController();
  const client = await connect('ann', {}, own.url);
  const call = client.callTool({ name: 'raw_slow', arguments: {} }, { signal: stop.signal });
  const called = expect(call).rejects.toThrow();
  await eventually(() => raw.requests.some(({ message }) => message?.method === 'tools/call'));
  const before = raw.requests.length;
  stop.abort();
  await called;
  const ends = () =>
    raw.requests.slice(before).map(({ method, message }) => (method === 'DELETE' ? method : message?.method));
  await eventually(() => ends().includes('DELETE'));
  expect(ends().slice(0, ends().indexOf('DELETE'))).toContain('notifications/cancelled');
});

test('a stateless client that listens gets the update of a resource', async () => {
  const client = await connect('ann');
  const heard: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
  const { resources } = await client.listResources();
  const uri = resources[0]?.uri as string;
  const subscription = await client.listen({ resourceSubscriptions: [uri, 'memo-nobody://has/this'] });
  const holder = [sdk, old].find(server => server.subscriptions.includes(uri)) as SdkServer;
  await holder.update(uri);
  await eventually(() => heard.length > 0);
  expect(heard).toEqual([uri]);
  await subscription.close();
  await eventually(() => !holder.subscriptions.includes(uri));
});

test('a stateless client that listens is notified of a changed list', async () => {
  const client = await connect('ann');
  let changes = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => void changes++);
  await client.listen({ toolsListChanged: true });
  await sdk.setTools([{ name: 'brand_new' }]);
  await eventually(() => changes > 0);
  await sdk.setTools([]);
});
