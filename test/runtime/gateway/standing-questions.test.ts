/** Requests outside of calls time out too, and do not prevent further ones: those that a client leaves open are replaced. */
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { BackendSession } from '../../../runtime/gateway/backends/backend.ts';
import { CLIENT_MS } from '../../../runtime/gateway/backends/context.ts';
import { type ServerRequestEnd, ServerRequests } from '../../../runtime/gateway/sessions/server-requests.ts';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, IDENTITY, openEvents, sendJson, startRawServer } from '../../support/raw-server.ts';
import { open } from '../client-edge/fake-gateway.ts';

/** Limits on open requests of one session, and of all sessions of one address. */
const OF_SESSION = 64;
const OF_ADDRESS = 200;

/** The time limit's clock, which may fire one step late. */
const LIMIT_MS = CLIENT_MS * (1 + 2 / 32);
beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterAll(() => void vi.useRealTimers());

const closing: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
});

type Wire = 'streamable-http' | 'sse';

/** A backend that sends requests outside of calls when the test decides, and in each call with the argument `ask`. */
async function startBackend(wire: Wire) {
  const streams = new Map<string, ServerResponse>();
  /** The answers that it received, by the ids of its requests. */
  const answers = new Map<unknown, { result?: unknown; error?: unknown }>();
  const calls = new Map<string, () => void>();
  let made = 0;
  let caller = '';
  const server = await startRawServer(({ method, path, headers, message }, response) => {
    if (method === 'GET') {
      const key = wire === 'sse' ? `/messages?stream=${++made}` : String(headers['mcp-session-id']);
      openEvents(response);
      if (wire === 'sse') response.write(eventText(key, 'endpoint'));
      streams.set(key, response);
      return;
    }
    if (message === undefined) return void response.writeHead(204).end();
    const { id, params } = message;
    const session = wire === 'sse' ? path : String(headers['mcp-session-id']);
    if (message.method === undefined) {
      answers.set(id, message);
      calls.get(id)?.();
    }
    if (id === undefined || message.method === undefined) return void response.writeHead(202).end();
    if (message.method === 'server/discover') {
      return sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
    }
    if (message.method === 'tools/call') caller = session;
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    const result = message.method === 'initialize' ? { ...IDENTITY } : { tools, content: [] };
    const json = JSON.stringify({ jsonrpc: '2.0', id, result });
    if (message.method === 'initialize' && wire === 'streamable-http') {
      return sendJson(response, json, { 'mcp-session-id': `s-${++made}` });
    }
    if (wire === 'sse') {
      response.writeHead(202).end();
      return void streams.get(session)?.write(eventText(json));
    }
    if (params?.arguments?.ask === undefined) return sendJson(response, json);
    openEvents(response);
    calls.set(params.arguments.ask, () => void response.end(eventText(json)));
    response.write(questionText(params.arguments.ask, 'elicitation/create', { message: '?', requestedSchema: SCHEMA }));
  });
  closing.push(server);
  return {
    plan: (timeoutMs: number) => backendPlan('a', `${server.origin}/mcp`, { transport: wire, timeoutMs }),
    answers,
    /** The stream of the session with the latest call, once it is open. */
    calling: () => eventually(() => streams.get(caller)),
  };
}

const SCHEMA = { type: 'object', properties: {} };
const questionText = (id: string, method = 'roots/list', params?: object) =>
  eventText(JSON.stringify({ jsonrpc: '2.0', id, method, params }));

/** A client with a notification stream, which answers only when the test does. */
async function connect({ url }: TestGateway, capabilities: object = { roots: {}, elicitation: {} }) {
  const raw = new RawClient(url);
  await raw.open('2025-11-25', capabilities);
  const stream = await open(url, 'GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': raw.sessionId });
  closing.push({ close: () => stream.destroy() });
  let text = '';
  stream.setEncoding('utf8').on('data', chunk => {
    text += chunk;
  });
  const heard = () => [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json as string));
  const questions = () => heard().filter(({ id }) => id !== undefined);
  const withdrawn = () =>
    heard().flatMap(({ method, params }) => (method === 'notifications/cancelled' ? [params.requestId] : []));
  return { raw, questions, withdrawn };
}

async function serve(wire: Wire) {
  const backend = await startBackend(wire);
  const gateway = await startGateway({ backends: [backend.plan(5_000)] });
  closing.push({ close: () => gateway.stop() });
  await gateway.ready();
  /** Another client, and the stream on which the backend sends it requests. */
  const client = async () => {
    const connected = await connect(gateway);
    await connected.raw.result('tools/call', { name: 'a_t', arguments: {} });
    return { ...connected, stream: await backend.calling() };
  };
  return { backend, gateway, client };
}

/** A call in which the backend elicits from the client, which answers; returns the result that the backend gets. */
async function askedInCall({ raw }: { raw: RawClient }, answers: ReadonlyMap<unknown, object>, name: string) {
  const stream = raw.stream('tools/call', { name: 'a_t', arguments: { ask: name } }, name);
  const { value } = await stream.next();
  const { id, method } = JSON.parse(value as string);
  if (method !== undefined) await raw.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: {} } });
  for await (const text of stream) if (JSON.parse(text).id === name) break;
  return answers.get(name);
}

const ACCEPTED = { result: { action: 'accept' } };
const DISPLACED = { error: { code: -32603, message: 'too many questions wait for their clients' } };

describe.each(['streamable-http', 'sse'] as const)('over %s', wire => {
  test('the gateway drops the oldest open question of a session that has too many', async () => {
    const { backend, client } = await serve(wire);
    const { questions, withdrawn, stream, raw } = await client();
    for (let n = 0; n <= OF_SESSION; n++) stream.write(questionText(`r${n}`));
    await eventually(() => questions().length === OF_SESSION + 1);
    expect(await eventually(() => backend.answers.get('r0'))).toMatchObject(DISPLACED);
    expect(withdrawn()).toEqual([questions()[0].id]);
    // All others are still valid, and no client can answer a displaced one.
    for (const { id } of questions()) await raw.send({ jsonrpc: '2.0', id, result: { roots: [] } });
    await eventually(() => backend.answers.size === OF_SESSION + 1);
    expect([...backend.answers.values()].filter(({ result }) => result !== undefined).length).toBe(OF_SESSION);
  });

  test('an open question ends when the client has not answered for ten minutes', async () => {
    const { backend, client } = await serve(wire);
    const { questions, withdrawn, stream, raw } = await client();
    for (const id of ['answered', 'left']) stream.write(questionText(id));
    await eventually(() => questions().length === 2);
    const [answered, left] = questions();
    await raw.send({ jsonrpc: '2.0', id: answered.id, result: { roots: [] } });
    await eventually(() => backend.answers.has('answered'));
    vi.advanceTimersByTime(CLIENT_MS - 1_000);
    stream.write(questionText('later'));
    await eventually(() => questions().length === 3);
    expect(withdrawn()).toEqual([]);
    vi.advanceTimersByTime(LIMIT_MS - CLIENT_MS + 1_000);
    await eventually(() => withdrawn().length > 0);
    expect(withdrawn()).toEqual([left.id]);
    const ended = await eventually(() => backend.answers.get('left'));
    expect(ended).toMatchObject({ error: { code: -32603, message: 'the client has not answered' } });
    expect(backend.answers.get('answered')).toMatchObject({ result: { roots: [] } });
    await raw.send({ jsonrpc: '2.0', id: questions()[2].id, result: { roots: [] } });
    expect(await eventually(() => backend.answers.get('later'))).toMatchObject({ result: { roots: [] } });
  });

  test('the gateway withdraws an open question once when its session with the backend ends, and not again at the time limit', async () => {
    const { backend, gateway, client } = await serve(wire);
    const { questions, withdrawn, stream } = await client();
    stream.write(questionText('r'));
    await eventually(() => questions().length === 1);
    const [question] = questions();
    await gateway.replace({ backends: [backend.plan(4_000)] });
    await eventually(() => withdrawn().length > 0);
    vi.advanceTimersByTime(LIMIT_MS);
    expect(withdrawn()).toEqual([question.id]);
    expect(backend.answers.size).toBe(0);
  });
});

test('open questions outside of calls do not keep a client at the same address from getting a question in a call', async () => {
  const { backend, client } = await serve('streamable-http');
  const silent: Awaited<ReturnType<typeof client>>[] = [];
  for (let n = 0; n < OF_ADDRESS / 50; n++) silent.push(await client());
  for (const [n, { stream }] of silent.entries()) {
    for (let at = 0; at < 50; at++) stream.write(questionText(`r${n}-${at}`));
  }
  await eventually(() => silent.every(({ questions }) => questions().length === 50));
  const other = await client();
  expect(await askedInCall(other, backend.answers, 'e1')).toMatchObject(ACCEPTED);
  const displaced = [...backend.answers.values()].filter(({ error }) => error !== undefined);
  expect(displaced).toMatchObject([DISPLACED]);
  const [first] = silent;
  for (let at = 50; at < OF_SESSION + 1; at++) first?.stream.write(questionText(`r0-${at}`));
  await eventually(() => first?.questions().length === OF_SESSION + 1);
  expect(await askedInCall(first as (typeof silent)[number], backend.answers, 'e2')).toMatchObject(ACCEPTED);
});

describe('the end of an open question', () => {
  /** Sends one request for each way in which it ends, in this order; returns what the client and the backend receive later. */
  function ask(...ends: readonly ServerRequestEnd[]) {
    const told: unknown[] = [];
    const posted: unknown[] = [];
    const backend = { post: async (text: string) => void posted.push(JSON.parse(text)) } as unknown as BackendSession;
    const questions = new ServerRequests({
      client: { capabilities: { roots: {} }, clientInfo: undefined },
      mayWait: true,
      sendFor: (_backend, json) => told.push(JSON.parse(json)) > 0,
    });
    for (const [n, endsWith] of ends.entries()) {
      const json = `{"jsonrpc":"2.0","id":${n},"method":"roots/list"}`;
      questions.ask({ backend, id: `${n}`, json, method: 'roots/list', endsWith }, () => true);
    }
    return { questions, told, posted };
  }
  const cancelled = (requestId: string, reason: string) => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason },
  });
  const refused = (id: number, message: string) => ({ jsonrpc: '2.0', id, error: { code: -32603, message } });

  test('a backend that asks too many questions ends its own oldest questions, and never those of other backends', () => {
    const posted = new Map<BackendSession, number[]>();
    const backend = () => {
      const errors: number[] = [];
      const session = {
        post: async (text: string) => void errors.push(JSON.parse(text).id),
      } as unknown as BackendSession;
      posted.set(session, errors);
      return session;
    };
    const [early, eager] = [backend(), backend()];
    const client = { capabilities: { roots: {} }, clientInfo: undefined };
    const questions = new ServerRequests({ client, mayWait: true, sendFor: () => true });
    const ask = (session: BackendSession, n: number) => {
      const json = `{"jsonrpc":"2.0","id":${n},"method":"roots/list"}`;
      questions.ask({ backend: session, id: `${n}`, json, method: 'roots/list', endsWith: 'time' }, () => true);
    };
    ask(early, 1);
    for (let n = 0; n < OF_SESSION + 2; n++) ask(eager, n);
    expect(posted.get(early)).toEqual([]);
    expect(posted.get(eager)).toEqual([0, 1, 2]);
    expect(questions.size).toBe(OF_SESSION);
  });

  test('the time limit ends an open question that belongs to neither a call nor a task', () => {
    const { questions, told, posted } = ask('call', 'time', 'task');
    vi.advanceTimersByTime(LIMIT_MS);
    expect(told).toEqual([cancelled('lintel-q2', 'the client has not answered')]);
    expect(posted).toEqual([refused(1, 'the client has not answered')]);
    expect(questions.size).toBe(2);
  });

  test('a new question beyond the limit ends the oldest open question for which no call waits', () => {
    const { questions, told, posted } = ask('call', 'task', 'time', 'call');
    expect([questions.makeRoom(), questions.makeRoom(), questions.makeRoom()]).toEqual([true, true, false]);
    const { message } = DISPLACED.error;
    expect(told).toEqual([cancelled('lintel-q2', message), cancelled('lintel-q3', message)]);
    expect(posted).toEqual([refused(1, message), refused(2, message)]);
    vi.advanceTimersByTime(LIMIT_MS);
    expect(posted.length).toBe(2);
  });

  test('a question for which the client lacks the capability ends no open question', () => {
    const { questions, posted } = ask(...Array.from({ length: OF_SESSION }, () => 'time' as const));
    const backend = { post: async () => {} } as unknown as BackendSession;
    const json = '{"jsonrpc":"2.0","id":"x","method":"sampling/createMessage"}';
    const question = { backend, id: '"x"', json, method: 'sampling/createMessage', endsWith: 'call' } as const;
    expect(questions.ask(question, () => true)).toBeUndefined();
    expect([questions.size, posted.length]).toEqual([OF_SESSION, 0]);
  });
});
