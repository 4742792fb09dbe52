/** Clients with only HTTP+SSE: a session's stream is at one process, and its messages come to any. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { type BundleOptions, backendPlan, eventually } from '../../support/gateway.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { withPeers } from '../../support/peers.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { oneConnection, startTree } from '../workers/worker-tree.ts';
import { Replicas } from './replicas.ts';
import { call, disposable, INITIALIZE, reading } from './wire.ts';

const AUDIT = {
  component: 'test',
  eventTypes: ['mcp_tool_call', 'http_request'],
  excludeEventTypes: [],
  includeRequestData: false,
  includeResponseData: false,
  detectApplicationErrors: true,
  maxDataBytes: 1_024,
  maxDelegationDepth: 10,
  file: null,
};

interface Record {
  readonly type: string;
  readonly outcome: string;
  readonly target: { readonly name?: string };
}

interface Processes extends AsyncDisposable {
  readonly sseUrl: string;
  /** The output of all processes. */
  readonly printed: () => string;
}

async function replicas(bundle: BundleOptions): Promise<Processes> {
  const all = await Replicas.start(bundle);
  return {
    sseUrl: all.url.replace('/mcp', '/sse'),
    printed: () => all.replicas.map(({ program }) => program.stdout.text).join('\n'),
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  };
}

async function workers(bundle: BundleOptions): Promise<Processes> {
  const tree = await startTree(bundle, 3);
  return {
    sseUrl: tree.url.replace('/mcp', '/sse'),
    printed: () => tree.program.stdout.text,
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

function suite(start: (bundle: BundleOptions) => Promise<Processes>): void {
  test('an HTTP+SSE client gets answers, questions and updates at any process, and each call has one audit record', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using processes = await start({ backends: [backendPlan('one', backend.peer.url)], audit: AUDIT });
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async ({ params: { message } }) => ({
      action: 'accept',
      content: { name: message },
    }));
    const updated: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
    await client.connect(new SSEClientTransport(new URL(processes.sseUrl), { fetch: oneConnection }));
    const calls = 12;
    for (let at = 0; at < calls; at++) {
      const { content } = await client.callTool({ name: 'one_echo', arguments: { at } });
      expect(content).toEqual([{ type: 'text', text: JSON.stringify({ at }) }]);
    }
    for (const message of ['Ada', 'Bob', 'Eve']) {
      const { content } = await client.callTool({ name: 'one_elicit', arguments: { message } });
      expect(JSON.stringify(content)).toContain(message);
    }
    const { resources } = await client.listResources();
    const { uri } = resources[0] as { uri: string };
    await client.subscribeResource({ uri });
    await eventually(async () => {
      await backend.peer.update(uri);
      return updated.length > 0;
    });
    await expect(client.callTool({ name: 'one_nothing', arguments: {} })).rejects.toThrow('one_nothing');
    await client.close();
    const records = () =>
      [...processes.printed().matchAll(/^\{.*"type":"(?:mcp_tool_call|http_request)".*\}$/gm)].map(
        ([line]) => JSON.parse(line) as Record,
      );
    await eventually(() => records().length >= calls + 4);
    const told = records().map(({ type, outcome, target }) => `${type} ${target.name} ${outcome}`);
    expect([...new Set(told)].sort().map(one => [one, told.filter(other => other === one).length])).toEqual([
      ['mcp_tool_call one_echo success', calls],
      ['mcp_tool_call one_elicit success', 3],
      ['mcp_tool_call one_nothing application_error', 1],
    ]);
  });

  test('each process refuses a message of another caller to an HTTP+SSE stream, and ends the session', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using idp = await disposable(startIdentityProvider());
    const incomingAuth = authPlan([providerPlan(idp.peer)]);
    await using processes = await start({ backends: [backendPlan('one', backend.peer.url)], incomingAuth });
    const as = async (sub: string) => ({ Authorization: `Bearer ${await idp.peer.issue({ claims: { sub } })}` });
    const [ann, bob] = [await as('ann'), await as('bob')];
    for (let at = 0; at < 3; at++) {
      const { stream, send } = await connectRaw(processes.sseUrl, ann);
      expect((await send(INITIALIZE)).status).toBe(202);
      await eventually(() => stream.text.includes('"id":"init"'));
      expect((await send(call(1, 'one_echo'), bob)).status).toBe(403);
      await eventually(async () => (await send(call(2, 'one_echo'), ann)).status === 404);
    }
  });

  test('each process that gets a message for an HTTP+SSE stream refuses a body that is not JSON-RPC', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using processes = await start({ backends: [backendPlan('one', backend.peer.url)] });
    const { send } = await connectRaw(processes.sseUrl);
    for (let at = 0; at < 3; at++) expect((await send('nonsense')).status).toBe(400);
    for (let at = 0; at < 3; at++) expect((await send(call(at, 'one_echo'))).status).toBe(202);
  });
}

/** A stream, and a function that posts messages of its session over separate connections. */
async function connectRaw(sseUrl: string, headers: Readonly<globalThis.Record<string, string>> = {}) {
  const answer = await oneConnection(sseUrl, { headers: { Accept: 'text/event-stream', ...headers } });
  const stream = reading(answer);
  await eventually(() => stream.text.includes('\n\n'));
  const url = new URL(/data: (\S+)/.exec(stream.text)?.[1] ?? '', sseUrl);
  const send = (message: object | string, own = headers) =>
    oneConnection(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...own },
      body: typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  return { stream, send };
}

withPeers('redis-server').describe('of several replicas', () => {
  suite(replicas);

  test('messages for an HTTP+SSE stream whose replica was killed get 404', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using all = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] }, { count: 2 });
    const [one, other] = all.urls as [string, string];
    const { send, stream } = await connectRaw(one.replace('/mcp', '/sse'));
    const path = /data: (\S+)/.exec(stream.text)?.[1] ?? '';
    expect((await send(INITIALIZE)).status).toBe(202);
    await all.kill(0);
    await eventually(async () => {
      const headers = { 'Content-Type': 'application/json' };
      const body = JSON.stringify({ jsonrpc: '2.0', ...call(1, 'one_echo') });
      const { status } = await fetch(new URL(path, other), { method: 'POST', headers, body });
      expect([404, 503]).toContain(status);
      return status === 404;
    });
  });
});

describe('of several workers', () => suite(workers));
