import { request } from 'node:http';
import { expect, test } from 'vitest';
import { BackendError } from '../../../runtime/mcp/backend-error.ts';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { call, initialize, initializeText, open, post, type Reply, startGateway } from './fake-gateway.ts';

const PROGRESS = '{"jsonrpc":"2.0",\r\n"method":"notifications/progress"}';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Writes a pretty-printed response in chunks of one byte, as a backend might. */
function stream(answer: ClientResponder, text: string): void {
  const all = bytes(text);
  answer.start(all.length);
  for (const byte of all) answer.data(Uint8Array.of(byte));
  answer.end();
}

/** The messages of an event stream, without the first event, which only carries an id. */
function eventsOf(reply: Reply): unknown[] {
  expect(reply.headers['content-type']).toBe('text/event-stream');
  const [first, ...events] = reply.text.split('\n\n').filter(event => event !== '');
  expect(first).toMatch(/^id: [\w.%-]+-0\ndata: $/);
  return events.map((event, index) => {
    const id = index === events.length - 1 ? 'end' : index + 1;
    expect(event).toMatch(new RegExp(`^event: message\nid: [\\w.%-]+-${id}\ndata: [^\\r\\n]*$`));
    return JSON.parse(event.slice(event.indexOf('data: ') + 'data: '.length));
  });
}

const failure = (reason: 'timeout' | 'connection_failed'): BackendError =>
  new BackendError('github', reason, 'no luck');

async function gateway(): Promise<{ url: string; session: string }> {
  const { url } = await startGateway({
    result: answer => answer.result('{"big":12345678901234567890}'),
    pretty: (answer, { id }) =>
      stream(answer, JSON.stringify({ jsonrpc: '2.0', id: Number(id), result: 'é日' }, null, 2)),
    progress: (answer, { id }) => {
      answer.message(PROGRESS);
      answer.message(PROGRESS);
      stream(
        answer,
        JSON.stringify({ jsonrpc: '2.0', id: Number(id), result: 'é日' }, null, 2).replaceAll('\n', '\r\n'),
      );
    },
    progressResult: answer => {
      answer.message(PROGRESS);
      answer.result('{\n}');
    },
    timeout: answer => answer.fail(failure('timeout')),
    lost: answer => answer.fail(failure('connection_failed')),
    progressLost: answer => {
      answer.message(PROGRESS);
      answer.fail(failure('connection_failed'));
    },
    twice: answer => {
      answer.result('1');
      answer.result('2');
      answer.fail(failure('timeout'));
      answer.message(PROGRESS);
    },
    crash: () => {
      throw new Error('secret detail');
    },
    brokenOff: answer => {
      answer.start(undefined);
      answer.data(bytes('{"jsonrpc"'));
      setTimeout(() => answer.fail(failure('timeout')), 20);
    },
    short: answer => {
      answer.start(100);
      answer.data(bytes('{}'));
      answer.end();
    },
    long: answer => {
      answer.start(1);
      answer.data(bytes('{}'));
      answer.end();
    },
  });
  return { url, session: await initialize(url) };
}

test('the gateway sends the result of a call as one JSON document with unchanged text', async () => {
  const { url, session } = await gateway();
  const reply = await call(url, session, 'result', '"\\u0041"');
  expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
  expect(reply.text).toBe('{"jsonrpc":"2.0","id":"\\u0041","result":{"big":12345678901234567890}}');
  expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.text)));
});

test('the gateway relays a streamed answer unchanged', async () => {
  const { url, session } = await gateway();
  const reply = await call(url, session, 'pretty');
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.text).toBe('{\n  "jsonrpc": "2.0",\n  "id": 1,\n  "result": "é日"\n}');
});

test('the gateway answers with an event stream when it has a message for the client before the answer', async () => {
  const { url, session } = await gateway();
  const progress = { jsonrpc: '2.0', method: 'notifications/progress' };
  const answer = { jsonrpc: '2.0', id: 1, result: 'é日' };
  expect(eventsOf(await call(url, session, 'progress'))).toEqual([progress, progress, answer]);
  expect(eventsOf(await call(url, session, 'progressResult'))).toEqual([progress, { ...answer, result: {} }]);
  expect(eventsOf(await call(url, session, 'progressLost'))).toMatchObject([
    progress,
    { id: 1, error: { code: -32603 } },
  ]);
});

test('a client that accepts only event streams gets only events', async () => {
  const { url, session } = await gateway();
  const headers = { Accept: 'text/event-stream' };
  expect(eventsOf(await call(url, session, 'result', '1', headers))).toHaveLength(1);
  expect(eventsOf(await call(url, session, 'pretty', '1', headers))).toEqual([
    { jsonrpc: '2.0', id: 1, result: 'é日' },
  ]);
  expect(eventsOf(await call(url, session, 'lost', '1', headers))).toMatchObject([{ error: { code: -32603 } }]);
  const opened = await post(url, initializeText(), headers);
  const first = /^event: message\ndata: ([^\r\n]*)\n\n$/.exec(opened.text)?.[1];
  expect(JSON.parse(first ?? '')).toMatchObject({ id: 'init', result: { protocolVersion: '2025-11-25' } });
  expect(opened.headers['mcp-session-id']).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test('a client that accepts only JSON does not get the messages before the answer', async () => {
  const { url, session } = await gateway();
  const reply = await call(url, session, 'progress', '1', { Accept: 'application/json' });
  expect(JSON.parse(reply.text)).toEqual({ jsonrpc: '2.0', id: 1, result: 'é日' });
});

test.each([
  ['timeout', -32001, 'backend "github": no luck', { backend: 'github', reason: 'timeout' }],
  ['lost', -32603, 'backend "github": no luck', { backend: 'github', reason: 'connection_failed' }],
  ['crash', -32603, 'internal error', undefined],
  ['nothing', -32601, 'method not found', undefined],
])(
  'in a session, the gateway sends a JSON-RPC error with HTTP status 200 (test method %s)',
  async (method, code, message, data) => {
    const { url, session } = await gateway();
    const reply = await call(url, session, method);
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.text)).toEqual({ jsonrpc: '2.0', id: 1, error: { code, message, ...(data && { data }) } });
  },
);

test('when a backend answers a request twice, the client gets only the first answer', async () => {
  const { url, session } = await gateway();
  expect((await call(url, session, 'twice')).text).toBe('{"jsonrpc":"2.0","id":1,"result":1}');
});

test.each(['brokenOff', 'short', 'long'])(
  'the gateway breaks the connection of a client whose answer ends incomplete or has a wrong length (test method %s)',
  async method => {
    const { url, session } = await gateway();
    await expect(call(url, session, method)).rejects.toThrow(/aborted|socket hang up|ECONNRESET/);
    expect(await call(url, session, 'result')).toMatchObject({ status: 200 });
  },
);

test('the gateway refuses a request whose id is that of a running request of the session, in any spelling', async () => {
  let finish = (): void => {};
  const started = Promise.withResolvers<void>();
  const { url } = await startGateway({
    slow: answer => {
      finish = () => answer.result('{}');
      started.resolve();
    },
  });
  const session = await initialize(url);
  const first = call(url, session, 'slow', '"a"');
  await started.promise;
  const second = await call(url, session, 'ping', '"\\u0061"');
  expect(second.status).toBe(400);
  expect(JSON.parse(second.text)).toMatchObject({ id: 'a', error: { code: -32600 } });
  expect(await call(url, await initialize(url), 'ping', '"a"')).toMatchObject({ status: 200 });
  finish();
  expect(await first).toMatchObject({ status: 200 });
  expect(await call(url, session, 'ping', '"a"')).toMatchObject({ status: 200 });
});

test('the gateway pauses the sender of a large answer while the client reads slowly, and the client gets every byte', async () => {
  const chunkBytes = 256 * 1024;
  const total = 200;
  let pauses = 0;
  const { url } = await startGateway({
    large: answer => {
      let sent = 0;
      const pump = (): void => {
        while (sent < total) {
          sent++;
          if (!answer.data(new Uint8Array(chunkBytes).fill(0x20))) {
            pauses++;
            answer.onDrain(pump);
            return;
          }
        }
        answer.end();
      };
      answer.start(undefined);
      pump();
    },
  });
  const reply = await call(url, await initialize(url), 'large');
  expect(reply.text).toHaveLength(total * chunkBytes);
  expect(pauses).toBeGreaterThan(5);
});

test('when a client disconnects, the gateway aborts the answer, and calls the onDrain callback that waits until the client reads', async () => {
  const events: string[] = [];
  const aborted = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  const { url } = await startGateway({
    endless: answer => {
      answer.addEventListener('abort', { handleEvent: () => void events.push('signal') });
      answer.onAbort(() => aborted.resolve());
      answer.start(undefined);
      while (answer.data(new Uint8Array(65536)));
      answer.onDrain(() => resumed.resolve());
    },
  });
  const session = await initialize(url);
  const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': session };
  const req = request(url, { method: 'POST', headers, agent: false }, res => res.once('data', () => req.destroy()));
  req.on('error', () => {});
  req.end('{"jsonrpc":"2.0","id":1,"method":"endless"}');
  await Promise.all([aborted.promise, resumed.promise]);
  expect(events).toEqual(['signal']);
  // The id is free again.
  expect(await call(url, session, 'ping')).toMatchObject({ status: 200 });
});

test('after a first message, the gateway sends heartbeats on the stream of a call until the answer comes', async () => {
  let finish = (): void => {};
  const { url } = await startGateway(
    {
      slow: answer => {
        answer.message(PROGRESS);
        finish = () => answer.result('{}');
      },
    },
    { heartbeatMs: 20 },
  );
  const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': await initialize(url) };
  const res = await open(url, 'POST', headers, '{"jsonrpc":"2.0","id":1,"method":"slow"}');
  let text = '';
  for await (const chunk of res.setEncoding('utf8')) {
    text += chunk;
    if (text.split(': ping').length === 4) finish();
  }
  const [, behind] = text.split('data: \n\n');
  expect(behind).toMatch(/^event: message\nid: .*\ndata: .*\n\n(: ping\n\n)+event: message\nid: .*\ndata: .*\n\n$/);
});

test('the gateway answers 202 to notifications and responses of a client, also if handling them fails', async () => {
  const { url, heard } = await startGateway();
  const headers = { 'Mcp-Session-Id': await initialize(url) };
  for (const body of [
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"notifications/crash"}',
    '{"jsonrpc":"2.0","id":"s1","result":{}}',
  ]) {
    expect(await post(url, body, headers)).toMatchObject({ status: 202, text: '' });
  }
  expect(heard).toEqual([
    'notification notifications/initialized',
    'notification notifications/crash',
    'response "s1"',
  ]);
});

test('the gateway answers initialize with the requested revision of MCP, or with the newest', async () => {
  const { url } = await startGateway();
  for (const [asked, got] of [
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2024-11-05', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
  ]) {
    const reply = await post(url, initializeText({ protocolVersion: asked }));
    expect(JSON.parse(reply.text).result.protocolVersion).toBe(got);
  }
});
