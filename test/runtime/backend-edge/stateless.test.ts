/** A stateless backend used as a session, with servers made with the official SDK (v2) and raw ones. */
import { afterEach, describe, expect, test } from 'vitest';
import { requestResult } from '../../../runtime/gateway/backends/collect.ts';
import { sendJson } from '../../support/raw-server.ts';
import { eventually, send } from './harness.ts';
import { answerTo } from './raw-peer.ts';
import { ABLE, AskedSink, accept, readToolText, StatelessEdge } from './stateless-edge.ts';

const edge = new StatelessEdge();
afterEach(() => edge.dispose());

describe('requests', () => {
  test('a stateless backend gets in _meta the client info, the capabilities and all members that the client sent', async () => {
    const { session } = await edge.connect(ABLE);
    const sink = await send(session, 'tools/call', { name: 'envelope', _meta: { traceparent: 't', 'x/y': [1] } });
    expect(JSON.parse(readToolText(sink))).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': ABLE.clientInfo,
      'io.modelcontextprotocol/clientCapabilities': ABLE.capabilities,
      traceparent: 't',
      'x/y': [1],
    });
  });

  test('a client cannot change in _meta which client capabilities the gateway announces to a stateless backend', async () => {
    const { session } = await edge.connect();
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } };
    const sink = await send(session, 'tools/call', { name: 'envelope', _meta });
    expect(JSON.parse(readToolText(sink))).toMatchObject({
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
  ])(
    'the headers Mcp-Method and Mcp-Name to a stateless backend match the request %s %j',
    async (method, params, name) => {
      const { server, session } = await edge.connectRaw((request, response) =>
        sendJson(response, answerTo(request, '{}')),
      );
      await send(session, method, params);
      const { headers } = await server.waitFor(request => request.message?.method === method);
      expect(headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });
      expect(headers['mcp-name']).toBe(name);
      expect(headers).not.toHaveProperty('mcp-session-id');
    },
  );

  test('a stateless backend gets the Mcp-Name and Mcp-Param headers that the gateway has computed', async () => {
    const { server, session } = await edge.connectRaw((request, response) =>
      sendJson(response, answerTo(request, '{}')),
    );
    const paramHeaders = ['Mcp-Param-Region', 'eu'];
    await send(session, 'tools/call', { name: 'x' }, { name: 'y', paramHeaders });
    expect(server.requests[0]?.headers).toMatchObject({ 'mcp-name': 'y', 'mcp-param-region': 'eu' });
  });

  test('a stateless backend gets the text of a stateless client unchanged', async () => {
    const { server, session } = await edge.connectRaw((request, response) => {
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

describe('features of sessions', () => {
  test('the gateway answers a ping to a stateless backend itself, without a request to the backend', async () => {
    const { server, session } = await edge.connect();
    await session.open();
    const before = server.requests.length;
    expect((await send(session, 'ping', {}, { id: '"p"' })).text).toBe('{"jsonrpc":"2.0","id":"p","result":{}}');
    expect(server.requests.length).toBe(before);
  });

  test('every request to a stateless backend has the log level that the client set', async () => {
    const { server, session } = await edge.connect();
    expect((await send(session, 'tools/call', { name: 'log' })).messages).toEqual([]);
    expect((await send(session, 'logging/setLevel', { level: 'info' })).text).toContain('"result":{}');
    const sink = await send(session, 'tools/call', { name: 'log' });
    expect(sink.messages.map(json => JSON.parse(json).params.level)).toEqual(['info', 'error']);
    expect(server.requests.map(({ method }) => method)).not.toContain('logging/setLevel');
  });
});

describe('cancellation', () => {
  test.each(['signal', 'notification'])(
    'a cancellation by %s closes the connection to a stateless backend',
    async way => {
      const { server, session } = await edge.connect();
      const stop = new AbortController();
      const slow = send(session, 'tools/call', { name: 'slow' }, { signal: stop.signal, id: '"s"' });
      await eventually(() => server.requests.some(({ method }) => method === 'tools/call'));
      const params = { requestId: 's' };
      if (way === 'signal') stop.abort();
      else await session.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
      expect((await slow).error?.reason).toBe('aborted');
      await eventually(() => server.cancelled === 1);
      expect(server.requests.map(({ method }) => method)).not.toContain('notifications/cancelled');
    },
  );
});

test('the error of a stateless backend reaches the caller with its HTTP status', async () => {
  const { session } = await edge.connect();
  const sink = await send(session, 'no/such/method');
  expect([sink.httpStatus, JSON.parse(sink.text).error.code]).toEqual([404, -32601]);
});

test('the gateway can read the tool list of a stateless backend', async () => {
  const { server, session } = await edge.connect();
  await server.setTools([{ name: 'fresh' }]);
  const { tools } = (await requestResult(session, 'tools/list', {})) as { tools: { name: string }[] };
  expect(tools.at(-1)?.name).toBe('fresh');
});
