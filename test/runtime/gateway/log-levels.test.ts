/** `logging/setLevel`: the next call of a client finds the level set at its backend, over every transport and era. */
import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, IDENTITY, openEvents, type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';
import { REVISION } from '../stateless-edge/requests.ts';

const LEVEL = 'io.modelcontextprotocol/logLevel';

type Wire = 'streamable-http' | 'sse';

interface LoggingBackend extends RawServer {
  readonly plan: ReturnType<typeof backendPlan>;
  /** Levels and calls in the order in which they arrived. */
  readonly seen: string[];
  /** Delays responses to `logging/setLevel` until the promise resolves. */
  hold: Promise<void> | undefined;
  /** The response to `logging/setLevel`. */
  outcome: object;
  /** The valid session id; requests with another get 404. */
  session: number;
  /** Answers everything with HTTP 503. */
  isAway: boolean;
  /** Drops the next session as soon as it is open. */
  isForgetful: boolean;
}

const TOOLS = [{ name: 't', inputSchema: { type: 'object' } }];

async function loggingBackend(name: string, wire: Wire, capabilities: object = { tools: {}, logging: {} }) {
  const streams: ServerResponse[] = [];
  const server = await startRawServer(async ({ method: verb, message, path, headers }, response) => {
    if (backend.isAway) return void response.writeHead(503).end();
    if (verb === 'GET' && wire === 'sse') {
      openEvents(response);
      response.write(eventText(`/messages?stream=${streams.push(response) - 1}`, 'endpoint'));
      return;
    }
    if (verb !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = message;
    const given = headers['mcp-session-id'];
    if (given !== undefined && given !== `s-${backend.session}`) return void response.writeHead(404).end();
    if (id === undefined) {
      if (backend.isForgetful) backend.session++;
      backend.isForgetful = false;
      return void response.writeHead(202).end();
    }
    if (wire === 'sse') response.writeHead(202).end();
    const answer = (outcome: object) => {
      const text = JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
      if (wire === 'sse') streams[Number(path.split('=')[1])]?.write(eventText(text));
      else sendJson(response, text, method === 'initialize' ? { 'mcp-session-id': `s-${backend.session}` } : {});
    };
    switch (method) {
      case 'initialize':
        return answer({ result: { ...IDENTITY, capabilities } });
      case 'tools/list':
        return answer({ result: { tools: TOOLS } });
      case 'tools/call':
        backend.seen.push('call');
        return answer({ result: { content: [] } });
      case 'logging/setLevel':
        backend.seen.push(`level ${params.level}`);
        await backend.hold;
        backend.seen.push('answered');
        return answer(backend.outcome);
      default:
        return answer({ error: { code: -32601, message: 'Method not found' } });
    }
  });
  onTestFinished(() => server.close());
  const url = `${server.origin}/${wire === 'sse' ? 'sse' : 'mcp'}`;
  const plan = backendPlan(name, url, { transport: wire });
  const backend: LoggingBackend = Object.assign(server, {
    plan,
    seen: [],
    hold: undefined,
    outcome: { result: {} },
    session: 1,
    isAway: false,
    isForgetful: false,
  });
  return backend;
}

/** A gateway with these backends, ready, and a client with a session. */
async function clientOf(backends: readonly Pick<LoggingBackend, 'plan'>[], revision?: string): Promise<RawClient> {
  const gateway = await startGateway({ backends: backends.map(({ plan }) => plan) });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  const client = new RawClient(gateway.url);
  await client.open(revision);
  return client;
}

const setLevel = (client: RawClient, level: string) => client.result('logging/setLevel', { level });
const call = (client: RawClient, name: string) => client.result('tools/call', { name });

describe.each<Wire>(['streamable-http', 'sse'])('a backend in sessions over %s', wire => {
  test('a backend gets the log level of a session before the first call', async () => {
    const backend = await loggingBackend('a', wire);
    const other = await loggingBackend('b', 'streamable-http');
    const client = await clientOf([backend, other]);
    const released = Promise.withResolvers<void>();
    backend.hold = released.promise;
    await setLevel(client, 'error');
    const called = call(client, 'a_t');
    await backend.waitFor(({ message }) => message?.method === 'logging/setLevel');
    // As far as possible without the response; other backends do not matter here.
    await call(client, 'b_t');
    expect(backend.seen).toEqual(['level error']);
    released.resolve();
    await called;
    expect(backend.seen).toEqual(['level error', 'answered', 'call']);
    expect(other.seen).toEqual(['level error', 'answered', 'call']);
    await call(client, 'a_t');
    expect(backend.seen).toEqual(['level error', 'answered', 'call', 'call']);
  });

  test('a backend gets changed log levels in their order before the next call', async () => {
    const backend = await loggingBackend('a', wire);
    const client = await clientOf([backend]);
    await call(client, 'a_t');
    const released = Promise.withResolvers<void>();
    backend.hold = released.promise;
    await setLevel(client, 'debug');
    await setLevel(client, 'error');
    const calls = [call(client, 'a_t'), call(client, 'a_t')];
    await backend.waitFor(({ message }) => message?.method === 'logging/setLevel');
    await client.request('ping');
    expect(backend.seen).toEqual(['call', 'level debug']);
    released.resolve();
    await Promise.all(calls);
    expect(backend.seen).toEqual(['call', 'level debug', 'answered', 'level error', 'answered', 'call', 'call']);
  });

  test('a backend gets the log level before the call that follows it in a batch', async () => {
    const backend = await loggingBackend('a', wire);
    const client = await clientOf([backend], '2025-03-26');
    await call(client, 'a_t');
    await client.sendText(
      '[{"jsonrpc":"2.0","id":"l","method":"logging/setLevel","params":{"level":"info"}},' +
        '{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"a_t"}}]',
    );
    expect(backend.seen).toEqual(['call', 'level info', 'answered', 'call']);
  });

  test('a backend that refuses the log level still gets the calls', async () => {
    const backend = await loggingBackend('a', wire);
    backend.outcome = { error: { code: -32603, message: 'no' } };
    const client = await clientOf([backend]);
    await setLevel(client, 'error');
    await call(client, 'a_t');
    await setLevel(client, 'info');
    await call(client, 'a_t');
    expect(backend.seen).toEqual(['level error', 'answered', 'call', 'level info', 'answered', 'call']);
  });

  test('a backend gets the log level before its first call after an outage', async () => {
    const backend = await loggingBackend('a', wire);
    const client = await clientOf([backend]);
    await call(client, 'a_t');
    backend.isAway = true;
    await setLevel(client, 'error');
    await expect(call(client, 'a_t')).rejects.toThrow('503');
    backend.isAway = false;
    await call(client, 'a_t');
    await call(client, 'a_t');
    expect(backend.seen).toEqual(['call', 'level error', 'answered', 'call', 'call']);
  });

  test('a backend that never answers logging/setLevel still gets the calls', async () => {
    const backend = await loggingBackend('a', wire);
    const client = await clientOf([backend]);
    await call(client, 'a_t');
    backend.outcome = { id: 'of nobody', result: {} };
    const plan = { ...backend.plan, timeoutMs: 1_000 };
    const impatient = await clientOf([{ plan }]);
    await call(impatient, 'a_t');
    await setLevel(impatient, 'error');
    for (let n = 0; n < 7; n++) await call(impatient, 'a_t');
    const told = backend.seen.filter(what => what === 'level error').length;
    expect({ told, calls: backend.seen.filter(what => what === 'call').length }).toEqual({ told: 5, calls: 9 });
  });

  test('a backend without the logging capability gets no log level', async () => {
    const backend = await loggingBackend('a', wire, { tools: {} });
    const client = await clientOf([backend]);
    await setLevel(client, 'error');
    await call(client, 'a_t');
    await setLevel(client, 'info');
    await call(client, 'a_t');
    expect(backend.seen).toEqual(['call', 'call']);
  });

  test('a backend does not get a call that was cancelled while the log level was set', async () => {
    const backend = await loggingBackend('a', wire);
    const client = await clientOf([backend]);
    await call(client, 'a_t');
    const released = Promise.withResolvers<void>();
    backend.hold = released.promise;
    await setLevel(client, 'error');
    const given = client.sendText('{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"a_t"}}');
    await backend.waitFor(({ message }) => message?.method === 'logging/setLevel');
    // It is running: its id is in use.
    while ((await client.sendText('{"jsonrpc":"2.0","id":"x","method":"ping"}')).status !== 400);
    await client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } });
    expect((await given).text).toBe('');
    released.resolve();
    await call(client, 'a_t');
    expect(backend.seen).toEqual(['call', 'level error', 'answered', 'call']);
  });
});

test('a backend that has forgotten its session gets the log level again before the call', async () => {
  const backend = await loggingBackend('a', 'streamable-http');
  const client = await clientOf([backend]);
  await setLevel(client, 'error');
  await call(client, 'a_t');
  backend.seen.length = 0;
  backend.session++;
  const released = Promise.withResolvers<void>();
  backend.hold = released.promise;
  backend.requests.length = 0;
  const called = call(client, 'a_t');
  await backend.waitFor(({ message }) => message?.method === 'logging/setLevel');
  await client.request('ping');
  expect(backend.seen).toEqual(['level error']);
  released.resolve();
  await called;
  expect(backend.seen).toEqual(['level error', 'answered', 'call']);
});

test('a session that is lost before the log level is set is opened once more', async () => {
  const backend = await loggingBackend('a', 'streamable-http');
  const client = await clientOf([backend]);
  backend.isForgetful = true;
  await setLevel(client, 'error');
  await call(client, 'a_t');
  expect(backend.isForgetful).toBe(false);
  expect(backend.seen).toEqual(['level error', 'answered', 'call']);
});

test('a stateless backend gets the log level with the first call, and a new level with the next call', async () => {
  const levels: unknown[] = [];
  const common = { resultType: 'complete', ttlMs: 1000, cacheScope: 'private' };
  const discovered = {
    ...common,
    supportedVersions: [REVISION],
    capabilities: { tools: {}, logging: {} },
    serverInfo: { name: 's', version: '1' },
  };
  const server = await startRawServer(({ method: verb, message }, response) => {
    if (verb !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = message;
    if (method === 'tools/call') levels.push(params._meta[LEVEL]);
    const result = method === 'server/discover' ? discovered : { ...common, tools: TOOLS, content: [] };
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  onTestFinished(() => server.close());
  const client = await clientOf([{ plan: backendPlan('s', `${server.origin}/mcp`) }]);
  await setLevel(client, 'error');
  await call(client, 's_t');
  await call(client, 's_t');
  await setLevel(client, 'debug');
  await call(client, 's_t');
  expect(levels).toEqual(['error', 'error', 'debug']);
});
