/** How the gateway uses backends over HTTP+SSE, with raw servers. */

import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { BackendFailure } from '../../../runtime/mcp/backend-error.ts';
import { connectionsGone } from '../../support/client-connections.ts';
import { eventText, IDENTITY, openEvents, type RawRequest, startRawServer } from '../../support/raw-server.ts';
import { Edge, eventually, planFor, send } from './harness.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

/** Receives requests after the handshake; `stream` is where responses go. */
type OnRequest = (request: RawRequest, stream: ServerResponse, post: ServerResponse) => void;

interface Options {
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  /** Receives `notifications/initialized`. By default accepts it. */
  readonly initialized?: (stream: ServerResponse, post: ServerResponse) => void;
}

const LOGGING = { ...IDENTITY, capabilities: { tools: {}, logging: {} } };

async function connect(onRequest: OnRequest, options: Options = {}) {
  const streams: ServerResponse[] = [];
  const server = await edge.server(
    startRawServer((request, response) => {
      const stream = streams.at(-1);
      const { message, method } = request;
      if (method === 'GET') {
        streams.push(response);
        openEvents(response);
        response.write(eventText('/in?session=secret', 'endpoint'));
      } else if (message?.method === 'initialize') {
        response.writeHead(202).end('Accepted');
        stream?.write(eventText(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: LOGGING })));
      } else if (message?.method === 'notifications/initialized' && stream !== undefined && options.initialized) {
        options.initialized(stream, response);
      } else if (message?.method?.startsWith('notifications/') === true || message?.method === undefined) {
        response.writeHead(202).end();
      } else if (stream !== undefined) onRequest(request, stream, response);
    }),
  );
  const client = edge.client(
    options.maxResponseBytes === undefined ? {} : { maxResponseBytes: options.maxResponseBytes },
  );
  const session = edge.session(planFor(`${server.origin}/sse?key=1#github`, 'sse', options.timeoutMs), client);
  return { server, session, streams };
}

const accept: OnRequest = (_request, _stream, post) => void post.writeHead(202).end('Accepted');

test('a call to an HTTP+SSE backend does not time out while the client has not answered the questions of the backend', async () => {
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"r"}}';
  const question = (id: string) => eventText(`{"jsonrpc":"2.0","id":"${id}","method":"roots/list"}`);
  const { server, session } = await connect(
    (request, stream, post) => {
      accept(request, stream, post);
      stream.write(question('q') + question('r') + eventText(cancelled));
      const answer = { jsonrpc: '2.0', id: request.message.id, result: {} };
      void server
        .waitFor(({ message }) => message?.id === 'q')
        .then(() => stream.write(eventText(JSON.stringify(answer))));
    },
    { timeoutMs: 2_000 },
  );
  const heard: string[] = [];
  session.listen({
    message: ({ text }) => heard.push(text),
    request: (_json, id, method) => {
      heard.push(id, method);
      if (id === '"r"') return;
      setTimeout(() => void session.post(`{"jsonrpc":"2.0","id":${id},"result":{"roots":[]}}`), 3_000);
    },
  });
  expect((await send(session, 'x')).error).toBeUndefined();
  expect(heard).toEqual(['"q"', 'roots/list', '"r"', 'roots/list', cancelled]);
});

test('a new HTTP+SSE session gets the log level and the subscriptions of its client', async () => {
  const told: string[] = [];
  const { session, streams } = await connect((request, stream, post) => {
    accept(request, stream, post);
    told.push(`${streams.length} ${request.message.method} ${JSON.stringify(request.message.params)}`);
    stream.write(eventText(JSON.stringify({ jsonrpc: '2.0', id: request.message.id, result: {} })));
  });
  await send(session, 'resources/subscribe', { uri: 'a:1' });
  await send(session, 'logging/setLevel', { level: 'info' });
  const port = streams[0]?.socket?.remotePort;
  const noticed = connectionsGone(({ localPort }) => localPort === port);
  streams[0]?.destroy();
  await eventually(() => told.length === 2);
  await noticed;
  await send(session, 'x');
  await eventually(() => told.length === 5);
  // The log level is sent first, because it applies to everything after it.
  expect(told[2]).toBe('2 logging/setLevel {"level":"info"}');
  expect(told.slice(3).toSorted()).toEqual(['2 resources/subscribe {"uri":"a:1"}', '2 x {}']);
});

test('the gateway repeats a resource subscription in each new HTTP+SSE session until the backend responds to it', async () => {
  const told: string[] = [];
  const { session, streams } = await connect((request, stream, post) => {
    const { id, method } = request.message;
    told.push(`${streams.length} ${method}`);
    if (told.length === 2 || told.length === 3) return void post.writeHead(503).end();
    accept(request, stream, post);
    const isRefused = told.length === 4;
    stream.write(
      eventText(JSON.stringify({ jsonrpc: '2.0', id, ...(isRefused ? { error: { code: 1 } } : { result: {} }) })),
    );
  });
  session.listen({ message() {} });
  await send(session, 'resources/subscribe', { uri: 'a:1' });
  streams[0]?.destroy();
  await eventually(() => told.length === 4);
  await send(session, 'x');
  // An error is a response too.
  expect(told).toEqual(['1 resources/subscribe', ...Array(3).fill('2 resources/subscribe'), '2 x']);
});

test('the gateway requests the URL of an HTTP+SSE backend without the fragment, and posts to the endpoint that the backend names', async () => {
  const { server, session } = await connect((request, stream, post) => {
    accept(request, stream, post);
    stream.write(eventText(`{"jsonrpc":"2.0","result":{"odd" : 1.50},"id":${request.message.id}}`));
  });
  const sink = await send(session, 'x', {}, { id: '77' });
  expect(sink.text).toBe('{"jsonrpc":"2.0","result":{"odd" : 1.50},"id":77}');
  expect(sink.length).toBe(Buffer.byteLength(sink.text));
  expect(server.requests.map(request => request.path)).toEqual(['/sse?key=1', ...Array(3).fill('/in?session=secret')]);
});

test('the gateway matches answers of an HTTP+SSE backend to requests by id, in any order and however the id is spelled', async () => {
  const held: string[] = [];
  const { session } = await connect((request, stream, post) => {
    accept(request, stream, post);
    held.push(JSON.stringify(request.message.id));
    if (held.length < 3) return;
    for (const id of held.reverse()) {
      const spelled = id.replace('é', '\\u00e9');
      stream.write(eventText(`{"jsonrpc":"2.0","id":${spelled},"result":{"for":${id}}}`));
    }
  });
  const ids = ['1', '"1"', '"é"'];
  const sinks = await Promise.all(ids.map(id => send(session, 'x', {}, { id })));
  expect(sinks.map(sink => JSON.stringify(JSON.parse(sink.text).result.for))).toEqual(ids);
});

test.each([
  ['a second id', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{},"id":${id + 1}}`],
  ['an id in upper case', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"a":{}},"ID":${id + 1}}`],
  ['a method', (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{},"method":"ping"}`],
])('a call fails when the answer of its HTTP+SSE backend has %s', async (_name, text) => {
  const { session } = await connect((request, stream, post) => {
    accept(request, stream, post);
    stream.write(eventText(text(request.message.id)));
  });
  expect((await send(session, 'x', {}, { id: '5' })).error).toMatchObject({ reason: 'protocol_error' });
});

test('the gateway refuses a request to an HTTP+SSE backend whose id is that of a waiting request', async () => {
  const { session } = await connect((request, stream, post) => {
    accept(request, stream, post);
    setTimeout(() => stream.write(eventText('{"jsonrpc":"2.0","id":"a","result":{}}')), 50);
  });
  await session.open();
  const first = send(session, 'x', {}, { id: '"a"' });
  const second = await send(session, 'x', {}, { id: '"\\u0061"' });
  expect(second.error).toMatchObject({ reason: 'protocol_error' });
  expect((await first).ended).toBe(true);
  expect((await send(session, 'x', {}, { id: '"a"' })).ended).toBe(true);
});

test('the gateway delivers progress of an HTTP+SSE backend only to its own call, and other notifications to no call', async () => {
  const { session } = await connect((request, stream, post) => {
    accept(request, stream, post);
    const token = request.message.params._meta.progressToken;
    stream.write(eventText(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token}}}`));
    stream.write(eventText('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody"}}'));
    stream.write(eventText('{"jsonrpc":"2.0","method":"notifications/message","params":{}}'));
    stream.write(eventText(`{"id":${request.message.id},"result":{}}`));
  });
  const heard: string[] = [];
  session.listen({ message: ({ text }) => heard.push(text) });
  const [one, two] = await Promise.all([1, 2].map(n => send(session, 'x', { _meta: { progressToken: n } })));
  expect(one?.messages).toEqual(['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}']);
  expect(two?.messages).toEqual(['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2}}']);
  expect(heard).toEqual(Array(2).fill('{"jsonrpc":"2.0","method":"notifications/message","params":{}}'));
});

test('progress of an HTTP+SSE backend restarts the timeout of its call', async () => {
  const { session } = await connect(
    async (request, stream, post) => {
      accept(request, stream, post);
      for (let n = 0; n < 4; n++) {
        await new Promise(resolve => setTimeout(resolve, 500));
        stream.write(eventText('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t"}}'));
      }
      stream.write(eventText(`{"id":${request.message.id},"result":{}}`));
    },
    // Shorter than all steps together, and much longer than each step, even on a busy machine.
    { timeoutMs: 1_800 },
  );
  expect((await send(session, 'x', { _meta: { progressToken: 't' } })).messages).toHaveLength(4);
});

test('a lost HTTP+SSE stream fails the waiting requests, and the next request opens another stream', async () => {
  const { server, session, streams } = await connect((request, stream, post) => {
    accept(request, stream, post);
    if (request.message.method === 'x') stream.write(eventText(`{"id":${request.message.id},"result":{}}`));
  });
  await session.open();
  const waiting = [send(session, 'never'), send(session, 'never')];
  await eventually(() => server.requests.filter(request => request.message?.method === 'never').length === 2);
  streams[0]?.end();
  for (const sink of await Promise.all(waiting)) expect(sink.error?.reason).toBe('connection_failed');
  expect((await send(session, 'x')).ended).toBe(true);
  expect(streams).toHaveLength(2);
});

test('a response over the size limit ends the HTTP+SSE stream', async () => {
  const { session } = await connect(
    (request, stream, post) => {
      accept(request, stream, post);
      stream.write(eventText(`{"id":${request.message.id},"result":"${'x'.repeat(5_000)}"}`));
    },
    { maxResponseBytes: 4_000 },
  );
  expect((await send(session, 'x')).error?.reason).toBe('too_large');
});

describe('a refused POST', () => {
  test.each<[status: number, reason: BackendFailure, message: string]>([
    [401, 'unauthenticated', 'refused the credentials of the request (HTTP 401)'],
    [500, 'http_error', 'answered HTTP 500'],
    [307, 'http_error', 'answered with a redirect that may not be followed (HTTP 307)'],
  ])('a request fails when an HTTP+SSE backend answers its POST with %i', async (status, reason, message) => {
    const { session } = await connect((_request, _stream, post) => void post.writeHead(status).end());
    expect((await send(session, 'x')).error).toMatchObject({ reason, message: `backend "peer": ${message}` });
  });
});

describe('a stream that does not open', () => {
  const endpoint = (url: string) => (response: ServerResponse) => {
    openEvents(response);
    response.write(eventText(url, 'endpoint'));
  };
  const elsewhere = 'its endpoint event points to another origin';
  test.each<[name: string, get: (response: ServerResponse) => void, reason: BackendFailure, message: string]>([
    ['an endpoint at another origin', endpoint('http://localhost:1/in?s=secret'), 'protocol_error', elsewhere],
    ['an endpoint with another scheme', endpoint('file:///etc/passwd'), 'protocol_error', elsewhere],
    ['an endpoint with a protocol-relative origin', endpoint('//evil.example/in'), 'protocol_error', elsewhere],
    ['an endpoint that is not a URL', endpoint('http://['), 'protocol_error', elsewhere],
    ['404', response => void response.writeHead(404).end(), 'http_error', 'answered HTTP 404'],
    [
      '401',
      response => void response.writeHead(401).end(),
      'unauthenticated',
      'refused the credentials of the request (HTTP 401)',
    ],
    [
      'JSON in place of events',
      response => void response.end('{}'),
      'protocol_error',
      'answered with something other than an event stream',
    ],
    ['a stream without an endpoint event', openEvents, 'timeout', 'did not answer within 200ms'],
    ['no answer', () => {}, 'timeout', 'did not answer within 200ms'],
    [
      'a stream that ends at once',
      response => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
      'connection_failed',
      'the connection failed (STREAM_ENDED)',
    ],
  ])('a request fails when the HTTP+SSE stream does not open: %s', async (_name, get, reason, message) => {
    const server = await edge.server(startRawServer((_request, response) => get(response)));
    const session = edge.session(planFor(`${server.origin}/sse`, 'sse', reason === 'timeout' ? 200 : 5_000));
    expect((await send(session, 'x')).error).toMatchObject({ reason, message: `backend "peer": ${message}` });
  });

  test('the gateway refuses an endpoint event of an HTTP+SSE backend whose URL contains a user name and password', async () => {
    const server = await edge.server(
      startRawServer((request, response) => endpoint(`http://user:pass@${request.headers.host}/in`)(response)),
    );
    const session = edge.session(planFor(`${server.origin}/sse`, 'sse'));
    expect((await send(session, 'x')).error?.message).toBe(`backend "peer": ${elsewhere}`);
  });
});

test('an HTTP+SSE stream that is lost while its session opens is opened again', async () => {
  let losing = true;
  const { session, streams } = await connect(
    (request, stream, post) => {
      accept(request, stream, post);
      if (request.message.method === 'x') stream.write(eventText(`{"id":${request.message.id},"result":{}}`));
    },
    {
      initialized: (stream, post) => {
        if (!losing) return void post.writeHead(202).end();
        losing = false;
        stream.end();
        setTimeout(() => post.writeHead(202).end(), 100);
      },
    },
  );
  expect((await send(session, 'x')).error?.reason).toBe('connection_failed');
  expect((await send(session, 'x')).ended).toBe(true);
  expect(streams).toHaveLength(2);
});

test('when an HTTP+SSE backend answers a request with 404, the gateway opens a new session and sends the request once more', async () => {
  let forgotten = true;
  const { session, streams } = await connect((request, stream, post) => {
    if (forgotten) return void post.writeHead(404).end(() => (forgotten = false));
    accept(request, stream, post);
    stream.write(eventText(`{"id":${request.message.id},"result":{}}`));
  });
  await session.open();
  const sink = await send(session, 'x');
  expect([sink.error?.message, sink.ended]).toEqual([undefined, true]);
  expect(streams).toHaveLength(2);
});

test('a request fails when its HTTP+SSE backend answers 404 twice', async () => {
  const { session, streams } = await connect((_request, _stream, post) => void post.writeHead(404).end());
  expect((await send(session, 'x')).error).toMatchObject({ reason: 'http_error', httpStatus: 404 });
  expect(streams).toHaveLength(2);
});

test('after an HTTP+SSE stream is lost, the session reports that the gateway may have missed a notification', async () => {
  const { session, streams } = await connect(accept);
  let missed = 0;
  session.listen({ message() {}, missed: () => missed++ });
  await session.open();
  expect(missed).toBe(0);
  streams[0]?.end();
  await eventually(() => missed === 1);
  expect(streams).toHaveLength(2);
});
