/**
 * A backend that sends requests on its notification stream does so in the first call too. The gateway opens its session for that call, and
 * servers drop messages for a stream that is not open yet.
 */
import type { ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { IDENTITY, openEvents, type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';
import { STANDING_TOOLS, startSdkServer } from '../../support/sdk-server.ts';

const SESSIONS = 10;

async function gatewayOf(url: string, timeoutMs = 60_000): Promise<TestGateway> {
  const gateway = await startGateway({ backends: [backendPlan('web', url, { timeoutMs })] });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return gateway;
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {}, sampling: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'test',
    role: 'assistant',
    content: { type: 'text', text: 'Paris' },
  }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return client;
}

describe('a backend of the official SDK', () => {
  test.each([
    ['elicit_standing', '{"action":"accept","content":{}}'],
    ['sample_standing', '{"model":"test","role":"assistant","content":{"type":"text","text":"Paris"}}'],
  ])('a client can answer the question of the tool %s in the first call of every session', async (name, answer) => {
    const server = await startSdkServer({ transport: 'streamable-http', tools: STANDING_TOOLS });
    onTestFinished(() => server.close());
    const gateway = await gatewayOf(server.url);
    for (let session = 0; session < SESSIONS; session++) {
      const client = await connected(gateway.url);
      expect(await client.callTool({ name: `web_${name}` })).toMatchObject({ content: [{ text: answer }] });
    }
  });
});

type StreamAnswer = (response: ServerResponse) => void;

/** A backend with sessions; `answerStream` answers the GET of a notification stream. */
async function rawBackend(answerStream: StreamAnswer): Promise<RawServer> {
  let sessions = 0;
  const server = await startRawServer(({ method, message }, response) => {
    if (method === 'GET') return answerStream(response);
    if (message?.id === undefined) return void response.writeHead(202).end();
    const { id } = message;
    if (message.method === 'server/discover') {
      return sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
    }
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    const result = message.method === 'initialize' ? IDENTITY : { tools, content: [] };
    const isFirst = message.method === 'initialize';
    sendJson(
      response,
      JSON.stringify({ jsonrpc: '2.0', id, result }),
      isFirst ? { 'mcp-session-id': `s-${++sessions}` } : {},
    );
  });
  onTestFinished(() => server.close());
  return server;
}

/** A client with an open notification stream. */
async function listeningClient(gateway: TestGateway): Promise<RawClient> {
  const client = new RawClient(gateway.url);
  await client.open();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const headers = { accept: 'text/event-stream', 'mcp-session-id': client.sessionId ?? '' };
  expect((await fetch(gateway.url, { headers, signal: stop.signal })).status).toBe(200);
  return client;
}

const isCall = ({ message }: { message?: { method?: string } | undefined }) => message?.method === 'tools/call';

describe('a first call', () => {
  test('the gateway sends the first call of a session only after the backend has opened the GET stream of the session', async () => {
    const held: ServerResponse[] = [];
    let holds = false;
    const server = await rawBackend(response => {
      if (holds) held.push(response);
      else openEvents(response);
    });
    const gateway = await gatewayOf(`${server.origin}/mcp`);
    const client = await listeningClient(gateway);
    holds = true;
    const called = client.result('tools/call', { name: 'web_t', arguments: {} });
    await eventually(() => held.length === 1);
    // Nothing else must be answered first, so a call that did not wait would have arrived by now.
    await fetch(server.origin, { method: 'POST', body: '{}' });
    expect(server.requests.some(isCall)).toBe(false);
    openEvents(held[0] as ServerResponse);
    await called;
  });

  test.each<[string, StreamAnswer]>([
    ['has no GET stream', response => void response.writeHead(405).end()],
    ['refuses the GET stream', response => void response.writeHead(403).end()],
    ['answers the GET with 500', response => void response.writeHead(500).end()],
    ['breaks the connection of the GET', response => void response.destroy()],
  ])('the first call of a session is not delayed by a backend that %s', async (_how, answerStream) => {
    const server = await rawBackend(answerStream);
    const client = await listeningClient(await gatewayOf(`${server.origin}/mcp`));
    await client.result('tools/call', { name: 'web_t', arguments: {} });
  });

  test.each<[string, StreamAnswer]>([
    ['refused a GET stream', response => void response.writeHead(405).end()],
    ['left a GET without an answer', () => {}],
  ])(
    'the first call of a session does not wait for the GET stream of a backend that has once %s',
    async (_how, firstAnswer) => {
      let opened = 0;
      const server = await rawBackend(response => {
        if (++opened === 1) firstAnswer(response); // In the gateway's own session; no other one is answered.
      });
      const client = await listeningClient(await gatewayOf(`${server.origin}/mcp`));
      // From now on no time passes.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      await client.result('tools/call', { name: 'web_t', arguments: {} });
      expect(opened).toBe(2);
    },
  );
});
