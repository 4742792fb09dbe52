/** Streamable HTTP with raw servers: what is sent, and responses byte for byte. */

import { afterEach, describe, expect, test } from 'vitest';
import { eventText, IDENTITY, openEvents, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { Edge, eventually, planFor, RecordingSink, send } from './harness.ts';
import { answerTo, connect } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

describe('requests', () => {
  test('a Streamable HTTP backend gets the request unchanged, with the headers of its session', async () => {
    const { server, session } = await connect(
      edge,
      (request, response) => sendJson(response, answerTo(request, '{}')),
      {
        path: '/mcp?tenant=a#part',
      },
    );
    const text = '{ "jsonrpc": "2.0",\n "id": 12345678901234567890, "method": "x/y", "zz": "\\u00e9" }';
    const sink = new RecordingSink();
    session.request({ text, id: '12345678901234567890', method: 'x/y' }, sink);
    await sink.done;
    const [initialize, initialized, request] = server.requests;
    expect(initialize?.message).toEqual({
      jsonrpc: '2.0',
      id: 'lintel-1',
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'lintel', version: '0.0.0-test' },
      },
    });
    expect(initialize?.headers).not.toHaveProperty('mcp-protocol-version');
    expect(initialized?.message).toEqual({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(request?.body).toBe(text);
    expect(request?.path).toBe('/mcp?tenant=a');
    expect(request?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': 's-1',
      'mcp-protocol-version': '2025-11-25',
    });
  });

  test('closing a session sends DELETE to the backend, and a backend without session ids gets no DELETE', async () => {
    const { server, session } = await connect(edge, () => {});
    await session.open();
    await session.close();
    const end = await server.waitFor(request => request.method === 'DELETE');
    expect(end.headers).toMatchObject({ 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-11-25' });

    const bare = await edge.server(startRawServer(withHandshake(() => {})));
    const sessionless = edge.sessionful(planFor(bare.origin));
    await sessionless.open();
    await sessionless.close();
    expect(bare.requests.map(request => request.method)).toEqual(['POST', 'POST']);
    expect(bare.requests[1]?.headers).not.toHaveProperty('mcp-session-id');
  });
});

describe('initialize', () => {
  async function open(result: unknown, headers: Record<string, string> = {}) {
    const server = await edge.server(
      startRawServer((request, response) => {
        if (request.message?.method !== 'initialize') response.writeHead(202).end();
        else sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: request.message.id, result }), headers);
      }),
    );
    return edge.sessionful(planFor(server.origin)).open();
  }

  test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    'the gateway opens a session with a backend that answers initialize with the revision %s',
    async protocolVersion => {
      const identity = await open({ ...IDENTITY, protocolVersion, extra: 1 });
      expect(identity).toEqual({ ...IDENTITY, protocolVersion });
    },
  );

  test.each<[name: string, result: unknown, headers: Record<string, string>, message: string]>([
    ['an unknown revision', { ...IDENTITY, protocolVersion: '1999' }, {}, 'speaks another revision of MCP: "1999"'],
    ['no revision', {}, {}, 'its answer to initialize has no protocolVersion'],
    ['no result', undefined, {}, 'answered with something other than a JSON-RPC response'],
    ['a malformed session id', IDENTITY, { 'mcp-session-id': 'a b' }, 'sent a malformed session id'],
  ])(
    'the gateway opens no session with a backend that answers initialize with %s',
    async (_name, result, headers, message) => {
      await expect(open(result, headers)).rejects.toMatchObject({
        reason: 'protocol_error',
        message: `backend "peer": ${message}`,
      });
    },
  );

  test('the gateway opens a session again after a failed attempt', async () => {
    let isUp = false;
    const whenUp = withHandshake((request, response) => sendJson(response, answerTo(request, '{}')));
    const server = await edge.server(
      startRawServer((request, response) => (isUp ? whenUp(request, response) : void response.writeHead(503).end())),
    );
    const session = edge.sessionful(planFor(server.origin));
    const sink = await send(session, 'ping');
    expect(sink.error).toMatchObject({
      reason: 'http_error',
      httpStatus: 503,
      message: 'backend "peer": answered HTTP 503',
    });
    isUp = true;
    expect((await send(session, 'ping')).ended).toBe(true);
  });
});

describe('answers', () => {
  const odd =
    '{ "content":[{"type":"hologram","depth":1.50,"x":"\\u00e9é"}], "futureField" : 1e400, "n":12345678901234567890 }';

  test('the gateway relays a JSON body with Content-Length byte for byte', async () => {
    const { session } = await connect(edge, (request, response) => {
      const answer = answerTo(request, odd);
      sendJson(response, answer, { 'content-length': String(Buffer.byteLength(answer)) });
    });
    const sink = await send(session, 'tools/call', {}, { id: '5' });
    expect(sink.text).toBe(`{"jsonrpc":"2.0","id":5,"result":${odd}}`);
    expect(sink.length).toBe(Buffer.byteLength(sink.text));
  });

  test('the gateway relays a JSON body in chunks byte for byte', async () => {
    const { session } = await connect(edge, async (request, response) => {
      response.writeHead(200, { 'content-type': 'Application/JSON; charset=utf-8' });
      const bytes = Buffer.from(` ${answerTo(request, odd)}\n`);
      for (let at = 0; at < bytes.length; at += 7) {
        response.write(bytes.subarray(at, at + 7));
        await new Promise(setImmediate);
      }
      response.end();
    });
    const sink = await send(session, 'tools/call', {}, { id: '"é"' });
    expect(sink.text).toBe(` {"jsonrpc":"2.0","id":"é","result":${odd}}\n`);
    expect(sink.length).toBeUndefined();
  });

  test('the gateway relays an answer in an event stream byte for byte', async () => {
    const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"id":5,"result":1}}';
    const { session } = await connect(edge, (request, response) => {
      openEvents(response);
      response.write('id: 0\ndata:\n\n: comment\n\n');
      response.write(eventText('not for us', 'other'));
      response.write(eventText(progress));
      response.write(eventText('{"jsonrpc":"2.0","id":999,"result":{"decoy":true}}'));
      response.write(eventText(`{"result":${odd},"id":${request.message.id},"jsonrpc":"2.0"}`));
      response.write(eventText(progress));
    });
    const sink = await send(session, 'tools/call', {}, { id: '5' });
    expect(sink.messages).toEqual([progress]);
    expect(sink.text).toBe(`{"result":${odd},"id":5,"jsonrpc":"2.0"}`);
    expect(sink.length).toBe(Buffer.byteLength(sink.text));
  });

  test('a call gets the JSON-RPC error that its backend sends with an HTTP error status', async () => {
    const error = '{"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"no","data":[1]}}';
    const { session } = await connect(edge, (_request, response) => sendJson(response, error, {}, 400));
    expect((await send(session, 'x', {}, { id: '5' })).text).toBe(error);
    expect((await send(session, 'x', {}, { id: '6' })).error).toMatchObject({ reason: 'http_error', httpStatus: 400 });
  });

  test('a call fails when the error of its backend has two ids', async () => {
    const error = '{"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"no"},"id":6}';
    const { session } = await connect(edge, (_request, response) => sendJson(response, error, {}, 400));
    expect((await send(session, 'x', {}, { id: '5' })).error).toMatchObject({ reason: 'http_error', httpStatus: 400 });
  });

  test('the gateway reuses a connection after an event stream that ended with its answer', async () => {
    const { server, session } = await connect(edge, (request, response) => {
      openEvents(response);
      response.end(eventText(answerTo(request, '{}')));
    });
    for (let n = 0; n < 5; n++) expect((await send(session, 'x')).ended).toBe(true);
    // The end of a stream may come just after its response, when the next request was already sent. The third connection carried
    // `notifications/initialized`.
    expect(server.connections).toBeLessThanOrEqual(3);
  });
});

test('while a client does not read an answer, the gateway does not read from the backend, and the call does not time out', async () => {
  const chunk = Buffer.alloc(64 * 1024, 0x20);
  const chunks = 400;
  let written = 0;
  const { session } = await connect(
    edge,
    async (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(answerTo(request, '{}'));
      for (; written < chunks; written++) {
        if (!response.write(chunk)) await new Promise(resolve => response.once('drain', resolve));
      }
      response.end();
    },
    { timeoutMs: 400 },
  );
  let resume: (() => void) | undefined;
  class FullSink extends RecordingSink {
    bytes = 0;
    override data(data: Uint8Array): boolean {
      expect(resume).toBeUndefined();
      this.bytes += data.length;
      return this.bytes > 1_000_000;
    }
    override onDrain(onDrain: () => void): void {
      resume = onDrain;
    }
  }
  const sink = new FullSink();
  const done = send(session, 'x', {}, { sink });
  await eventually(() => resume !== undefined);
  await new Promise(resolve => setTimeout(resolve, 600));
  expect(sink.error).toBeUndefined();
  expect(sink.bytes).toBeLessThan(200_000);
  expect(written).toBeLessThan(chunks);
  while (!sink.ended && sink.error === undefined) {
    const go = resume;
    resume = undefined;
    go?.();
    await new Promise(setImmediate);
  }
  await done;
  expect(sink.error).toBeUndefined();
  expect(sink.bytes).toBeGreaterThan(chunks * chunk.length);
});
