/** Streams of single calls that end before the response: a backend may number its events, and then the rest is requested. */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import {
  eventText,
  openEvents,
  type RawRequest,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';
import { Edge, eventually, planFor, RecordingSink, send } from './harness.ts';
import { answerTo } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

const RETRY = 'retry: 100\n';
const progress = (n: number) =>
  `id: e-${n}\n${eventText(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"n":${n}}}`)}`;

/** A session with a server that answers a call with `post`, and GETs with `Last-Event-ID` with `get`; `call` is the POST. */
async function connect(
  post: (call: RawRequest, response: ServerResponse) => void,
  get: (response: ServerResponse, nth: number, call: RawRequest) => void,
  timeoutMs = 5_000,
) {
  let call: RawRequest | undefined;
  let gets = 0;
  const server = await edge.server(
    startRawServer((request, response) => {
      if (request.method === 'GET' && call !== undefined) return get(response, ++gets, call);
      return withHandshake((asked, answer) => {
        if (asked.message.method === undefined) return void answer.writeHead(202).end();
        call = asked;
        post(asked, answer);
      }, 's-1')(request, response);
    }),
  );
  const eventIds = () =>
    server.requests.filter(({ method }) => method === 'GET').map(({ headers }) => headers['last-event-id']);
  return { server, session: edge.sessionful(planFor(server.origin, 'streamable-http', timeoutMs)), eventIds };
}

const closed = (text: string) => (_call: RawRequest, response: ServerResponse) => {
  openEvents(response);
  response.end(text);
};

test('the gateway resumes a stream that the backend ends early, and the call gets every event once and then the answer', async () => {
  const { session, server, eventIds } = await connect(closed(`${RETRY}id: e-0\ndata:\n\n`), (response, nth, call) => {
    openEvents(response);
    if (nth < 4) response.end(progress(nth));
    else response.end(`id: e-9\n${eventText(answerTo(call, '{"ok":true}'))}`);
  });
  const sink = await send(session, 'x', {}, { id: '5' });
  expect(sink.text).toBe('{"jsonrpc":"2.0","id":5,"result":{"ok":true}}');
  expect(sink.messages.map(json => JSON.parse(json).params.n)).toEqual([1, 2, 3]);
  expect(eventIds()).toEqual(['e-0', 'e-1', 'e-2', 'e-3']);
  const get = server.requests.find(({ method }) => method === 'GET');
  expect(get?.headers).toMatchObject({ 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-11-25' });
  expect(server.requests.filter(({ message }) => message?.method === 'x')).toHaveLength(1);
});

test('the gateway resumes a stream after its connection breaks', async () => {
  const { session, eventIds } = await connect(
    (_call, response) => {
      openEvents(response);
      response.write(RETRY + progress(1), () => response.destroy());
    },
    (response, _nth, call) => {
      openEvents(response);
      response.end(eventText(answerTo(call, '{}')));
    },
  );
  const sink = await send(session, 'x');
  expect([sink.ended, sink.messages.length]).toEqual([true, 1]);
  expect(eventIds()).toEqual(['e-1']);
});

test('a call whose stream ended with an open question to the client gets its result on a new stream after the client has answered', async () => {
  const question = '{"jsonrpc":"2.0","id":7,"method":"roots/list"}';
  const { session, server, eventIds } = await connect(
    closed(`${RETRY}id: e-0\n${eventText(question)}`),
    (response, _nth, call) => {
      openEvents(response);
      response.end(eventText(answerTo(call, '{}')));
    },
    1_000,
  );
  const reply = '{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}';
  const answer = () => void session.post(reply);
  // Resolves when the call waits for its next stream.
  const sink = Object.assign(new RecordingSink(), { request() {}, delayed: () => setImmediate(answer) });
  await send(session, 'x', {}, { sink });
  expect([sink.error, sink.ended]).toEqual([undefined, true]);
  expect(eventIds()).toEqual(['e-0']);
  await server.waitFor(({ body }) => body === reply);
});

test('the gateway resumes a stream after the backend was unavailable for a moment', async () => {
  const { session, eventIds } = await connect(closed(RETRY + progress(1)), (response, nth, call) => {
    if (nth === 1) response.destroy();
    else if (nth === 2) response.writeHead(503).end();
    else {
      openEvents(response);
      response.end(eventText(answerTo(call, '{}')));
    }
  });
  expect((await send(session, 'x')).ended).toBe(true);
  expect(eventIds()).toEqual(['e-1', 'e-1', 'e-1']);
});

test.each([
  ['events without ids', RETRY + eventText('{"jsonrpc":"2.0","method":"n"}'), 'closed the stream before the answer'],
  [
    'an id that no header can carry',
    `${RETRY}id: ü\n${eventText('{"jsonrpc":"2.0","method":"n"}')}`,
    'closed the stream before the answer',
  ],
])('a call fails at once when its stream cannot be resumed: %s', async (_name, text, message) => {
  const { session, eventIds } = await connect(closed(text), () => {});
  expect((await send(session, 'x')).error?.message).toBe(`backend "peer": ${message}`);
  expect(eventIds()).toEqual([]);
});

test.each([400, 404, 405])(
  'a call fails when the backend answers the request to resume its stream with %i',
  async status => {
    const { session, eventIds } = await connect(
      closed(RETRY + progress(1)),
      response => void response.writeHead(status).end(),
    );
    const { error } = await send(session, 'x');
    expect(error?.message).toBe(`backend "peer": lost the answer (its stream is gone: HTTP ${status})`);
    expect(eventIds()).toHaveLength(1);
  },
);

test('a call fails when its backend closes the resumed stream five times without an event', async () => {
  const { session, eventIds } = await connect(closed(RETRY + progress(1)), response => {
    openEvents(response);
    response.end(RETRY);
  });
  expect((await send(session, 'x')).error?.message).toBe('backend "peer": closed the stream before the answer');
  expect(eventIds()).toHaveLength(5);
});

test('the gateway does not resume the stream of an aborted call', async () => {
  const { session, server, eventIds } = await connect(closed(RETRY + progress(1)), response => openEvents(response));
  const stop = new AbortController();
  const call = send(session, 'x', {}, { signal: stop.signal });
  await server.waitFor(({ message }) => message?.method === 'x');
  stop.abort();
  expect((await call).error?.reason).toBe('aborted');
  await new Promise(resolve => setTimeout(resolve, 150));
  expect(eventIds()).toEqual([]);
});

test('the silence timeout of a call does not run while its client answers a question, and starts again after the answer', async () => {
  const { session, server } = await connect(
    (call, response) => {
      openEvents(response);
      response.write(eventText('{"jsonrpc":"2.0","id":"q","method":"roots/list"}'));
      void server
        .waitFor(({ message }) => message?.id === 'q')
        .then(() => {
          if (call.message.params.goesOn) response.end(eventText(answerTo(call, '{}')));
        });
    },
    () => {},
    100,
  );
  for (const goesOn of [true, false]) {
    const sink = new RecordingSink() as RecordingSink & { request(json: string, id: string, method: string): void };
    sink.request = (_json, id) => {
      setTimeout(() => void session.post(`{"jsonrpc":"2.0","id":${id},"result":{"roots":[]}}`), 300);
    };
    await send(session, 'x', { goesOn }, { sink });
    expect([goesOn, sink.ended, sink.error?.reason]).toEqual([goesOn, goesOn, goesOn ? undefined : 'timeout']);
  }
});

test('when a backend cancels a request that it sent to a client, the gateway forwards the cancellation to the client', async () => {
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q"}}';
  const heard: string[] = [];
  const { session } = await connect(
    (call, response) => {
      openEvents(response);
      response.write(eventText('{"jsonrpc":"2.0","id":"q","method":"roots/list"}'));
      response.write(eventText(cancelled));
      response.end(eventText(answerTo(call, '{}')));
    },
    () => {},
  );
  const sink = new RecordingSink() as RecordingSink & { request(json: string, id: string, method: string): void };
  sink.request = (json, id, method) => heard.push(json, id, method);
  await send(session, 'x', {}, { sink });
  expect(heard).toEqual(['{"jsonrpc":"2.0","id":"q","method":"roots/list"}', '"q"', 'roots/list']);
  expect(sink.messages).toEqual([cancelled]);

  const standing = await edge.server(
    startRawServer((request, response) => {
      if (request.method !== 'GET')
        return withHandshake((q, r) => sendJson(r, answerTo(q, '{}')), 's-1')(request, response);
      openEvents(response);
      response.write(eventText('{"jsonrpc":"2.0","id":"q","method":"roots/list"}') + eventText(cancelled));
    }),
  );
  heard.length = 0;
  edge.sessionful(planFor(standing.origin)).listen({
    message: ({ text }) => heard.push(text),
    request: (_json, id, method) => heard.push(id, method),
  });
  await eventually(() => heard.length === 3);
  expect(heard).toEqual(['"q"', 'roots/list', cancelled]);
});
