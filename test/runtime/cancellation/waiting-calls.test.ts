/** Calls that are cancelled before they are sent to a backend: they are never sent. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { BackendPlan } from '#schemas';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { IDENTITY, type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { startTokenEndpoint } from '../outgoing-auth/harness.ts';
import { formatRequest, META, REVISION } from '../stateless-edge/requests.ts';

type Headers = Readonly<Record<string, string>>;

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const TOOLS = [{ name: 't', inputSchema: { type: 'object' } }];

let idp: IdentityProvider;
beforeAll(async () => {
  idp = await startIdentityProvider();
});
afterAll(() => idp.close());

interface HoldingBackend extends RawServer {
  /** From now on requests with this method get no response. */
  hold(method: string): void;
  /** Sends the held responses. */
  release(): void;
  /** Ids of the received calls. */
  readonly calls: () => unknown[];
}

type Era = 'sessions' | 'stateless';

/** @param needsToken whether a caller without a token is refused */
async function holdingBackend(era: Era, needsToken = false): Promise<HoldingBackend> {
  const waiting: (() => void)[] = [];
  let held: string | undefined;
  const common = era === 'stateless' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  const results: Record<string, object> = {
    'tools/list': { ...common, tools: TOOLS },
    'tools/call': { ...common, content: [] },
    ...(era === 'sessions'
      ? { initialize: IDENTITY }
      : {
          'server/discover': {
            ...common,
            supportedVersions: [REVISION],
            capabilities: { tools: {} },
            serverInfo: { name: 'b', version: '1' },
          },
        }),
  };
  const server = await startRawServer(({ method: verb, message, headers }, response) => {
    if (verb !== 'POST') return void response.writeHead(405).end();
    if (needsToken && headers.authorization === undefined) return void response.writeHead(401).end();
    const { id, method } = message;
    if (id === undefined) return void response.writeHead(202).end();
    const result = results[method];
    const error = { code: -32601, message: 'Method not found' };
    const answer = () =>
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
    if (method === held) waiting.push(answer);
    else answer();
  });
  onTestFinished(() => server.close());
  return Object.assign(server, {
    hold: (method: string) => {
      held = method;
    },
    release: () => {
      held = undefined;
      for (const answer of waiting.splice(0)) answer();
    },
    calls: () => server.requests.filter(({ message }) => message?.method === 'tools/call').map(r => r.message.id),
  });
}

/** A request in the gateway, found by its header `x-mark`: when it was read, and when its response ended. */
interface AtTheDoor {
  readonly read: Promise<void>;
  readonly closed: Promise<void>;
}

/** Finds a request in the gateway, which runs in this process, so that the test can wait for the gateway's own events. */
function atTheDoor(mark: string): AtTheDoor {
  const read = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const watch = (event: unknown) => {
    const { request, response } = event as { request: IncomingMessage; response: ServerResponse };
    if (request.headers['x-mark'] !== mark) return;
    request.once('end', read.resolve);
    response.once('close', closed.resolve);
  };
  subscribe('http.server.request.start', watch);
  onTestFinished(() => void unsubscribe('http.server.request.start', watch));
  return { read: read.promise, closed: closed.promise };
}

interface CallingClient {
  /** Sends the call `a_t` with id 5; resolves when the gateway has read it. */
  begin(): Promise<void>;
  /** Cancels the call or closes the connection; resolves when the gateway has noticed. */
  giveUp(): Promise<void>;
  /** The outcome; undefined for a client that has disconnected. */
  outcome(): Promise<string | undefined>;
}

type Leave = 'cancels' | 'disconnects';

const CALL = '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a_t"}}';
const CANCEL = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}';

const initializeText = (protocolVersion: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });

async function overStreamableHttp(url: string, headers: Headers, leave: Leave): Promise<CallingClient> {
  const own = { ...JSON_HEADERS, ...headers };
  const opened = await fetch(url, { method: 'POST', headers: own, body: initializeText('2025-11-25') });
  await opened.text();
  const inSession = { ...own, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const gone = new AbortController();
  const call = atTheDoor('call');
  let outcome: Promise<string | undefined>;
  return {
    begin: () => {
      const marked = { ...inSession, 'x-mark': 'call' };
      outcome = fetch(url, { method: 'POST', headers: marked, body: CALL, signal: gone.signal }).then(
        answer => answer.text(),
        () => undefined,
      );
      return call.read;
    },
    giveUp: async () => {
      if (leave === 'disconnects') gone.abort();
      else expect((await fetch(url, { method: 'POST', headers: inSession, body: CANCEL })).status).toBe(202);
      await call.closed;
    },
    outcome: () => outcome,
  };
}

async function overHttpSse(url: string, headers: Headers, leave: Leave): Promise<CallingClient> {
  const gone = new AbortController();
  const sse = url.replace('/mcp', '/sse');
  const stream = atTheDoor('stream');
  const opened = await fetch(sse, {
    headers: { ...headers, accept: 'text/event-stream', 'x-mark': 'stream' },
    signal: gone.signal,
  });
  let heard = '';
  const news = new EventTarget();
  const whole = (async () => {
    for await (const chunk of opened.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      heard += chunk;
      news.dispatchEvent(new Event('news'));
    }
  })().catch(() => {});
  onTestFinished(async () => {
    gone.abort();
    await whole;
  });
  const until = async (what: RegExp) => {
    while (!what.test(heard)) await new Promise(resolve => news.addEventListener('news', resolve, { once: true }));
    return what.exec(heard)?.[1] ?? '';
  };
  const messages = new URL(await until(/data: (\S*messages\S+)/), sse).href;
  const send = (body: string, mark = '') =>
    fetch(messages, { method: 'POST', headers: { ...JSON_HEADERS, ...headers, 'x-mark': mark }, body });
  await send(initializeText('2024-11-05'));
  await until(/("id":0)/);
  const call = atTheDoor('call');
  return {
    begin: async () => {
      await send(CALL, 'call');
      await call.read;
    },
    giveUp: async () => {
      if (leave === 'cancels') expect((await send(CANCEL)).status).toBe(202);
      else {
        gone.abort();
        await stream.closed;
      }
    },
    outcome: async () => {
      if (leave === 'disconnects') return undefined;
      // Everything arrives on one stream, in order.
      await send('{"jsonrpc":"2.0","id":"end","method":"ping"}');
      await until(/("id":"end")/);
      return /.*"id":5.*/.exec(heard)?.[0] ?? '';
    },
  };
}

async function withoutSession(url: string, headers: Headers): Promise<CallingClient> {
  const gone = new AbortController();
  const call = atTheDoor('call');
  let outcome: Promise<string | undefined>;
  return {
    begin: () => {
      const name = 'a_t';
      const named = { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': name };
      outcome = fetch(url, {
        method: 'POST',
        headers: { ...JSON_HEADERS, ...headers, ...named, 'x-mark': 'call' },
        body: formatRequest({ method: 'tools/call', params: { name }, id: 5, meta: META }),
        signal: gone.signal,
      }).then(
        answer => answer.text(),
        () => undefined,
      );
      return call.read;
    },
    giveUp: () => {
      gone.abort();
      return call.closed;
    },
    outcome: () => outcome,
  };
}

type Connect = (url: string, headers: Headers, leave: Leave) => Promise<CallingClient>;

const CLIENTS: readonly (readonly [who: string, leave: Leave, connect: Connect])[] = [
  ['over Streamable HTTP', 'cancels', overStreamableHttp],
  ['over Streamable HTTP', 'disconnects', overStreamableHttp],
  ['over HTTP+SSE', 'cancels', overHttpSse],
  ['over HTTP+SSE', 'disconnects', overHttpSse],
  ['without a session', 'disconnects', withoutSession],
];

async function served(
  plan: BackendPlan,
  options: Partial<Parameters<typeof startGateway>[0]> = {},
): Promise<TestGateway> {
  const gateway = await startGateway({ backends: [plan], ...options });
  onTestFinished(() => gateway.stop());
  return gateway;
}

/** Another call, made when the cancelled one would have been sent. */
async function callAgain(url: string, headers: Headers): Promise<void> {
  const named = { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': 'a_t' };
  const body = formatRequest({ method: 'tools/call', params: { name: 'a_t' } });
  const answer = await fetch(url, { method: 'POST', headers: { ...JSON_HEADERS, ...headers, ...named }, body });
  expect(await answer.text()).toContain('"content":[]');
}

/** The only response for a session client that has cancelled its call: an empty stream. */
const NOTHING = [undefined, ''];

describe.each(CLIENTS)('a client %s that %s', (_, leave, connect) => {
  test.each<Era>(['sessions', 'stateless'])(
    'a client ends its call while the gateway waits for the first tool list of a backend (%s)',
    async era => {
      const backend = await holdingBackend(era);
      backend.hold('tools/list');
      const { url } = await served(backendPlan('a', `${backend.origin}/mcp`));
      await backend.waitFor(({ message }) => message?.method === 'tools/list');
      const client = await connect(url, {}, leave);
      await client.begin();
      await client.giveUp();
      expect(backend.calls()).toEqual([]);
      backend.release();
      expect(NOTHING).toContain(await client.outcome());
      await callAgain(url, {});
      expect(backend.calls()).toHaveLength(1);
      expect(backend.requests.filter(({ body }) => body.includes('notifications/cancelled'))).toEqual([]);
    },
  );

  test('a client ends its call while the gateway fetches the tool list of a backend for the caller', async () => {
    const backend = await holdingBackend('sessions', true);
    const { plan: auth } = await startTokenEndpoint();
    const gateway = await served(backendPlan('a', `${backend.origin}/mcp`, { auth }), {
      incomingAuth: authPlan([providerPlan(idp)]),
    });
    await gateway.ready();
    const headers = { authorization: `Bearer ${await idp.issue({ claims: { sub: 'ann' } })}` };
    const client = await connect(gateway.url, headers, leave);
    backend.hold('tools/list');
    await client.begin();
    await backend.waitFor(({ message }) => message?.method === 'tools/list');
    await client.giveUp();
    backend.release();
    expect(NOTHING).toContain(await client.outcome());
    await callAgain(gateway.url, headers);
    expect(backend.calls()).toHaveLength(1);
    expect(backend.requests.filter(({ body }) => body.includes('notifications/cancelled'))).toEqual([]);
  });

  test('a client ends its call while the gateway opens a session with the backend', async () => {
    const backend = await holdingBackend('sessions');
    const gateway = await served(backendPlan('a', `${backend.origin}/mcp`));
    await gateway.ready();
    const client = await connect(gateway.url, {}, leave);
    backend.requests.length = 0;
    backend.hold('initialize');
    await client.begin();
    await backend.waitFor(({ message }) => message?.method === 'initialize');
    await client.giveUp();
    backend.release();
    expect(NOTHING).toContain(await client.outcome());
    await callAgain(gateway.url, {});
    expect(backend.calls()).toHaveLength(1);
  });
});

test('a client can use the id of a cancelled call at once for a new call, and then cancel the new call by this id', async () => {
  const backend = await holdingBackend('sessions');
  backend.hold('tools/list');
  const { url } = await served(backendPlan('a', `${backend.origin}/mcp`));
  const opened = await fetch(url, { method: 'POST', headers: JSON_HEADERS, body: initializeText('2025-11-25') });
  await opened.text();
  const headers = { ...JSON_HEADERS, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const calling = (mark: string) => {
    const { read } = atTheDoor(mark);
    const answer = fetch(url, { method: 'POST', headers: { ...headers, 'x-mark': mark }, body: CALL });
    return read.then(() => ({ text: () => answer.then(response => response.text()) }));
  };
  const cancel = () => fetch(url, { method: 'POST', headers, body: CANCEL });
  const first = await calling('first');
  await cancel();
  const second = await calling('second');
  await cancel();
  const third = await calling('third');
  backend.release();
  expect(await Promise.all([first.text(), second.text()])).toEqual(['', '']);
  expect(JSON.parse(await third.text())).toEqual({ jsonrpc: '2.0', id: 5, result: { content: [] } });
  expect(backend.calls()).toEqual([5]);
});
