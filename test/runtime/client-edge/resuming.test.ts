import type { IncomingMessage } from 'node:http';
import { expect, test, vi } from 'vitest';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { MAX_KEPT_BYTES } from '../../../runtime/mcp/replay-buffer.ts';
import type { McpEndpointOptions } from '../../../runtime/mcp/streamable-http/endpoint.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import { call, type Gateway, initialize, open, readUntil, send, startGateway } from './fake-gateway.ts';

const note = (n: number): string => `{"jsonrpc":"2.0","method":"notifications/message","params":{"n":${n}}}`;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Started extends Gateway {
  readonly session: string;
  /** The pending `slow` requests, oldest first. */
  readonly answers: ClientResponder[];
}

/** A gateway whose `slow` sends `note(1)` and leaves the rest to the test. */
async function start(options: Partial<McpEndpointOptions> = {}, revision?: string): Promise<Started> {
  const answers: ClientResponder[] = [];
  const slow = (answer: ClientResponder): void => {
    answers.push(answer);
    answer.message(note(1));
  };
  const gateway = await startGateway({ slow }, options);
  return { ...gateway, session: await initialize(gateway.url, revision), answers };
}

function beginCall({ url, session }: Started, id = 1): Promise<IncomingMessage> {
  const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': session };
  return open(url, 'POST', headers, `{"jsonrpc":"2.0","id":${id},"method":"slow"}`);
}

function listen({ url, session }: Started, lastEventId?: string): Promise<IncomingMessage> {
  const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': session, 'Last-Event-ID': lastEventId };
  return open(url, 'GET', headers);
}

/** The text of a response, read to its end. */
async function textOf(res: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of res.setEncoding('utf8')) text += chunk;
  return text;
}

/** Ids and messages, in order; an event without data has none. */
function eventsOf(text: string): [id: string | undefined, message: unknown][] {
  const events = text.split('\n\n').filter(event => event !== '' && !event.startsWith(':'));
  return events.map(event => {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    return [/^id: (.*)$/m.exec(event)?.[1], data === undefined || data === '' ? undefined : JSON.parse(data)];
  });
}

/** Closes a connection, and waits until the gateway has noticed. */
async function breakOff({ openAnswers }: Started, res: IncomingMessage): Promise<void> {
  const before = openAnswers();
  res.destroy();
  await vi.waitFor(() => expect(openAnswers()).toBe(before - 1));
}

test('a call goes on when the connection of its client breaks, and the client gets the answer after it reconnects', async () => {
  const started = await start();
  const first = await beginCall(started);
  expect(eventsOf(await readUntil(first, '"n":1')).map(([id]) => id)).toEqual(['1.1-0', '1.1-1']);
  await breakOff(started, first);
  const [answer] = started.answers;
  expect(answer?.aborted).toBe(false);
  expect(answer?.message(note(2))).toBe(true);
  answer?.result('{"late":true}');
  const events = eventsOf(await textOf(await listen(started, '1.1-0')));
  expect(events).toEqual([
    ['1.1-1', JSON.parse(note(1))],
    ['1.1-2', JSON.parse(note(2))],
    ['1.1-end', { jsonrpc: '2.0', id: 1, result: { late: true } }],
  ]);
  // Its id is free, and the stream is dropped once it was delivered.
  expect(await call(started.url, started.session, 'ping')).toMatchObject({ status: 200 });
});

test('a client that reconnects during a call gets the messages it missed, and then the later messages and the answer', async () => {
  const started = await start();
  await breakOff(started, await beginCall(started));
  const [answer] = started.answers;
  answer?.message(note(2));
  const again = await listen(started, '1.1-1');
  const text = textOf(again);
  answer?.message(note(3));
  answer?.result('{}');
  expect(eventsOf(await text).map(([id]) => id)).toEqual(['1.1-2', '1.1-3', '1.1-end']);
});

test('a client that reconnects takes over its stream, even if the gateway has not noticed that the old connection is dead', async () => {
  const started = await start();
  const first = await beginCall(started);
  const closed = new Promise(resolve => first.once('close', resolve).on('error', () => {}));
  const again = textOf(await listen(started, '1.1-1'));
  await closed;
  started.answers[0]?.result('{}');
  expect(eventsOf(await again).map(([id]) => id)).toEqual(['1.1-end']);
});

test('a client that reconnects gets a whole answer in chunks, wherever the connection broke', async () => {
  const started = await start();
  const first = await beginCall(started);
  const [answer] = started.answers;
  const parts = ['{"jsonrpc":"2.0",\n', '"id":1,"result":', '"é日"', '}'];
  answer?.start(undefined);
  answer?.data(bytes(parts[0] ?? ''));
  await breakOff(started, first);
  answer?.data(bytes(parts[1] ?? ''));
  const again = textOf(await listen(started, '1.1-1'));
  answer?.data(bytes(parts[2] ?? ''));
  answer?.data(bytes(parts[3] ?? ''));
  answer?.end();
  expect(eventsOf(await again)).toEqual([['1.1-end', { jsonrpc: '2.0', id: 1, result: 'é日' }]]);
});

test('a client that reconnects to one stream gets no messages of its other streams', async () => {
  const started = await start();
  const [one, two] = [await beginCall(started, 1), await beginCall(started, 2)];
  await breakOff(started, one);
  await breakOff(started, two);
  started.answers[1]?.result('"two"');
  started.answers[0]?.result('"one"');
  const result = async (id: string): Promise<unknown> => eventsOf(await textOf(await listen(started, id)));
  expect(await result('1.1-1')).toEqual([['1.1-end', { jsonrpc: '2.0', id: 1, result: 'one' }]]);
  expect(await result('2.2-1')).toEqual([['2.2-end', { jsonrpc: '2.0', id: 2, result: 'two' }]]);
});

test('an answer that is too large to store reaches a connected client, and a client that reconnects gets an error in its place', async () => {
  const started = await start();
  const chunk = 'x'.repeat(64 * 1024);
  const count = (2 * MAX_KEPT_BYTES) / chunk.length;
  const stream = (answer: ClientResponder | undefined, id: number, from: number, to: number): void => {
    if (from === 0) answer?.start(undefined);
    if (from === 0) answer?.data(bytes(`{"jsonrpc":"2.0","id":${id},"result":"`));
    for (let n = from; n < to; n++) answer?.data(bytes(chunk));
    if (to === count) answer?.data(bytes('"}'));
    if (to === count) answer?.end();
  };
  const whole = textOf(await beginCall(started, 1));
  await vi.waitFor(() => expect(started.answers).toHaveLength(1));
  stream(started.answers[0], 1, 0, count);
  expect((await whole).length).toBeGreaterThan(2 * MAX_KEPT_BYTES);

  const broken = await beginCall(started, 2);
  const [, answer] = started.answers;
  stream(answer, 2, 0, 4);
  await breakOff(started, broken);
  expect(answer?.aborted).toBe(false);
  stream(answer, 2, 4, count);
  // It cannot be delivered completely any more, so the gateway stops reading it.
  expect(answer?.aborted).toBe(true);
  const events = eventsOf(await textOf(await listen(started, '2.2-1')));
  expect(events).toMatchObject([['2.2-end', { id: 2, error: { code: -32603 } }]]);
});

test('a client that reconnects gets the error of a call whose backend failed in the middle of the answer', async () => {
  const started = await start();
  const res = await beginCall(started);
  const [answer] = started.answers;
  answer?.start(undefined);
  answer?.data(bytes('{"jsonrpc"'));
  answer?.error(new WireError(-32603, 'gone'));
  await expect(textOf(res)).rejects.toThrow();
  const events = eventsOf(await textOf(await listen(started, '1.1-1')));
  expect(events).toMatchObject([['1.1-end', { id: 1, error: { message: 'gone' } }]]);
});

test('the gateway drops the oldest stored events of a stream beyond the limit, and a client that reconnects gets the answer', async () => {
  const started = await start();
  await breakOff(started, await beginCall(started));
  for (let n = 2; n <= 400; n++) started.answers[0]?.message(note(n));
  started.answers[0]?.result('{}');
  const events = eventsOf(await textOf(await listen(started, '1.1-1')));
  expect(events).toHaveLength(256);
  expect(events.at(-1)).toMatchObject(['1.1-end', { result: {} }]);
});

test('a call is cancelled when its client does not reconnect in time', async () => {
  const started = await start({ resumeWindowMs: 50 });
  (await beginCall(started)).destroy();
  await vi.waitFor(() => expect(started.answers[0]?.aborted).toBe(true));
  expect(await call(started.url, started.session, 'ping')).toMatchObject({ status: 200 });
});

test('when a session ends, the gateway cancels its calls whose client has not reconnected', async () => {
  const started = await start();
  await breakOff(started, await beginCall(started));
  await send(started.url, 'DELETE', { 'Mcp-Session-Id': started.session });
  expect(started.answers[0]?.aborted).toBe(true);
});

test('a client that reconnects to the stream of a cancelled call gets no answer', async () => {
  const started = await start();
  const res = await beginCall(started);
  started.answers[0]?.cancel();
  expect(eventsOf(await textOf(res)).at(-1)).toEqual(['1.1-end', undefined]);
  expect(await send(started.url, 'GET', { ...listenHeaders(started), 'Last-Event-ID': '1.1-end' })).toMatchObject({
    status: 405,
  });
});

const listenHeaders = ({ session }: Started) => ({ Accept: 'text/event-stream', 'Mcp-Session-Id': session });

test.each([
  ['of a GET stream that is no longer kept', '99-3'],
  ['with a JSON object as request id', '1.~e30-1'],
  ['with invalid UTF-8 as request id', '1.~4KQ-1'],
  ['with an invalid number as request id', '1.007-1'],
  ['with a very long request id', `1.${'9'.repeat(513)}-1`],
  ['with a very long request id in Base64', `1.~Ijk5${'OTk5'.repeat(700)}OSI-1`],
  ['that the gateway never sent', 'garbage'],
  ['with very many digits', `${'9'.repeat(400)}-1`],
  ['that is empty', ''],
])('the gateway opens a new stream for a GET with a Last-Event-ID %s', async (_, id) => {
  const started = await start();
  const res = await listen(started, id);
  expect(res.statusCode).toBe(200);
  expect(await readUntil(res, '\n\n')).toBe('id: 1-0\ndata: \n\n');
  expect(started.sessions[0]?.send(note(7))).toBe(true);
});

test('a client that reconnects its GET stream gets the messages sent since it disconnected, including list_changed', async () => {
  const started = await start();
  const first = await listen(started);
  started.sessions[0]?.send(note(1));
  await readUntil(first, '"n":1');
  await breakOff(started, first);
  expect(started.sessions[0]?.send(note(2))).toBe(true);
  expect(started.sessions[0]?.send('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')).toBe(true);
  const again = await listen(started, '1-1');
  const text = readUntil(again, '"n":3');
  expect(started.sessions[0]?.send(note(3))).toBe(true);
  const events = eventsOf(await text);
  expect(events.map(([id]) => id)).toEqual(['1-2', '1-3', '1-4']);
  expect(events[1]?.[1]).toMatchObject({ method: 'notifications/tools/list_changed' });
  expect(started.heard.filter(line => line.startsWith('listening'))).toHaveLength(2);
});

test('a new GET stream gets from an earlier GET stream only a list_changed notification that no client received', async () => {
  const started = await start();
  await breakOff(started, await listen(started));
  started.sessions[0]?.send(note(2));
  started.sessions[0]?.send('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  const text = await readUntil(await listen(started), 'list_changed');
  expect(text).not.toContain('"n":2');
});

test('GET streams that break again and again do not count toward the stream limit of their session', async () => {
  const started = await start();
  for (let n = 0; n < 12; n++) await breakOff(started, await listen(started));
  let id = '12-0';
  for (let n = 0; n < 6; n++) {
    const res = await listen(started, id);
    expect(res.statusCode).toBe(200);
    started.sessions[0]?.send(note(n));
    id = eventsOf(await readUntil(res, `"n":${n}`)).at(-1)?.[0] ?? '';
  }
  expect(id).toBe('12-6');
});

test.each(['2025-06-18', '2025-03-26'])(
  'an event stream in a session of revision %s has event ids, and no event without data',
  async revision => {
    const started = await start({}, revision);
    const first = await beginCall(started);
    expect(await readUntil(first, '\n\n')).toBe(`event: message\nid: 1.1-1\ndata: ${note(1)}\n\n`);
    await breakOff(started, first);
    started.answers[0]?.result('{}');
    expect(eventsOf(await textOf(await listen(started, '1.1-1'))).map(([id]) => id)).toEqual(['1.1-end']);
    const standing = await listen(started);
    started.sessions[0]?.send(note(2));
    expect(await readUntil(standing, '\n\n')).toBe(`event: message\nid: 2-1\ndata: ${note(2)}\n\n`);
  },
);
