/** HTTP+SSE backends that acknowledge a request only when they have answered it: until then the request holds a connection and a slot. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { BackendEra } from '../../../runtime/gateway/backends/era/era.ts';
import { eventText, IDENTITY, openEvents, type RawRequest, startRawServer } from '../../support/raw-server.ts';
import { Edge, eventually, planFor, send } from './harness.ts';
import { answerTo } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

const QUESTION = '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}';
const ANSWER = '{"jsonrpc":"2.0","id":"q","result":{}}';

/** A request that the backend works on. */
interface Work {
  readonly request: RawRequest;
  readonly stream: ServerResponse;
  readonly post: ServerResponse;
}

function finish({ request, stream, post }: Work): void {
  stream.write(eventText(answerTo(request, '{}')));
  post.writeHead(202).end();
}

/** Answers `quick` and then acknowledges it; holds all other requests for the test. */
async function startBackend() {
  const streams = new Map<string, ServerResponse>();
  const works: Work[] = [];
  const server = await edge.server(
    startRawServer((request, post) => {
      const { message, method, path } = request;
      const stream = streams.get(path);
      if (method === 'GET') {
        const box = `/in?of=${streams.size}`;
        streams.set(box, post);
        openEvents(post);
        post.write(eventText(box, 'endpoint'));
      } else if (message?.id === undefined || message.method === undefined) post.writeHead(202).end();
      else if (stream === undefined) post.writeHead(404).end();
      else if (message.method === 'initialize') {
        stream.write(eventText(answerTo(request, JSON.stringify(IDENTITY))));
        post.writeHead(202).end();
      } else if (message.method === 'quick') finish({ request, stream, post });
      else works.push({ request, stream, post });
    }),
  );
  const methods = () => server.requests.map(({ message }) => message?.method);
  const streamOf = (session: number) => [...streams.values()][session];
  return { url: `${server.origin}/sse`, works, methods, streamOf };
}

/** Sessions over one HTTP client, each for another client of the gateway. */
async function connect(connections: number, { timeoutMs = 30_000 } = {}) {
  const backend = await startBackend();
  const client = edge.client({ connections });
  const asked: string[] = [];
  const open = async (limitMs = timeoutMs) => {
    const session = edge.session(planFor(backend.url, 'sse', limitMs), client);
    await session.open();
    session.receive({ message() {}, request: (_json, id) => void asked.push(id) });
    return session;
  };
  return { ...backend, client, open, asked };
}

test('an HTTP+SSE backend gets as many calls at once as its limit of connections, and a waiting call when one of these calls ends', async () => {
  const { works, open, methods } = await connect(2);
  const [one, other] = await Promise.all([open(), open()]);
  const first = [send(one, 'slow'), send(one, 'slow')];
  await eventually(() => works.length === 2);
  const next = send(other, 'quick');
  await other.post('{"jsonrpc":"2.0","method":"notifications/x"}'); // A round trip.
  expect(methods()).not.toContain('quick');
  finish(works[0] as Work);
  expect((await next).text).toContain('"result":{}');
  finish(works[1] as Work);
  for (const { text } of await Promise.all(first)) expect(text).toContain('"result":{}');
});

test('HTTP+SSE calls that wait for an answer of their client do not delay other calls, and do not time out', async () => {
  const { works, open, asked } = await connect(2);
  const [one, other] = await Promise.all([open(), open()]);
  const limit = { timeoutMs: 2_000 };
  const asking = [send(one, 'ask', {}, limit), send(one, 'ask', {}, limit)];
  await eventually(() => works.length === 2);
  works[0]?.stream.write(eventText(QUESTION));
  await eventually(() => asked.length === 1);
  expect((await send(other, 'quick')).text).toContain('"result":{}');
  expect((await send(other, 'silent', {}, limit)).error?.reason).toBe('timeout');
  await one.post(ANSWER);
  for (const work of works) finish(work);
  for (const { text } of await Promise.all(asking)) expect(text).toContain('"result":{}');
});

test('an HTTP+SSE call counts toward the limit of concurrent calls again once its client has answered the question of the backend', async () => {
  const { works, open, asked, client } = await connect(1);
  const [one, other] = await Promise.all([open(), open()]);
  const asking = send(one, 'ask');
  await eventually(() => works.length === 1);
  works[0]?.stream.write(eventText(QUESTION));
  await eventually(() => asked.length === 1);
  await one.post(ANSWER);
  const next = send(other, 'quick');
  await eventually(() => client.turns.waiting === 1);
  finish(works[0] as Work);
  expect((await asking).text).toContain('"result":{}');
  expect((await next).text).toContain('"result":{}');
});

test('HTTP+SSE calls of tasks/result, which wait for a task to end, do not delay other calls', async () => {
  const { works, open, asked } = await connect(1);
  const [one, other] = await Promise.all([open(), open()]);
  const long = send(one, 'tasks/result', {}, { timeoutMs: 60_000 });
  await eventually(() => works.length === 1);
  expect((await send(other, 'quick')).text).toContain('"result":{}');
  works[0]?.stream.write(eventText(QUESTION));
  await eventually(() => asked.length === 1);
  await one.post(ANSWER);
  expect((await send(other, 'quick')).text).toContain('"result":{}');
  finish(works[0] as Work);
  expect((await long).text).toContain('"result":{}');
});

describe('the end of a call at the limit of concurrent calls', () => {
  const ENDINGS: Record<string, (work: Work, abort: () => void) => void> = {
    'an answer that is never acknowledged': ({ request, stream }) =>
      void stream.write(eventText(answerTo(request, '{}'))),
    'an acknowledgement without an answer': ({ post }) => void post.writeHead(202).end(),
    'an acknowledgement that does not end': ({ post }) => void post.writeHead(202).write('Acc'),
    'a refusal': ({ post }) => void post.writeHead(500).end(),
    'a broken connection': ({ post }) => void post.destroy(),
    'a lost stream': ({ stream }) => void stream.destroy(),
    'a cancellation by the client': (_work, abort) => abort(),
    silence: () => {},
  };

  test.each(Object.entries(ENDINGS))(
    'at the limit of concurrent calls, the gateway sends the next call when the running call ends with %s',
    async (name, ending) => {
      const { works, open } = await connect(1, { timeoutMs: name === 'silence' ? 2_000 : 30_000 });
      const one = await open();
      const other = await open(30_000);
      const abort = new AbortController();
      const call = send(one, 'slow', {}, { signal: abort.signal });
      await eventually(() => works.length === 1);
      ending(works[0] as Work, () => abort.abort());
      expect((await send(other, 'quick')).text).toContain('"result":{}');
      await one.close();
      await call;
    },
  );

  test('at the limit of concurrent calls, the gateway sends a call of a second session when the session of the running call is closed', async () => {
    const { works, open } = await connect(1);
    const [one, other] = await Promise.all([open(), open()]);
    const call = send(one, 'slow');
    await eventually(() => works.length === 1);
    await one.close();
    expect((await call).error?.reason).toBe('aborted');
    expect((await send(other, 'quick')).text).toContain('"result":{}');
  });
});

describe('a request that waits at the limit of concurrent calls', () => {
  const TAKER = () => ({ turn: 'none' as const, onTurn() {} });

  test('a request that waits too long at the limit of concurrent calls fails with the reason busy, and never reaches the backend', async () => {
    const { open, methods, client } = await connect(1, { timeoutMs: 2_000 });
    const session = await open();
    client.turns.take(TAKER());
    expect((await send(session, 'quick')).error?.reason).toBe('busy');
    expect(client.turns.waiting).toBe(0);
    await session.post('{"jsonrpc":"2.0","method":"notifications/x"}'); // After everything that was sent before.
    expect(methods().slice(-2)).toEqual(['notifications/initialized', 'notifications/x']);
  });

  test('a request that its client cancels while it waits at the limit of concurrent calls is not sent to the backend', async () => {
    const { open, methods, client } = await connect(1);
    const session = await open();
    const taker = TAKER();
    client.turns.take(taker);
    const abort = new AbortController();
    const given = send(session, 'given up', {}, { signal: abort.signal });
    const next = send(session, 'quick');
    abort.abort();
    expect((await given).error?.reason).toBe('aborted');
    client.turns.end(taker);
    expect((await next).text).toContain('"result":{}');
    expect(methods()).not.toContain('given up');
  });

  test('a request that the backend answers while it still waits at the limit of concurrent calls is not sent to the backend', async () => {
    const { open, methods, client, streamOf } = await connect(1);
    const session = await open();
    const taker = TAKER();
    client.turns.take(taker);
    const call = send(session, 'early', {}, { id: '"early"' });
    streamOf(0)?.write(eventText('{"jsonrpc":"2.0","id":"early","result":{}}'));
    expect((await call).text).toContain('"result":{}');
    expect(client.turns.waiting).toBe(0);
    client.turns.end(taker);
    expect((await send(session, 'quick')).text).toContain('"result":{}');
    expect(methods()).not.toContain('early');
  });

  test('a request that fails as busy does not change which transport the gateway has found for the backend', async () => {
    const { url, client } = await connect(1, { timeoutMs: 2_000 });
    const era = new BackendEra({ known: 'sse' });
    client.turns.take(TAKER());
    const session = edge.session(planFor(url, 'streamable-http', 2_000), client, { era });
    expect((await send(session, 'quick')).error?.reason).toBe('busy');
    expect(era.known).toBe('sse');
  });
});
