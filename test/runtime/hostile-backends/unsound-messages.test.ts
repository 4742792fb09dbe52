/** An invalid intermediate message of a backend is withheld: it ends no call, stream or session, and no client gets it. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import {
  eventText,
  IDENTITY,
  openEvents,
  type RawRequest,
  type RawServer,
  sendJson,
  startRawServer,
} from '../../support/raw-server.ts';
import { ask, META, REVISION } from '../stateless-edge/requests.ts';

/** Messages with a marker in the part that no client may get. */
const UNSOUND: readonly [name: string, json: string][] = [
  ['a log message', '{"jsonrpc":"2.0","method":"notifications/message","params":{MARK}}'],
  ['a log message in other letters', '{"jsonrpc":"2.0","method":"notifications\\/message","params":{MARK}}'],
  ['a withdrawal', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{requestId:MARK}}'],
  ['a withdrawal with null', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":null,"MARK":1}'],
  ['a withdrawal of nothing', '{"jsonrpc":"2.0","method":"notifications/cancelled"}'],
  ['an update', '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{uri:"MARK"}}'],
  ['a changed list', '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{MARK}}'],
  ['progress', '{"jsonrpc":"2.0","method":"notifications/progress","params":{progressToken:MARK}}'],
  ['the status of a task', '{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{taskId:"MARK"}}'],
  ['params of the wrong type', '{"jsonrpc":"2.0","method":"notifications/message","params":["MARK"]}'],
  ['a question', '{"jsonrpc":"2.0","id":"z","method":"elicitation/create","params":{MARK}}'],
  ['a question about a task', '{"jsonrpc":"2.0","id":"z","method":"tasks/get","params":{"taskId":MARK}}'],
  ['a question without params', '{"jsonrpc":"2.0","id":"z","method":"tasks/get","MARK":1}'],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{"a":1},"method":"sampling/createMessage","params":{"MARK":1}}'],
  ['an id that is no JSON', '{"jsonrpc":"2.0","id":{"a":"\\u"},"method":"ping","params":{"MARK":1}}'],
  ['an id without a value', '{"jsonrpc":"2.0","id":,"method":"ping","params":{"MARK":1}}'],
  ['an id without end', `{"jsonrpc":"2.0","id":"${'MARK'.repeat(300)}","method":"elicitation/create","params":{}}`],
  ['a message too deep', `{"jsonrpc":"2.0","method":"x","params":{"MARK":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`],
];

/**
 * Texts that are no JSON-RPC message. On the stream of a call each fails that call, because it may have been the call's response. On other
 * streams they have no effect.
 */
const NO_MESSAGES = ['MARK', '["MARK"]', '{"MARK":1}', '5', '{"jsonrpc":"2.0","id":9,"result":{"MARK":1}}'];

/** A call that waits for its response. */
interface Pending {
  say(json: string): void;
  answer(): void;
}

type Kind = 'sse' | 'sessions' | 'stateless';

class Backend {
  readonly kind: Kind;
  readonly calls: Pending[] = [];
  /** Opened by GET. */
  readonly streams: ServerResponse[] = [];
  #server: RawServer | undefined;

  constructor(kind: Kind) {
    this.kind = kind;
  }

  async start() {
    this.#server = await startRawServer((request, response) => {
      if (request.method === 'DELETE') response.writeHead(204).end();
      else if (request.method === 'GET') this.#open(response);
      else if (request.message.id === undefined || request.message.method === undefined) response.writeHead(202).end();
      else this.#answer(request, response);
    });
    const { origin } = this.#server;
    return this.kind === 'sse'
      ? backendPlan(this.kind, `${origin}/sse`, { transport: 'sse' })
      : backendPlan(this.kind, `${origin}/mcp`);
  }

  close() {
    return this.#server?.close();
  }

  /** All received bodies. */
  get received(): string[] {
    return this.#server?.requests.flatMap(({ body }) => (body === '' ? [] : [body])) ?? [];
  }

  /** The responses to received calls. */
  async next(): Promise<Pending> {
    await eventually(() => this.calls.length > 0);
    return this.calls.shift() as Pending;
  }

  #open(response: ServerResponse): void {
    if (this.kind === 'stateless') return void response.writeHead(405).end();
    openEvents(response);
    if (this.kind === 'sse') response.write(eventText(`/messages?${this.streams.length}`, 'endpoint'));
    this.streams.push(response);
  }

  #answer({ message: { id, method }, path }: RawRequest, response: ServerResponse): void {
    const shared = this.kind === 'sse' ? this.streams[Number(path.split('?')[1])] : undefined;
    if (shared !== undefined) response.writeHead(202).end();
    if (method === 'tools/call') {
      const stream = shared ?? response;
      if (shared === undefined) openEvents(response);
      const say = (json: string) => void stream.write(eventText(json));
      const answer = () => {
        say(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [], done: true } }));
        if (shared === undefined) response.end();
      };
      this.calls.push({ say, answer });
      return;
    }
    const result = resultOf(this.kind, method);
    const outcome = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
    const text = JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
    if (shared !== undefined) shared.write(eventText(text));
    else sendJson(response, text, method === 'initialize' ? { 'mcp-session-id': 's-1' } : {});
  }
}

function resultOf(kind: Kind, method: string): object | undefined {
  const tools = [{ name: 'tool', inputSchema: { type: 'object' } }];
  const common = kind === 'stateless' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  if (method === 'tools/list') return { tools, ...common };
  if (method === 'initialize' && kind !== 'stateless') return IDENTITY;
  if (method !== 'server/discover' || kind !== 'stateless') return undefined;
  const { capabilities, serverInfo } = IDENTITY as { capabilities: object; serverInfo: object };
  return { ...common, supportedVersions: [REVISION], capabilities, serverInfo };
}

const backends = { sse: new Backend('sse'), sessions: new Backend('sessions'), stateless: new Backend('stateless') };
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ backends: await Promise.all(Object.values(backends).map(one => one.start())) });
  await gateway.ready();
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all(Object.values(backends).map(one => one.close()));
});

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {}, tasks: {} };

/** For a client of each era, a function that makes a call and returns everything that the client receives, as text. */
const CLIENTS = {
  'a client in a session': async () => {
    const raw = new RawClient(gateway.url);
    await raw.open('2025-11-25', CAPABILITIES);
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': raw.sessionId ?? '',
    };
    let id = 0;
    return async (name: string) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params: { name, arguments: {} } });
      return (await fetch(gateway.url, { method: 'POST', headers, body })).text();
    };
  },
  'a stateless client': async () => {
    const meta = {
      ...META,
      'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
      'io.modelcontextprotocol/logLevel': 'debug',
    };
    return async (tool: string) =>
      (await ask(gateway.url, { method: 'tools/call', params: { name: tool, arguments: {} }, meta })).text;
  },
};

describe.each(Object.entries(CLIENTS))('%s', (_, connect) => {
  test.each(Object.values(backends))(
    'a call of a client gets only its own answer and valid messages from a $kind backend',
    async backend => {
      const call = await connect();
      for (const [name, json] of UNSOUND) {
        const [said, other] = [call(`${backend.kind}_tool`), call(`${backend.kind}_tool`)];
        const [first, second] = [await backend.next(), await backend.next()];
        first.say(json);
        first.say('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1.50}}');
        first.answer();
        second.answer();
        for (const text of await Promise.all([said, other])) {
          expect(text, name).toContain('"done":true');
          expect(text, name).not.toContain('MARK');
        }
      }
    },
  );
});

test('on a stream that several calls share, the gateway ignores data that is not a message', async () => {
  const call = await CLIENTS['a client in a session']();
  const answer = call('sse_tool');
  const pending = await backends.sse.next();
  for (const json of NO_MESSAGES) pending.say(json);
  pending.answer();
  expect(await answer).toContain('"done":true');
});

test('data that is not a message fails only the call on whose stream it arrives', async () => {
  const call = await CLIENTS['a client in a session']();
  const [bad, good] = [call('sessions_tool'), call('stateless_tool')];
  (await backends.sessions.next()).say('{"MARK":1}');
  expect(JSON.parse(await bad).error).toEqual({
    code: -32603,
    message: 'backend "sessions": sent an event that is not a JSON-RPC message',
    data: { backend: 'sessions', reason: 'protocol_error' },
  });
  (await backends.stateless.next()).answer();
  expect(await good).toContain('"done":true');
});

test('the GET stream of a backend continues after invalid messages', async () => {
  const raw = new RawClient(gateway.url);
  await raw.open('2025-11-25', CAPABILITIES);
  const before = backends.sessions.streams.length;
  const response = await fetch(gateway.url, {
    headers: { accept: 'text/event-stream', 'mcp-session-id': raw.sessionId ?? '' },
  });
  const call = raw.request('tools/call', { name: 'sessions_tool', arguments: {} });
  (await backends.sessions.next()).answer();
  await call;
  await eventually(() => backends.sessions.streams.length > before);
  const stream = backends.sessions.streams.at(-1) as ServerResponse;
  for (const json of [...UNSOUND.map(([, text]) => text), ...NO_MESSAGES]) stream.write(eventText(json));
  stream.write(eventText('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"LAST"}}'));
  let heard = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    heard += decoder.decode(chunk as Uint8Array, { stream: true });
    if (heard.includes('LAST')) break;
  }
  expect(heard).toContain('LAST');
  expect(heard).not.toContain('MARK');
  expect(backends.sessions.streams).toHaveLength(before + 1);
});

test('the gateway sends only valid JSON-RPC to backends, also to those that have sent invalid messages', () => {
  const ids = Object.values(backends).flatMap(({ received }) => received.map(body => JSON.parse(body).id));
  expect(ids.filter(id => id === 'z').length).toBeGreaterThan(0);
  expect(new Set(ids.map(id => (id === null ? 'null' : typeof id)))).toEqual(
    new Set(['string', 'number', 'undefined']),
  );
});
