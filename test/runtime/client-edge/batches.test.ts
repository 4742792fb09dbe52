import type { IncomingMessage } from 'node:http';
import { expect, test, vi } from 'vitest';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { MAX_BATCH_MESSAGES } from '../../../runtime/mcp/read-batch.ts';
import {
  type Gateway,
  initialize,
  initializeText,
  open,
  post,
  type Reply,
  send,
  startGateway,
} from './fake-gateway.ts';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const NOTE = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const RESPONSE = '{"jsonrpc":"2.0","id":"s1","result":{}}';
const PROGRESS = '{"jsonrpc":"2.0","method":"notifications/progress"}';

interface Started extends Gateway {
  readonly session: string;
  readonly answers: ClientResponder[];
}

async function start(revision = '2025-03-26'): Promise<Started> {
  const answers: ClientResponder[] = [];
  const gateway = await startGateway({
    slow: answer => {
      answers.push(answer);
      answer.message(PROGRESS);
    },
    chunks: answer => {
      answer.start(undefined);
      for (const part of ['{"jsonrpc":"2.0",\n"id":', '2,"result":"é"}']) answer.data(new TextEncoder().encode(part));
      answer.end();
    },
    huge: answer => {
      answer.start(undefined);
      for (let n = 0; n < 20; n++) answer.data(new Uint8Array(1024 * 1024).fill(0x20));
      answer.end();
    },
    crash: () => {
      throw new Error('secret detail');
    },
  });
  return { ...gateway, session: await initialize(gateway.url, revision), answers };
}

function batch({ url, session }: Started, members: readonly string[], accept?: string): Promise<Reply> {
  const headers = { 'Mcp-Session-Id': session, ...(accept !== undefined && { Accept: accept }) };
  return post(url, `[${members.join(',')}]`, headers);
}

const JSON_ONLY = 'application/json';

/** The messages of an event stream. */
function messagesOf(text: string): unknown[] {
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
}

test('the gateway accepts a batch of notifications and responses with 202', async () => {
  const started = await start();
  expect(await batch(started, [NOTE, RESPONSE])).toMatchObject({ status: 202, text: '' });
  expect(started.heard).toEqual(['notification notifications/initialized', 'response "s1"']);
});

test('the gateway answers a batch with one event stream that has one event for the answer to each request', async () => {
  const started = await start();
  const reply = await batch(started, [PING, NOTE, PING.replace('1', '2').replace('ping', 'chunks')]);
  expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' } });
  expect(reply.text.match(/^id: .*$/gm)).toEqual(['id: 1.-1', 'id: 1.-end']);
  expect(messagesOf(reply.text)).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 2, result: 'é' },
  ]);
  expect(started.heard).toEqual(['notification notifications/initialized']);
});

test('a client that accepts only JSON gets the answers to a batch as one array, and no messages before the answers', async () => {
  const started = await start();
  const reply = batch(started, [PING.replace('ping', 'slow'), PING.replace('1', '2')], JSON_ONLY);
  await vi.waitFor(() => expect(started.answers).toHaveLength(1));
  started.answers[0]?.result('"late"');
  const { status, headers, text } = await reply;
  expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json' });
  expect(JSON.parse(text)).toEqual([
    { jsonrpc: '2.0', id: 2, result: {} },
    { jsonrpc: '2.0', id: 1, result: 'late' },
  ]);
});

test('the gateway answers each invalid message in a batch with an error, and the valid messages as usual', async () => {
  const started = await start();
  const members: [member: string, code: number | undefined, id: unknown][] = [
    [PING, undefined, 1],
    ['7', -32600, null],
    ['[]', -32600, null],
    [`[${PING}]`, -32600, null],
    ['{"jsonrpc":"1.0","id":3,"method":"ping"}', -32600, 3],
    ['{"jsonrpc":"2.0","id":4,"method":"ping","params":[]}', -32602, 4],
    ['{"jsonrpc":"2.0","id":5,"method":"ping","Method":"x"}', -32600, 5],
    ['{"jsonrpc":"2.0","id":6,"method":"crash"}', -32603, 6],
    ['{"jsonrpc":"2.0","id":7,"method":"nothing"}', -32601, 7],
    [initializeText(), -32600, 'init'],
    ['{"jsonrpc":"2.0","id":8,"method":"huge"}', -32603, 8],
    ['{"jsonrpc":"2.0","id":9,"method":"ping"}', undefined, 9],
  ];
  const reply = await batch(
    started,
    members.map(([member]) => member),
    JSON_ONLY,
  );
  const answers = JSON.parse(reply.text) as { id: unknown; error?: { code: number } }[];
  expect(answers.map(({ id, error }) => [error?.code, id])).toEqual(members.map(([, code, id]) => [code, id]));
  expect(reply.text).not.toContain('secret');
  const streamed = await batch(
    started,
    members.map(([member]) => member),
  );
  expect(messagesOf(streamed.text)).toEqual(answers);
});

test.each([
  [
    'closes its document and begins another',
    '{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":"forged"}',
  ],
  ['has the id of another request', '{"jsonrpc":"2.0","id":2,"result":"forged"}'],
  ['is not JSON', '{"jsonrpc":"2.0","id":1,"result":{oops}}'],
  ['is not a response', '{"jsonrpc":"2.0","id":1,"method":"roots/list"}'],
])('in a batch, an answer that %s does not change the answers to the other requests', async (_, json) => {
  const gateway = await startGateway({
    wild: answer => {
      answer.start(undefined);
      answer.data(new TextEncoder().encode(json));
      answer.end();
    },
  });
  const started = { ...gateway, session: await initialize(gateway.url, '2025-03-26'), answers: [] };
  const { text } = await batch(started, [PING.replace('ping', 'wild'), PING.replace('1', '2')], JSON_ONLY);
  expect(JSON.parse(text)).toMatchObject([
    { id: 1, error: { code: -32603 } },
    { id: 2, result: {} },
  ]);
});

test('the answers that the gateway collects for the client of a batch have one size limit together', async () => {
  const gateway = await startGateway({
    large: (answer, { id = '' }) => {
      const json = `{"jsonrpc":"2.0","id":${id},"result":"${'x'.repeat(10 * 1024 * 1024)}"}`;
      answer.start(undefined);
      answer.data(new TextEncoder().encode(json));
      answer.end();
    },
  });
  const started = { ...gateway, session: await initialize(gateway.url, '2025-03-26'), answers: [] };
  const large = PING.replace('ping', 'large');
  const { text } = await batch(started, [large, large.replace('1', '2'), PING.replace('1', '3')], JSON_ONLY);
  expect(JSON.parse(text)).toMatchObject([
    { id: 1, result: expect.any(String) },
    { id: 2, error: { code: -32603 } },
    { id: 3, result: {} },
  ]);
});

test('the gateway refuses a request of a batch whose id is that of an earlier request in the batch or of a running request', async () => {
  const started = await start();
  const slow = batch(started, [PING.replace('ping', 'slow'), PING], JSON_ONLY);
  await vi.waitFor(() => expect(started.answers).toHaveLength(1));
  const other = await batch(started, [PING, PING.replace('1', '2')], JSON_ONLY);
  expect(JSON.parse(other.text)).toMatchObject([
    { id: 1, error: { code: -32600 } },
    { id: 2, result: {} },
  ]);
  started.answers[0]?.result('{}');
  expect(JSON.parse((await slow).text)).toMatchObject([
    { id: 1, error: { code: -32600 } },
    { id: 1, result: {} },
  ]);
});

test('the gateway sends no answer to a cancelled request of a batch, and answers the other requests of the batch', async () => {
  const started = await start();
  const both = batch(started, [PING.replace('ping', 'slow'), PING.replace('1', '2')]);
  await vi.waitFor(() => expect(started.answers).toHaveLength(1));
  started.answers[0]?.cancel();
  expect(messagesOf((await both).text)).toMatchObject([{ method: 'notifications/progress' }, { id: 2 }]);
  const alone = batch(started, [PING.replace('ping', 'slow')], JSON_ONLY);
  await vi.waitFor(() => expect(started.answers).toHaveLength(2));
  started.answers[1]?.cancel();
  expect(await alone).toMatchObject({ status: 202, text: '' });
});

test.each([
  ['no messages', '[]', -32600],
  [
    'too many messages',
    `[${Array(MAX_BATCH_MESSAGES + 1)
      .fill(NOTE)
      .join(',')}]`,
    -32600,
  ],
  ['a syntax error', `[${PING},]`, -32700],
  ['a missing bracket', `[${PING}`, -32700],
  ['text after its end', `[${PING}] x`, -32700],
  ['too many nested levels', `[${'['.repeat(128)}${']'.repeat(128)}]`, -32600],
])('the gateway refuses a batch with %s as a whole', async (_, body, code) => {
  const { url, session, heard } = await start();
  const reply = await post(url, body, { 'Mcp-Session-Id': session });
  expect(reply.status).toBe(400);
  expect(JSON.parse(reply.text)).toMatchObject({ id: null, error: { code } });
  expect(heard).toEqual([]);
});

test('the gateway accepts a batch with as many messages as the limit allows', async () => {
  const started = await start();
  const members = Array.from({ length: MAX_BATCH_MESSAGES }, (_, n) => PING.replace('1', String(n)));
  expect(JSON.parse((await batch(started, members, JSON_ONLY)).text)).toHaveLength(MAX_BATCH_MESSAGES);
});

test.each(['2025-06-18', '2025-11-25'])('the gateway refuses a batch in a session of revision %s', async revision => {
  const reply = await batch(await start(revision), [PING]);
  expect(reply.status).toBe(400);
  expect(JSON.parse(reply.text)).toMatchObject({ id: null, error: { code: -32600 } });
});

test.each([
  ['without a session', {}, 400, -32600],
  ['in an unknown session', { 'Mcp-Session-Id': '6f1f8f0e-0000-4000-8000-000000000000' }, 404, -32001],
])(
  'the gateway opens no session for an initialize request in a batch that is sent %s',
  async (_, headers, status, code) => {
    const { url, sessions } = await startGateway();
    const reply = await post(url, `[${initializeText({ protocolVersion: '2025-03-26' })}]`, headers);
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text)).toMatchObject({ error: { code } });
    expect(sessions).toEqual([]);
  },
);

test('a client whose connection broke can resume the event stream of a batch', async () => {
  const started = await start();
  const { url, session, answers, openAnswers } = started;
  const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': session };
  const body = `[${PING.replace('ping', 'slow')},${PING.replace('1', '2')}]`;
  const first: IncomingMessage = await open(url, 'POST', headers, body);
  first.destroy();
  await vi.waitFor(() => expect(openAnswers()).toBe(0));
  answers[0]?.result('"late"');
  const again = await send(url, 'GET', { Accept: 'text/event-stream', ...headers, 'Last-Event-ID': '1.-1' });
  expect(messagesOf(again.text)).toMatchObject([{ id: 2 }, { id: 1, result: 'late' }]);
});

test('when a client that accepts only JSON disconnects during a batch, the requests of the batch are cancelled', async () => {
  const { url, session, answers, breakAnswers } = await start();
  const headers = { 'Content-Type': 'application/json', Accept: JSON_ONLY, 'Mcp-Session-Id': session };
  const gone = expect(open(url, 'POST', headers, `[${PING.replace('ping', 'slow')}]`)).rejects.toThrow();
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  breakAnswers();
  await gone;
  await vi.waitFor(() => expect(answers[0]?.aborted).toBe(true));
});
