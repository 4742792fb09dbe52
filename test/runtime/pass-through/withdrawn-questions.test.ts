/** A call that waits only for its backend has a time limit, whatever was elicited before. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, IDENTITY, openEvents, sendJson, startRawServer } from '../../support/raw-server.ts';
import { ask, META } from '../stateless-edge/requests.ts';
import { answerList, type ScriptedCall, startScripted, type Wire } from './scripted-backend.ts';

const TOOLS = { 'tools/list': '{"name":"t","inputSchema":{"type":"object"}}' };
/** Long enough for the backend's request to come first on a busy machine. */
const TIMEOUT_MS = 1_500;
const ELICITATION = '"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object"}}';

const question = (id: string) => `{"jsonrpc":"2.0","id":${id},${ELICITATION}}`;
const withdrawal = (id: string) =>
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"late"}}`;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

/** A gateway with a backend whose calls wait for the test. */
async function serve(wire: Wire) {
  const calls: ScriptedCall[] = [];
  const backend = await startScripted('a', wire, call => {
    if (!answerList(call, TOOLS)) calls.push(call);
  });
  open.push(backend);
  const gateway = await startGateway({ backends: [{ ...backend.plan, timeoutMs: TIMEOUT_MS }] });
  open.push({ close: () => gateway.stop() });
  const next = async () => {
    await eventually(() => calls.length > 0);
    return calls.shift() as ScriptedCall;
  };
  return { backend, gateway, next };
}

async function connect({ url }: TestGateway): Promise<RawClient> {
  const raw = new RawClient(url);
  await raw.open('2025-11-25', { elicitation: {} });
  return raw;
}

const call = (raw: RawClient, id: string) => raw.stream('tools/call', { name: 'a_t', arguments: {} }, id);
const heardBy = async (stream: AsyncGenerator<string, void>) => JSON.parse((await stream.next()).value ?? 'null');
const TIMED_OUT = { error: { data: { reason: 'timeout' } } };

describe.each(['events', 'sse'] as const)('over %s', wire => {
  test.each(['"e-1"', '7', '12345678901234567890'])(
    'a call continues after its backend has withdrawn a question (%s)',
    async id => {
      const { gateway, next } = await serve(wire);
      const raw = await connect(gateway);
      const stream = call(raw, 'c-1');
      const asked = heardBy(stream);
      const { say } = await next();
      say(question(id));
      const { id: ours } = await asked;
      say(withdrawal(id));
      expect(await heardBy(stream)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: ours } });
      expect(await heardBy(stream)).toMatchObject({ id: 'c-1', ...TIMED_OUT });
    },
  );

  test('a backend can withdraw a question while a stateless client is disconnected', async () => {
    const { gateway, next } = await serve(wire);
    const params = { name: 'a_t', arguments: {} };
    const meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    const first = ask(gateway.url, { method: 'tools/call', params, meta });
    const { say } = await next();
    say(question('7'));
    const { requestState } = JSON.parse((await first).text).result;
    say(withdrawal('7'));
    const again = await ask(gateway.url, { method: 'tools/call', params: { ...params, requestState }, meta });
    expect(JSON.parse(again.text)).toMatchObject(TIMED_OUT);
  });

  test('an unanswered question does not delay later calls', async () => {
    const { gateway, next } = await serve(wire);
    const raw = await connect(gateway);
    const first = call(raw, 'c-1');
    const asked = heardBy(first);
    const before = await next();
    before.say(question('1'));
    const { id: left } = await asked;
    before.answer('"result":{"content":[]}');
    for (let heard = await heardBy(first); heard.id !== 'c-1'; ) heard = await heardBy(first);
    const second = call(raw, 'c-2');
    const askedAgain = heardBy(second);
    const now = await next();
    now.say(question('2'));
    const { id } = await askedAgain;
    await raw.send({ jsonrpc: '2.0', id, result: { action: 'decline' } });
    const ended = await heardBy(second);
    // On HTTP+SSE the request may have been this call's, as far as the gateway knows.
    if (wire === 'sse') expect(ended).toMatchObject({ method: 'notifications/cancelled', params: { requestId: left } });
    expect(wire === 'sse' ? await heardBy(second) : ended).toMatchObject({ id: 'c-2', ...TIMED_OUT });
  });
});

test.each(['another call', 'the GET request'])(
  'a backend can withdraw the question of a call on the stream of %s',
  async where => {
    const streams = new Map<string, ServerResponse>();
    const server = await startRawServer(({ method, message }, response) => {
      const answer = (result: object) => sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      if (method === 'GET') {
        openEvents(response);
        streams.set('GET', response);
      } else if (method === 'DELETE') response.writeHead(204).end();
      else if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
      else if (message.method === 'server/discover') response.writeHead(400).end();
      else if (message.method === 'initialize') answer(IDENTITY);
      else if (message.method === 'tools/list') answer({ tools: [{ name: 't', inputSchema: { type: 'object' } }] });
      else {
        openEvents(response);
        streams.set(message.id, response);
      }
    });
    open.push(server);
    const plan = backendPlan('a', `${server.origin}/mcp`, { timeoutMs: TIMEOUT_MS });
    const gateway = await startGateway({ backends: [plan] });
    open.push({ close: () => gateway.stop() });
    const raw = await connect(gateway);
    const standing = await fetch(gateway.url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': raw.sessionId ?? '' },
    });
    const asking = call(raw, 'asking');
    const asked = heardBy(asking);
    await eventually(() => streams.has('asking') && streams.has('GET'));
    streams.get('asking')?.write(eventText(question('7')));
    await asked;
    const other = call(raw, 'other');
    const ofOther = heardBy(other);
    await eventually(() => streams.has('other'));
    streams.get(where === 'another call' ? 'other' : 'GET')?.write(eventText(withdrawal('7')));
    for (let heard = await heardBy(asking); ; heard = await heardBy(asking)) {
      if (heard.id !== 'asking') continue;
      expect(heard).toMatchObject(TIMED_OUT);
      break;
    }
    await ofOther;
    await standing.body?.cancel();
  },
);

test('the gateway withdraws a question of a session that the backend has lost', async () => {
  const streams = new Map<string, ServerResponse>();
  let session = 1;
  const server = await startRawServer(({ method, message, headers }, response) => {
    const named = headers['mcp-session-id'];
    const answer = (result: object) =>
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, result }), {
        'mcp-session-id': `s-${session}`,
      });
    if (method === 'DELETE') response.writeHead(204).end();
    else if (message?.method === 'server/discover') response.writeHead(400).end();
    else if (message?.method === 'initialize') answer(IDENTITY);
    else if (named !== `s-${session}`) response.writeHead(404).end();
    else if (method === 'GET') response.writeHead(405).end();
    else if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
    else if (message.method === 'tools/list') answer({ tools: [{ name: 't', inputSchema: { type: 'object' } }] });
    else if (message.id !== 'asking') answer({ content: [] });
    else {
      openEvents(response);
      streams.set(message.id, response);
    }
  });
  open.push(server);
  const plan = backendPlan('a', `${server.origin}/mcp`, { timeoutMs: TIMEOUT_MS });
  const gateway = await startGateway({ backends: [plan] });
  open.push({ close: () => gateway.stop() });
  const raw = await connect(gateway);
  const asking = call(raw, 'asking');
  const asked = heardBy(asking);
  await eventually(() => streams.has('asking'));
  streams.get('asking')?.write(eventText(question('7')));
  const { id } = await asked;
  session++;
  expect(await raw.result('tools/call', { name: 'a_t', arguments: {} })).toEqual({ content: [] });
  expect(await heardBy(asking)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
  expect(await heardBy(asking)).toMatchObject({ id: 'asking', ...TIMED_OUT });
});
