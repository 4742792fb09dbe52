/** A stateless backend presented as a session, against servers made with the official SDK (v2) and raw ones. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { requestResult } from '../../../runtime/gateway/backends/collect.ts';
import { BackendEra } from '../../../runtime/gateway/backends/era/era.ts';
import type { NamedBackendSession } from '../../../runtime/gateway/backends/era/open-session.ts';
import type { ClientTraits } from '../../../runtime/mcp/client-traits.ts';
import {
  eventText,
  IDENTITY,
  openEvents,
  type RawHandler,
  sendJson,
  startRawServer,
} from '../../support/raw-server.ts';
import { type StatelessServer, startStatelessServer } from '../../support/stateless-server.ts';
import { Edge, eventually, planFor, RecordingSink, send } from './harness.ts';
import { answerTo } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

const ABLE: ClientTraits = {
  capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
  clientInfo: { name: 'asker', version: '7' },
};

async function connect(caller?: ClientTraits, timeoutMs?: number) {
  const server: StatelessServer = await edge.server(startStatelessServer());
  const options = caller === undefined ? {} : { caller };
  return { server, session: edge.session(planFor(server.url, undefined, timeoutMs), edge.client(), options) };
}

/** A session with a raw server that is known to be stateless. */
async function connectRaw(handler: RawHandler, caller?: ClientTraits) {
  const server = await edge.server(startRawServer(handler));
  const era = new BackendEra({ known: 'stateless', freshMs: 0 });
  const session = edge.session(planFor(server.origin), edge.client(), caller === undefined ? { era } : { era, caller });
  return { server, session };
}

/** A sink for a client that answers requests by `reply`: a result, an error, or nothing at all. */
class AskedSink extends RecordingSink {
  readonly asked: { id: string; method: string; params: unknown }[] = [];
  readonly #session: NamedBackendSession;
  readonly #reply: (method: string, params: unknown) => object | undefined;
  constructor(session: NamedBackendSession, reply: (method: string, params: unknown) => object | undefined) {
    super();
    this.#session = session;
    this.#reply = reply;
  }

  request(json: string, id: string, method: string): void {
    const { params } = JSON.parse(json);
    this.asked.push({ id, method, params });
    const reply = this.#reply(method, params);
    if (reply === undefined) return;
    const text = `{"jsonrpc":"2.0","id":${id},${JSON.stringify(reply).slice(1)}`;
    setImmediate(() => void this.#session.post(text));
  }
}

const accept = () => ({ result: { action: 'accept', content: { name: 'Ada' } } });

/** The text of the first content of a tool's answer. */
const textOf = (sink: RecordingSink): string => JSON.parse(sink.text).result.content[0].text;

describe('what is sent', () => {
  test('says who asks, besides what the client said itself', async () => {
    const { session } = await connect(ABLE);
    const sink = await send(session, 'tools/call', { name: 'envelope', _meta: { traceparent: 't', 'x/y': [1] } });
    expect(JSON.parse(textOf(sink))).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': ABLE.clientInfo,
      'io.modelcontextprotocol/clientCapabilities': ABLE.capabilities,
      traceparent: 't',
      'x/y': [1],
    });
  });

  test('does not let a client speak for another', async () => {
    const { session } = await connect();
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } };
    const sink = await send(session, 'tools/call', { name: 'envelope', _meta });
    expect(JSON.parse(textOf(sink))).toMatchObject({
      'io.modelcontextprotocol/clientInfo': { name: 'lintel' },
      'io.modelcontextprotocol/clientCapabilities': {},
    });
  });

  test.each([
    ['tools/call', { name: 'echo' }, 'echo'],
    ['tools/call', { name: ' tür\n' }, `=?base64?${Buffer.from(' tür\n').toString('base64')}?=`],
    ['prompts/get', { name: 'greet' }, 'greet'],
    ['resources/read', { uri: 'memo://one' }, 'memo://one'],
    ['tools/list', {}, undefined],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, name: 'no' }, undefined],
  ])('%s %j is named in the headers', async (method, params, name) => {
    const { server, session } = await connectRaw((request, response) => sendJson(response, answerTo(request, '{}')));
    await send(session, method, params);
    const { headers } = await server.waitFor(request => request.message?.method === method);
    expect(headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });
    expect(headers['mcp-name']).toBe(name);
    expect(headers).not.toHaveProperty('mcp-session-id');
  });

  test('name and parameter headers come from the relaying code', async () => {
    const { server, session } = await connectRaw((request, response) => sendJson(response, answerTo(request, '{}')));
    const paramHeaders = ['Mcp-Param-Region', 'eu'];
    await send(session, 'tools/call', { name: 'x' }, { name: 'y', paramHeaders });
    expect(server.requests[0]?.headers).toMatchObject({ 'mcp-name': 'y', 'mcp-param-region': 'eu' });
  });

  test('is the text of a stateless client, untouched', async () => {
    const { server, session } = await connectRaw((request, response) => {
      sendJson(response, answerTo(request, '{"resultType":"input_required","requestState":"s"}'));
    }, ABLE);
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'x', big: 1, _meta: {} }, { isStateless: true, id: '5', sink });
    expect(server.requests[0]?.body).toBe(
      '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x","big":1,"_meta":{}}}',
    );
    expect(sink.text).toBe('{"jsonrpc":"2.0","id":5,"result":{"resultType":"input_required","requestState":"s"}}');
    expect(sink.asked).toEqual([]);
  });
});

describe('what a session would hold', () => {
  test('ping is answered without the backend', async () => {
    const { server, session } = await connect();
    await session.open();
    const before = server.requests.length;
    expect((await send(session, 'ping', {}, { id: '"p"' })).text).toBe('{"jsonrpc":"2.0","id":"p","result":{}}');
    expect(server.requests.length).toBe(before);
  });

  test('the log level goes with every request', async () => {
    const { server, session } = await connect();
    expect((await send(session, 'tools/call', { name: 'log' })).messages).toEqual([]);
    expect((await send(session, 'logging/setLevel', { level: 'info' })).text).toContain('"result":{}');
    const sink = await send(session, 'tools/call', { name: 'log' });
    expect(sink.messages.map(json => JSON.parse(json).params.level)).toEqual(['info', 'error']);
    expect(server.requests.map(({ method }) => method)).not.toContain('logging/setLevel');
  });

  test('subscriptions decide what the open stream tells', async () => {
    const { server, session } = await connect();
    const heard: string[] = [];
    session.listen({ message: ({ text }) => heard.push(text) });
    await eventually(() => server.requests.some(({ method }) => method === 'subscriptions/listen'));
    expect((await send(session, 'resources/subscribe', { uri: 'memo://one' })).text).toContain('"result":{}');
    await server.update('memo://two');
    await server.update('memo://one');
    await eventually(() => heard.length > 0);
    expect(heard).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"memo://one"}}',
    ]);
    await send(session, 'resources/unsubscribe', { uri: 'memo://one' });
    await server.update('memo://one');
    await server.setTools([]);
    await eventually(() => heard.length > 1);
    expect(heard.map(json => JSON.parse(json).method)).toEqual([
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
    // Only the last stream is open.
    await eventually(() => server.openStreams === 1);
  });

  test('subscriptions that arrive together all take effect', async () => {
    const { server, session } = await connect();
    const heard: string[] = [];
    session.listen({ message: ({ uri }) => heard.push(uri?.value ?? '') });
    await session.open();
    const uris = Array.from({ length: 8 }, (_, n) => `memo://${n}`);
    const sinks = await Promise.all(uris.map(uri => send(session, 'resources/subscribe', { uri })));
    for (const sink of sinks) expect(sink.text).toContain('"result":{}');
    for (const uri of uris) await server.update(uri);
    await eventually(() => heard.length === 8);
    expect(heard).toEqual(uris);
  });

  test('a subscription that the backend leaves out is refused', async () => {
    const { session } = await connectRaw((request, response) => {
      openEvents(response);
      const params = { notifications: { toolsListChanged: true } };
      const method = 'notifications/subscriptions/acknowledged';
      response.write(eventText(JSON.stringify({ jsonrpc: '2.0', method, params })));
      expect(request.message.method).toBe('subscriptions/listen');
    });
    session.listen({ message() {} });
    const sink = await send(session, 'resources/subscribe', { uri: 'memo://one' });
    expect(JSON.parse(sink.text).error).toEqual({
      code: -32601,
      message: 'the backend does not tell about changes of this resource',
    });
  });

  const REFUSAL = '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}';
  const REFUSING: [string, RawHandler][] = [
    ['by HTTP 404', (_request, response) => sendJson(response, REFUSAL, {}, 404)],
    ['by HTTP 405', (_request, response) => void response.writeHead(405).end()],
    ['as JSON', (_request, response) => sendJson(response, REFUSAL)],
    ['as JSON, by -32602', (_request, response) => sendJson(response, REFUSAL.replace('-32601', '-32602'))],
    ['as JSON, by a result', (request, response) => sendJson(response, answerTo(request, '{}'))],
    [
      'as an event',
      (_request, response) => {
        openEvents(response);
        response.end(eventText(REFUSAL));
      },
    ],
  ];
  const IDENTIFIED = '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}';

  test.each(REFUSING)('a subscription is refused where the backend takes no stream (%s)', async (_, refuse) => {
    const { session, server } = await connectRaw((request, response) => {
      if (request.message.method === 'server/discover') return sendJson(response, answerTo(request, IDENTIFIED));
      return refuse(request, response);
    });
    session.listen({ message() {} });
    for (const uri of ['memo://one', 'memo://two']) {
      const sink = await send(session, 'resources/subscribe', { uri });
      expect(JSON.parse(sink.text).error.code).toBe(-32601);
      expect((await send(session, 'resources/unsubscribe', { uri })).text).toContain('"result":{}');
    }
    const asked = server.requests.filter(({ message }) => message.method === 'subscriptions/listen');
    expect(asked.at(-1)?.message.params.notifications).not.toHaveProperty('resourceSubscriptions');
  });

  test.each<[string, RawHandler]>([
    ['HTTP 503', (_request, response) => void response.writeHead(503).end()],
    [
      'a stream that ends',
      (_request, response) => {
        openEvents(response);
        response.end();
      },
    ],
    ['a connection that breaks', (_request, response) => void response.destroy()],
    ['HTML', (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['JSON that is no message', (_request, response) => sendJson(response, '{"error":"busy"}')],
    ['HTTP 401', (_request, response) => void response.writeHead(401).end()],
    ['HTTP 413', (_request, response) => void response.writeHead(413).end()],
  ])('a subscription fails, and is not lost, where the backend says nothing to it (%s)', async (_, fail) => {
    let isWell = false;
    const heard: string[] = [];
    const { session } = await connectRaw((request, response) => {
      if (!isWell) return fail(request, response);
      openEvents(response);
      const { notifications } = request.message.params;
      const say = (method: string, params: object) =>
        void response.write(eventText(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${method}`, params })));
      say('subscriptions/acknowledged', { notifications });
      for (const uri of notifications.resourceSubscriptions ?? []) say('resources/updated', { uri });
    });
    session.listen({ message: ({ uri }) => heard.push(uri?.value ?? '') });
    const sink = await send(session, 'resources/subscribe', { uri: 'memo://one' });
    expect(sink.error?.reason).toBe('connection_failed');
    isWell = true;
    await eventually(() => heard.includes('memo://one'));
  });

  test('a subscription goes to the session of a backend that has come to have them', async () => {
    const subscribed: string[] = [];
    const { session } = await connectRaw((request, response) => {
      const { id, method, params } = request.message ?? {};
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'initialize') return sendJson(response, answerTo(request, JSON.stringify(IDENTITY)));
      if (method !== 'resources/subscribe') return sendJson(response, REFUSAL, {}, 400);
      subscribed.push(params.uri);
      sendJson(response, answerTo(request, '{}'));
    });
    session.listen({ message() {} });
    const sink = await send(session, 'resources/subscribe', { uri: 'memo://one' });
    expect(sink.text).toContain('"result":{}');
    expect(new Set(subscribed)).toEqual(new Set(['memo://one']));
  });

  const STRANGE = ['{}', '5', '"memo://one"', '[["memo://one"]]'];
  test.each(STRANGE)('what the backend agreed to tell may be %s', async agreed => {
    const { session } = await connectRaw((_request, response) => {
      openEvents(response);
      const params = `{"notifications":{"resourceSubscriptions":${agreed}}}`;
      const method = '"notifications/subscriptions/acknowledged"';
      response.write(eventText(`{"jsonrpc":"2.0","method":${method},"params":${params}}`));
    });
    session.listen({ message() {} });
    const sink = await send(session, 'resources/subscribe', { uri: 'memo://one' });
    expect(JSON.parse(sink.text).error.code).toBe(-32601);
  });

  /** The code of an error in the place of a stream, and how it comes. */
  const AWAY: [number, 'JSON' | 'an event'][] = [
    [-32603, 'JSON'],
    [-32603, 'an event'],
    [-32000, 'JSON'],
    [429, 'an event'],
  ];
  test.each(AWAY)(
    'an error %i that is about the moment (as %s) fails one subscription and no other',
    async (code, way) => {
      const STUMBLES = 'memo://two';
      const said: string[][] = [];
      const heard: string[] = [];
      const { session } = await connectRaw((request, response) => {
        const uris: string[] = request.message.params.notifications.resourceSubscriptions ?? [];
        said.push(uris);
        const { id } = request.message;
        const error = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'busy' } });
        const isTold = !uris.includes(STUMBLES);
        if (!isTold && way === 'JSON') return sendJson(response, error);
        openEvents(response);
        if (!isTold) return void response.end(eventText(error));
        const params = { notifications: { resourceSubscriptions: uris } };
        const method = 'notifications/subscriptions/acknowledged';
        response.write(eventText(JSON.stringify({ jsonrpc: '2.0', method, params })));
        response.write(eventText('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'));
      });
      session.listen({ message: ({ method }) => heard.push(method) });
      await eventually(() => heard.length === 1);
      expect((await send(session, 'resources/subscribe', { uri: 'memo://one' })).text).toContain('"result":{}');
      const failed = await send(session, 'resources/subscribe', { uri: STUMBLES });
      expect(failed.error?.reason).toBe('connection_failed');
      const { length } = said;
      await eventually(() => said.length > length);
      expect(said.at(-1)).toEqual(['memo://one']);
    },
  );

  test.each([-32603, -32000, -32601, -32022])('a stream that ends by an error %i is opened again', async code => {
    const streams: ServerResponse[] = [];
    const { session, server } = await connectRaw((request, response) => {
      if (request.message.method === 'server/discover') return sendJson(response, answerTo(request, IDENTIFIED));
      openEvents(response);
      const { notifications } = request.message.params;
      const method = 'notifications/subscriptions/acknowledged';
      response.write(eventText(JSON.stringify({ jsonrpc: '2.0', method, params: { notifications } })));
      streams.push(response);
    });
    let missed = 0;
    session.listen({ message() {}, missed: () => missed++ });
    expect((await send(session, 'resources/subscribe', { uri: 'memo://one' })).text).toContain('"result":{}');
    for (let round = 1; round <= 3; round++) {
      const { id } = server.requests.at(-1)?.message ?? {};
      const error = { jsonrpc: '2.0', id, error: { code, message: 'shutting down' } };
      streams.at(-1)?.end(eventText(JSON.stringify(error)));
      await eventually(() => missed === round);
      expect(server.requests.at(-1)?.message.params.notifications.resourceSubscriptions).toEqual(['memo://one']);
    }
  });

  test('a lost stream comes back and says that something may be missing', async () => {
    const { server, session } = await connect();
    let missed = 0;
    session.listen({ message() {}, missed: () => missed++ });
    await eventually(() => server.openStreams === 1 && server.initializations === 1);
    await send(session, 'resources/subscribe', { uri: 'memo://one' });
    server.dropConnections();
    await eventually(() => missed === 1);
    expect(server.subscriptions).toEqual(['memo://one']);
  });
});

describe('cancelling', () => {
  test.each(['signal', 'notification'])('by %s closes the connection', async way => {
    const { server, session } = await connect();
    const stop = new AbortController();
    const slow = send(session, 'tools/call', { name: 'slow' }, { signal: stop.signal, id: '"s"' });
    await eventually(() => server.requests.some(({ method }) => method === 'tools/call'));
    const params = { requestId: 's' };
    if (way === 'signal') stop.abort();
    else await session.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
    expect((await slow).error?.reason).toBe('aborted');
    await eventually(() => server.cancelled === 1);
    expect(server.requests.map(({ method }) => method)).not.toContain('notifications/cancelled');
  });
});

describe('a backend that needs input', () => {
  test('is answered by the client, under the id of the first request', async () => {
    const { server, session } = await connect(ABLE);
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'elicit' }, { id: '"ü"', sink });
    expect(JSON.parse(sink.text).id).toBe('ü');
    expect(textOf(sink)).toBe('{"action":"accept","content":{"name":"Ada"}} "first \\"state\\""');
    expect(sink.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Name?' } }]);
    const ids = server.requests.filter(({ method }) => method === 'tools/call').map(({ body }) => JSON.parse(body).id);
    expect(new Set(ids).size).toBe(2);
  });

  test('may ask for several things, and again', async () => {
    const { session } = await connect(ABLE);
    const replies: Record<string, object> = {
      'elicitation/create': { action: 'decline' },
      'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: '4' }, model: 'm' },
      'roots/list': { roots: [{ uri: 'file:///a' }] },
    };
    const all = new AskedSink(session, method => ({ result: replies[method] }));
    await send(session, 'tools/call', { name: 'everything' }, { sink: all });
    expect(JSON.parse(textOf(all))).toEqual({
      who: replies['elicitation/create'],
      sum: replies['sampling/createMessage'],
      roots: replies['roots/list'],
    });
    const twice = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'ask_twice' }, { sink: twice });
    expect(twice.asked.map(({ params }) => (params as { message: string }).message)).toEqual(['First?', 'Second?']);
    expect(textOf(twice)).toBe('b 2 ');
  });

  test('gives an answer of any size after that', async () => {
    const { session } = await connect(ABLE);
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'ask_twice', arguments: { size: 3_000_000 } }, { id: '77', sink });
    expect(JSON.parse(sink.text).id).toBe(77);
    expect(textOf(sink).length).toBe(3_000_004);
    expect(sink.chunks.length).toBeGreaterThan(1);
  });

  test('may need nothing but time', async () => {
    const { session } = await connect(ABLE);
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'wait' }, { sink });
    expect(textOf(sink)).toBe('now');
    expect(sink.asked).toEqual([]);
  });

  test('ends the call and cancels the other requests when the client answers with an error', async () => {
    const { server, session } = await connect(ABLE);
    const error = { code: -1, message: 'rejected', data: [1] };
    const sink = new AskedSink(session, method => (method === 'roots/list' ? { error } : undefined));
    await send(session, 'tools/call', { name: 'everything' }, { id: '9', sink });
    expect(JSON.parse(sink.text)).toEqual({ jsonrpc: '2.0', id: 9, error });
    expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    // The other two questions have lost their point.
    const cancelled = sink.messages.map(json => JSON.parse(json).params.requestId);
    const open = sink.asked.filter(({ method }) => method !== 'roots/list').map(({ id }) => JSON.parse(id));
    expect(cancelled).toEqual(open);
  });

  test('asks nothing more once an answer of the client has ended the call', async () => {
    const { session } = await connectRaw((request, response) => {
      const ask = '{"method":"roots/list"}';
      sendJson(response, answerTo(request, `{"resultType":"input_required","inputRequests":{"a":${ask},"b":${ask}}}`));
    }, ABLE);
    const sink = new RecordingSink() as RecordingSink & { request(json: string, id: string): void };
    const asked: string[] = [];
    sink.request = (_json, id) => {
      asked.push(id);
      // As a client does that cannot be reached: at once.
      void session.post(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,"message":"no stream"}}`);
    };
    await send(session, 'tools/call', { name: 'x' }, { sink });
    expect(JSON.parse(sink.text).error.message).toBe('no stream');
    expect(asked).toHaveLength(1);
  });

  test('is left when the client goes, or the session ends', async () => {
    const { session } = await connect(ABLE);
    const stop = new AbortController();
    const sinks = [new AskedSink(session, () => undefined), new AskedSink(session, () => undefined)] as const;
    const calls = [
      send(session, 'tools/call', { name: 'elicit' }, { sink: sinks[0], signal: stop.signal }),
      send(session, 'tools/call', { name: 'elicit' }, { sink: sinks[1] }),
    ];
    await eventually(() => sinks.every(({ asked }) => asked.length === 1));
    stop.abort();
    expect((await calls[0])?.error?.reason).toBe('aborted');
    await session.close();
    expect((await calls[1])?.error?.reason).toBe('aborted');
  });

  test('is not asked forever', async () => {
    const { server, session } = await connectRaw((request, response) => {
      const result = { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } };
      sendJson(response, answerTo(request, JSON.stringify(result)));
    }, ABLE);
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'x' }, { sink });
    expect(sink.error?.message).toBe('backend "peer": asked for input more than 10 times');
    expect(server.requests).toHaveLength(11);
  });

  test.each([
    ['{"a":{"method":"tools/list"}}', 'asks for input that its client cannot give'],
    ['{"a":{"method":"elicitation/create","params":{}}}', 'asks for input that its client cannot give'],
    ['{"a":7}', 'asks for input in an unknown way'],
    ['[]', 'asks for input in an unknown way'],
    [
      `{${Array.from({ length: 33 }, (_, n) => `"${n}":{"method":"roots/list"}`)}}`,
      'asks for more than 32 inputs at once',
    ],
  ])('may not ask for %s', async (inputRequests, message) => {
    const { session } = await connectRaw(
      (request, response) =>
        sendJson(response, answerTo(request, `{"resultType":"input_required","inputRequests":${inputRequests}}`)),
      { capabilities: { roots: {} } },
    );
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'x' }, { sink });
    expect(sink.error?.message).toBe(`backend "peer": ${message}`);
    expect(sink.asked).toEqual([]);
  });

  test('every digit of requests and responses is kept', async () => {
    const { server, session } = await connectRaw((request, response) => {
      const isFirst = request.message.params.inputResponses === undefined;
      const input = '{"a":{"method":"roots/list","params":{"n":12345678901234567890}}}';
      const question = `{"resultType":"input_required","inputRequests":${input},"requestState":"\\u0041"}`;
      sendJson(response, answerTo(request, isFirst ? question : '{}'));
    }, ABLE);
    const sink = new RecordingSink() as RecordingSink & { request(json: string, id: string): void };
    let asked = '';
    sink.request = (json, id) => {
      asked = json;
      setImmediate(() => void session.post(`{"jsonrpc":"2.0","id":${id},"result":{"m":98765432109876543210}}`));
    };
    await send(session, 'tools/call', { name: 'x' }, { sink });
    expect(asked).toContain('"params":{"n":12345678901234567890}');
    expect(server.requests[1]?.body).toContain(
      '"inputResponses":{"a":{"m":98765432109876543210}},"requestState":"\\u0041"',
    );
  });

  test('may need time though its client can be asked for nothing, or not at all', async () => {
    for (const sink of [new RecordingSink(), undefined]) {
      const { server, session } = await connect();
      const asked = sink ?? new AskedSink(session, accept);
      await send(session, 'tools/call', { name: 'wait' }, { id: '"w"', sink: asked });
      expect([JSON.parse(asked.text).id, textOf(asked)]).toEqual(['w', 'now']);
      expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(2);
    }
  });

  test('sends no request where requests are not taken', async () => {
    const { server, session } = await connect(ABLE);
    const { error } = await send(session, 'tools/call', { name: 'elicit' });
    expect(error?.message).toBe('backend "peer": asks for input that its client cannot give');
    expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
  });
});

test('an error keeps its status', async () => {
  const { session } = await connect();
  const sink = await send(session, 'no/such/method');
  expect([sink.httpStatus, JSON.parse(sink.text).error.code]).toEqual([404, -32601]);
});

test('lists are read as from any other backend', async () => {
  const { server, session } = await connect();
  await server.setTools([{ name: 'fresh' }]);
  const { tools } = (await requestResult(session, 'tools/list', {})) as { tools: { name: string }[] };
  expect(tools.at(-1)?.name).toBe('fresh');
});
