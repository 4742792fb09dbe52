import { get, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MAX_COLLECTED_BYTES } from '../../../runtime/mcp/collected-responder.ts';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { MAX_BATCH_MESSAGES } from '../../../runtime/mcp/read-batch.ts';
import type { SseEndpointOptions } from '../../../runtime/mcp/sse/sse-endpoint.ts';
import type { McpEndpointOptions } from '../../../runtime/mcp/streamable-http/endpoint.ts';
import { type Behaviour, type Gateway, initializeText, open, post, send, startGateway } from './fake-gateway.ts';

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}';
const UNKNOWN = '6f1f8f0e-0000-4000-8000-000000000000';

interface Peer extends Gateway {
  readonly stream: IncomingMessage;
  /** The URL in the endpoint event, to which messages are posted. */
  readonly messagesUrl: string;
  /** The messages of the stream so far, parsed. */
  readonly messages: { readonly id?: unknown; readonly [member: string]: unknown }[];
  /** The stream's text so far. */
  text(): string;
  /** Waits for the response to a request. */
  answer(id: unknown): Promise<Record<string, unknown>>;
}

/** A raw client with an open stream, before the handshake. */
async function connectPeer(
  behaviours: { readonly [method: string]: Behaviour } = {},
  options: Partial<McpEndpointOptions & SseEndpointOptions> = {},
): Promise<Peer> {
  const gateway = await startGateway(behaviours, options);
  const stream = await open(gateway.url.replace('/mcp', '/sse'), 'GET', { Accept: 'text/event-stream' });
  let text = '';
  const messages: Peer['messages'] = [];
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const seen = text.lastIndexOf('\n\n') + 1;
    text += chunk;
    const whole = text.slice(seen, text.lastIndexOf('\n\n') + 1);
    for (const [, data] of whole.matchAll(/^event: message\ndata: (.+)$/gm)) messages.push(JSON.parse(data ?? ''));
  });
  stream.on('error', () => {});
  await vi.waitFor(() => expect(text).toMatch(/^event: endpoint\ndata: \S+\n\n/));
  const reference = /data: (\S+)/.exec(text)?.[1] ?? '';
  return {
    ...gateway,
    stream,
    messagesUrl: new URL(reference, gateway.url.replace('/mcp', '/sse')).href,
    messages,
    text: () => text,
    answer: id =>
      vi.waitFor(() => {
        const found = messages.find(message => message.id === id);
        expect(found).toBeDefined();
        return found as Record<string, unknown>;
      }),
  };
}

async function initialized(
  behaviours: { readonly [method: string]: Behaviour } = {},
  revision = '2024-11-05',
): Promise<Peer> {
  const peer = await connectPeer(behaviours);
  expect(await post(peer.messagesUrl, initializeText({ protocolVersion: revision }))).toMatchObject({ status: 202 });
  await peer.answer('init');
  return peer;
}

test('an HTTP+SSE client uses a session from beginning to end', async () => {
  const peer = await initialized();
  expect(peer.stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  expect(peer.text()).toMatch(/^event: endpoint\ndata: messages\?sessionId=[0-9a-f-]{36}\n\nevent: message\ndata: \{/);
  expect(await peer.answer('init')).toMatchObject({ result: { protocolVersion: '2024-11-05' } });
  expect(await post(peer.messagesUrl, '{"jsonrpc":"2.0","method":"notifications/initialized"}')).toMatchObject({
    status: 202,
    text: '',
  });
  expect(await post(peer.messagesUrl, PING)).toMatchObject({ status: 202, text: '' });
  expect(await peer.answer(7)).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
  expect(peer.sessions[0]?.send('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')).toBe(true);
  await vi.waitFor(() => expect(peer.messages.at(-1)).toMatchObject({ method: 'notifications/tools/list_changed' }));
  expect(peer.sse.sessionCount).toBe(1);
  peer.stream.destroy();
  await vi.waitFor(() => expect(peer.sse.sessionCount).toBe(0));
  expect(peer.heard).toEqual(['listening payload', 'notification notifications/initialized', 'closed payload']);
  expect(await post(peer.messagesUrl, PING)).toMatchObject({ status: 404 });
});

test.each([
  ['2024-11-05', '2024-11-05'],
  ['2025-03-26', '2025-03-26'],
  ['2025-11-25', '2025-11-25'],
  ['2023-01-01', '2025-11-25'],
])('an HTTP+SSE client that asks for revision %s gets %s', async (asked, got) => {
  const peer = await initialized({}, asked);
  expect(await peer.answer('init')).toMatchObject({ result: { protocolVersion: got } });
});

test('over HTTP+SSE with revision 2025-03-26, the gateway treats each message of a batch like a message sent alone', async () => {
  const answers: ClientResponder[] = [];
  const peer = await initialized({ slow: answer => void answers.push(answer) }, '2025-03-26');
  const batch = [
    '{"jsonrpc":"2.0","id":1,"method":"slow"}',
    '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}',
    '{"jsonrpc":"2.0","id":"ours","result":{}}',
    '7',
    PING,
  ];
  expect(await post(peer.messagesUrl, ` [${batch.join(' , ')}]`)).toMatchObject({ status: 202, text: '' });
  expect(await peer.answer(7)).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
  expect(peer.messages.slice(1).map(({ id, error }) => [id, (error as { code: number } | undefined)?.code])).toEqual([
    [1, -32600], // The first request still runs.
    [2, -32600],
    [null, -32600],
    [7, undefined],
  ]);
  expect(peer.heard).toEqual(['listening payload', 'notification notifications/roots/list_changed', 'response "ours"']);
  answers[0]?.result('"late"');
  await vi.waitFor(() => expect(peer.messages.at(-1)).toEqual({ jsonrpc: '2.0', id: 1, result: 'late' }));
});

test.each([
  ['that is empty, in a session of revision 2025-03-26', '2025-03-26', '[]', -32600],
  ['that is too long', '2025-03-26', `[${Array(MAX_BATCH_MESSAGES + 1).fill(PING)}]`, -32600],
  ['that is not JSON', '2025-03-26', `[${PING},`, -32700],
  ['in a session of revision 2024-11-05', '2024-11-05', `[${PING}]`, -32600],
  ['in a session of revision 2025-06-18', '2025-06-18', `[${PING}]`, -32600],
])('the gateway refuses all messages of an HTTP+SSE batch %s', async (_, revision, batch, code) => {
  const peer = await initialized({}, revision);
  const reply = await post(peer.messagesUrl, batch);
  expect(reply.status).toBe(400);
  expect(JSON.parse(reply.text)).toMatchObject({ id: null, error: { code } });
  await post(peer.messagesUrl, PING.replace('7', '8'));
  await peer.answer(8);
  expect(peer.messages).toHaveLength(2);
});

test('two answers that arrive at the gateway in parts at the same time do not mix on the HTTP+SSE stream of their client', async () => {
  const answers: ClientResponder[] = [];
  const peer = await initialized({ slow: answer => void answers.push(answer) });
  for (const id of [1, 2]) await post(peer.messagesUrl, `{"jsonrpc":"2.0","id":${id},"method":"slow"}`);
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  const parts = (id: number): string[] => ['{"jsonrpc":"2.0",\r\n', `"id":${id},`, '"result":"é', '日"}'];
  for (const answer of answers) answer.start(undefined);
  for (let part = 0; part < 4; part++) {
    for (const [n, answer] of answers.entries()) answer.data(new TextEncoder().encode(parts(n + 1)[part]));
    answers[0]?.message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"part":${part}}}`);
  }
  for (const answer of answers) answer.end();
  expect(await peer.answer(1)).toEqual({ jsonrpc: '2.0', id: 1, result: 'é日' });
  expect(await peer.answer(2)).toEqual({ jsonrpc: '2.0', id: 2, result: 'é日' });
  expect(peer.messages.filter(({ method }) => method === 'notifications/progress')).toHaveLength(4);
});

test('when an answer exceeds the size limit, the HTTP+SSE client gets an error, the call is cancelled, and other calls go on', async () => {
  let aborted = false;
  const peer = await initialized({
    huge: answer => {
      answer.onAbort(() => {
        aborted = true;
      });
      answer.start(undefined);
      const chunk = new Uint8Array(1024 * 1024).fill(0x20);
      for (let held = 0; held <= MAX_COLLECTED_BYTES; held += chunk.length) answer.data(chunk);
      answer.end();
    },
  });
  await post(peer.messagesUrl, '{"jsonrpc":"2.0","id":1,"method":"huge"}');
  expect(await peer.answer(1)).toMatchObject({ error: { code: -32603 } });
  expect(aborted).toBe(true);
  await post(peer.messagesUrl, PING);
  expect(await peer.answer(7)).toMatchObject({ result: {} });
});

test('a cancelled HTTP+SSE request gets no answer, and all requests of an HTTP+SSE client are cancelled when it disconnects', async () => {
  const answers: ClientResponder[] = [];
  const peer = await initialized({ slow: answer => void answers.push(answer) });
  for (const id of [1, 2]) await post(peer.messagesUrl, `{"jsonrpc":"2.0","id":${id},"method":"slow"}`);
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[0]?.cancel();
  answers[0]?.result('{}');
  await post(peer.messagesUrl, PING);
  await peer.answer(7);
  expect(peer.messages.some(({ id }) => id === 1)).toBe(false);
  expect(answers[1]?.aborted).toBe(false);
  peer.stream.destroy();
  await vi.waitFor(() => expect(answers[1]?.aborted).toBe(true));
});

test('an HTTP+SSE client gets the errors of its requests on its event stream', async () => {
  const peer = await connectPeer({
    crash: () => {
      throw new Error('secret detail');
    },
  });
  const say = async (body: string, id: unknown): Promise<unknown> => {
    expect(await post(peer.messagesUrl, body)).toMatchObject({ status: 202 });
    const { error } = (await peer.answer(id)) as { error: { code: number } };
    return error.code;
  };
  expect(await say(PING, 7)).toBe(-32600); // Before `initialize`.
  const initialize = (id: string, params = {}): string => initializeText(params).replace('"init"', `"${id}"`);
  expect(await say(initialize('a', { protocolVersion: 7 }), 'a')).toBe(-32602);
  expect(await say(initialize('b', { refuse: true }), 'b')).toBe(-32602);
  expect(await say(initialize('c', { crash: true }), 'c')).toBe(-32603);
  await post(peer.messagesUrl, initialize('d'));
  await peer.answer('d');
  expect(await say(initialize('e'), 'e')).toBe(-32600);
  expect(await say('{"jsonrpc":"2.0","id":8,"method":"crash"}', 8)).toBe(-32603);
  expect(await say('{"jsonrpc":"2.0","id":9,"method":"nothing"}', 9)).toBe(-32601);
  expect(peer.text()).not.toContain('secret');
});

test('an HTTP+SSE client that disconnects during initialize leaves no session', async () => {
  const peer = await connectPeer();
  await post(peer.messagesUrl, initializeText({ slow: true }));
  peer.stream.destroy();
  await vi.waitFor(async () => expect(await post(peer.messagesUrl, PING)).toMatchObject({ status: 404 }));
  peer.finishInitialize();
  await vi.waitFor(() => expect(peer.heard).toEqual(['closed payload']));
  expect(peer.sse.sessionCount).toBe(0);
});

test.each([
  ['a GET of messages', 'GET', '/messages', {}, undefined, 405, -32000],
  ['a POST to the stream', 'POST', '/sse', {}, initializeText(), 405, -32000],
  [
    'a stream for a client that accepts only JSON',
    'GET',
    '/sse',
    { Accept: 'application/json' },
    undefined,
    406,
    -32600,
  ],
  ['a stream for a foreign page', 'GET', '/sse', { Origin: 'https://evil.example.com' }, undefined, 403, -32000],
  ['a stream with a foreign Host header', 'GET', '/sse', { Host: 'evil.example.com' }, undefined, 403, -32000],
  ['a POST without a session', 'POST', '/messages', {}, PING, 400, -32600],
  ['a POST to an unknown session', 'POST', `/messages?sessionId=${UNKNOWN}`, {}, PING, 404, -32001],
  ['a POST of a foreign page', 'POST', 'HERE', { Origin: 'https://evil.example.com' }, PING, 403, -32000],
  ['a POST of plain text', 'POST', 'HERE', { 'Content-Type': 'text/plain' }, PING, 415, -32600],
  ['a POST with the stateless revision', 'POST', 'HERE', { 'MCP-Protocol-Version': '2026-07-28' }, PING, 400, -32022],
  ['a POST that is not JSON', 'POST', 'HERE', {}, '{', 400, -32700],
  ['a POST of a batch before initialize', 'POST', 'HERE', {}, `[${PING}]`, 400, -32600],
  ['a POST above the size limit', 'POST', 'HERE', {}, 'x'.repeat(1500), 413, -32600],
])('an HTTP+SSE endpoint answers %s with an HTTP error', async (_, method, path, headers, body, status, code) => {
  const peer = await connectPeer({}, { maxBodyBytes: 1000 });
  const url = path === 'HERE' ? peer.messagesUrl : peer.url.replace('/mcp', path);
  const reply = await send(url, method, { 'Content-Type': 'application/json', ...headers }, body);
  expect(reply.status).toBe(status);
  expect(JSON.parse(reply.text)).toMatchObject({ id: null, error: { code } });
  if (status === 405) expect(reply.headers.allow).toBe(method === 'GET' ? 'POST' : 'GET');
  // The stream stays open.
  await post(peer.messagesUrl, PING);
  await peer.answer(7);
});

test('the gateway ends an HTTP+SSE stream that gets no initialize request in time, and keeps a stream with a session open', async () => {
  const used = await connectPeer({}, { initializeMs: 2_000 });
  await post(used.messagesUrl, initializeText({ protocolVersion: '2024-11-05' }));
  await used.answer('init');
  const idle = await open(used.url.replace('/mcp', '/sse'), 'GET', { Accept: 'text/event-stream' });
  const ended = new Promise(resolve => idle.resume().on('end', resolve));
  expect(used.sse.sessionCount).toBe(2);
  await ended;
  await vi.waitFor(() => expect(used.sse.sessionCount).toBe(1));
  await post(used.messagesUrl, PING);
  await used.answer(7);
});

test('the gateway ends an HTTP+SSE stream whose initialize request it refused', async () => {
  const peer = await connectPeer({}, { initializeMs: 500 });
  await post(peer.messagesUrl, initializeText({ refuse: true, protocolVersion: '2024-11-05' }));
  await vi.waitFor(() => expect(peer.sse.sessionCount).toBe(0), { timeout: 10_000 });
});

test('the gateway does not accept the id of an HTTP+SSE stream as a session id of Streamable HTTP', async () => {
  const peer = await initialized();
  const id = new URL(peer.messagesUrl).searchParams.get('sessionId') ?? '';
  expect(await post(peer.url, PING, { 'Mcp-Session-Id': id })).toMatchObject({ status: 404 });
});

test('the gateway refuses a new HTTP+SSE stream at the session limit until another stream ends', async () => {
  const peer = await connectPeer({}, { maxSessions: 1 });
  const again = () => open(peer.url.replace('/mcp', '/sse'), 'GET', { Accept: 'text/event-stream' });
  expect(await again()).toMatchObject({ statusCode: 503, headers: { 'retry-after': '30' } });
  peer.stream.destroy();
  await vi.waitFor(async () => expect(await again()).toMatchObject({ statusCode: 200 }));
});

test('HTTP+SSE clients at one IP address get at most half of all sessions, and a new one once one of their sessions has ended', async () => {
  const { url } = await startGateway({}, { maxSessions: 4 });
  const from = (localAddress: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const options = { headers: { Accept: 'text/event-stream' }, agent: false, localAddress };
      get(url.replace('/mcp', '/sse'), options, resolve).on('error', reject);
    });
  const greedy = [await from('127.0.0.2'), await from('127.0.0.2')];
  const modest = await from('127.0.0.3');
  const statuses = [...greedy, await from('127.0.0.2'), modest].map(({ statusCode }) => statusCode);
  expect(statuses).toEqual([200, 200, 503, 200]);
  greedy[0]?.destroy();
  await vi.waitFor(async () => expect(await from('127.0.0.2')).toMatchObject({ statusCode: 200 }));
});

test('a gateway that shuts down ends an HTTP+SSE stream after the last running request on it', async () => {
  const answers: ClientResponder[] = [];
  const peer = await initialized({ slow: answer => void answers.push(answer) });
  await post(peer.messagesUrl, '{"jsonrpc":"2.0","id":1,"method":"slow"}');
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  const closed = peer.listener.close(5000);
  answers[0]?.result('"late"');
  expect(await peer.answer(1)).toMatchObject({ result: 'late' });
  await closed;
  expect(peer.heard.at(-1)).toBe('closed payload');
});

async function sdkClient(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { color: 'red' } }));
  await client.connect(new SSEClientTransport(new URL(url)) as never);
  onTestFinished(() => client.close());
  return client;
}

test('the official HTTP+SSE client gets answers, progress, a question and list_changed', async () => {
  const waiting: ClientResponder[] = [];
  const params = { message: 'Which?', requestedSchema: { type: 'object', properties: { color: { type: 'string' } } } };
  const { url, sessions } = await startGateway(
    {
      'tools/call': (answer, envelope) => {
        const { _meta } = envelope.paramsValue() as { _meta: { progressToken: number } };
        const progress = { progressToken: _meta.progressToken, progress: 1 };
        answer.message(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: progress }));
        answer.message(JSON.stringify({ jsonrpc: '2.0', id: 'ours', method: 'elicitation/create', params }));
        waiting.push(answer);
      },
    },
    {},
    {
      response: (_, envelope) => {
        const { result } = JSON.parse(envelope.text) as { result: unknown };
        waiting.shift()?.result(JSON.stringify({ content: [{ type: 'text', text: JSON.stringify(result) }] }));
      },
    },
  );
  const client = await sdkClient(url.replace('/mcp', '/sse'));
  const changed = vi.fn();
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
  const onprogress = vi.fn();
  const result = await client.callTool({ name: 'ask', arguments: {} }, undefined, { onprogress });
  expect(result.content).toMatchObject([{ text: '{"action":"accept","content":{"color":"red"}}' }]);
  expect(onprogress).toHaveBeenCalledWith({ progress: 1 });
  sessions[0]?.send('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce());
});

test('the official HTTP+SSE client works through a proxy that adds a path prefix', async () => {
  const { listener } = await startGateway();
  // Removes `/team/gw` from the request path and forwards everything else.
  const proxy = createServer(socket => {
    const upstream = connect(listener.address.port, '127.0.0.1');
    socket.on('data', data =>
      upstream.write(data.toString('latin1').replace(/^([A-Z]+) \/team\/gw\//, '$1 /'), 'latin1'),
    );
    socket.on('close', () => upstream.destroy()).on('error', () => {});
    upstream.on('close', () => socket.destroy()).on('error', () => {});
    upstream.pipe(socket);
  });
  const port = await new Promise<number>(resolve => {
    proxy.listen(0, '127.0.0.1', () => resolve((proxy.address() as { port: number }).port));
  });
  onTestFinished(() => void proxy.close());
  const client = await sdkClient(`http://127.0.0.1:${port}/team/gw/sse`);
  expect(await client.ping()).toEqual({});
});
