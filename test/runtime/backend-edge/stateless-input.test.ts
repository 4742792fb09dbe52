/** A stateless backend that needs input is answered by the client of the session. */
import { afterEach, describe, expect, test } from 'vitest';
import { sendJson } from '../../support/raw-server.ts';
import { eventually, RecordingSink, send } from './harness.ts';
import { answerTo } from './raw-peer.ts';
import { ABLE, AskedSink, accept, readToolText, StatelessEdge } from './stateless-edge.ts';

const edge = new StatelessEdge();
afterEach(() => edge.dispose());

describe('a stateless backend that needs input', () => {
  test('the client gives the input that a stateless backend requests, and gets the result under the id of its own call', async () => {
    const { server, session } = await edge.connect(ABLE);
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'elicit' }, { id: '"ü"', sink });
    expect(JSON.parse(sink.text).id).toBe('ü');
    expect(readToolText(sink)).toBe('{"action":"accept","content":{"name":"Ada"}} "first \\"state\\""');
    expect(sink.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Name?' } }]);
    const ids = server.requests.filter(({ method }) => method === 'tools/call').map(({ body }) => JSON.parse(body).id);
    expect(new Set(ids).size).toBe(2);
  });

  test('a stateless backend may request several inputs at once from the client of a call, and request inputs again later in the call', async () => {
    const { session } = await edge.connect(ABLE);
    const replies: Record<string, object> = {
      'elicitation/create': { action: 'decline' },
      'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: '4' }, model: 'm' },
      'roots/list': { roots: [{ uri: 'file:///a' }] },
    };
    const all = new AskedSink(session, method => ({ result: replies[method] }));
    await send(session, 'tools/call', { name: 'everything' }, { sink: all });
    expect(JSON.parse(readToolText(all))).toEqual({
      who: replies['elicitation/create'],
      sum: replies['sampling/createMessage'],
      roots: replies['roots/list'],
    });
    const twice = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'ask_twice' }, { sink: twice });
    expect(twice.asked.map(({ params }) => (params as { message: string }).message)).toEqual(['First?', 'Second?']);
    expect(readToolText(twice)).toBe('b 2 ');
  });

  test('a stateless backend may give an answer of any size after it has asked for input', async () => {
    const { session } = await edge.connect(ABLE);
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'ask_twice', arguments: { size: 3_000_000 } }, { id: '77', sink });
    expect(JSON.parse(sink.text).id).toBe(77);
    expect(readToolText(sink).length).toBe(3_000_004);
    expect(sink.chunks.length).toBeGreaterThan(1);
  });

  test('a stateless backend that returns input_required without questions makes the gateway repeat the call later', async () => {
    const { session } = await edge.connect(ABLE);
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'wait' }, { sink });
    expect(readToolText(sink)).toBe('now');
    expect(sink.asked).toEqual([]);
  });

  test('when a client answers one of several questions of a stateless backend with an error, the call ends and the other questions are cancelled', async () => {
    const { server, session } = await edge.connect(ABLE);
    const error = { code: -1, message: 'rejected', data: [1] };
    const sink = new AskedSink(session, method => (method === 'roots/list' ? { error } : undefined));
    await send(session, 'tools/call', { name: 'everything' }, { id: '9', sink });
    expect(JSON.parse(sink.text)).toEqual({ jsonrpc: '2.0', id: 9, error });
    expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    // The other two requests are pointless then.
    const cancelled = sink.messages.map(json => JSON.parse(json).params.requestId);
    const open = sink.asked.filter(({ method }) => method !== 'roots/list').map(({ id }) => JSON.parse(id));
    expect(cancelled).toEqual(open);
  });

  test('the gateway sends a client no further question of a stateless backend once an error of the client has ended the call', async () => {
    const { session } = await edge.connectRaw((request, response) => {
      const ask = '{"method":"roots/list"}';
      sendJson(response, answerTo(request, `{"resultType":"input_required","inputRequests":{"a":${ask},"b":${ask}}}`));
    }, ABLE);
    const sink = new RecordingSink() as RecordingSink & { request(json: string, id: string): void };
    const asked: string[] = [];
    sink.request = (_json, id) => {
      asked.push(id);
      // As for an unreachable client: at once.
      void session.post(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32603,"message":"no stream"}}`);
    };
    await send(session, 'tools/call', { name: 'x' }, { sink });
    expect(JSON.parse(sink.text).error.message).toBe('no stream');
    expect(asked).toHaveLength(1);
  });

  test('a call that waits for input ends when its client disconnects or its session is closed', async () => {
    const { session } = await edge.connect(ABLE);
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

  test('a call fails when its stateless backend requests input more than ten times', async () => {
    const { server, session } = await edge.connectRaw((request, response) => {
      const result = { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } };
      sendJson(response, answerTo(request, JSON.stringify(result)));
    }, ABLE);
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'x' }, { sink });
    expect(sink.error?.message).toBe('backend "peer": asked for input more than 10 times');
    expect(server.requests).toHaveLength(11);
  });

  test.each([
    ['{"a":{"method":"tools/list"}}', 'asks for input that the client of the call cannot give'],
    ['{"a":{"method":"elicitation/create","params":{}}}', 'asks for input that the client of the call cannot give'],
    ['{"a":7}', 'sends inputRequests that are not JSON objects'],
    ['[]', 'sends inputRequests that are not JSON objects'],
    [
      `{${Array.from({ length: 33 }, (_, n) => `"${n}":{"method":"roots/list"}`)}}`,
      'asks for more than 32 inputs at once',
    ],
  ])('a call fails when the inputRequests of its stateless backend are %s', async (inputRequests, message) => {
    const { session } = await edge.connectRaw(
      (request, response) =>
        sendJson(response, answerTo(request, `{"resultType":"input_required","inputRequests":${inputRequests}}`)),
      { capabilities: { roots: {} } },
    );
    const sink = new AskedSink(session, accept);
    await send(session, 'tools/call', { name: 'x' }, { sink });
    expect(sink.error?.message).toBe(`backend "peer": ${message}`);
    expect(sink.asked).toEqual([]);
  });

  test('the gateway keeps every digit of numbers in requests for input and in their answers', async () => {
    const { server, session } = await edge.connectRaw((request, response) => {
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

  test('the gateway repeats a call when its stateless backend asks for a later attempt, even if the client cannot give input', async () => {
    for (const sink of [new RecordingSink(), undefined]) {
      const { server, session } = await edge.connect();
      const asked = sink ?? new AskedSink(session, accept);
      await send(session, 'tools/call', { name: 'wait' }, { id: '"w"', sink: asked });
      expect([JSON.parse(asked.text).id, readToolText(asked)]).toEqual(['w', 'now']);
      expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(2);
    }
  });

  test('a call fails when its stateless backend requests input and the client of the call cannot be asked', async () => {
    const { server, session } = await edge.connect(ABLE);
    const { error } = await send(session, 'tools/call', { name: 'elicit' });
    expect(error?.message).toBe('backend "peer": asks for input that the client of the call cannot give');
    expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
  });
});
