/** A client only gets elicitations in modes that it has announced; for another mode the backend gets an error. */
import { afterEach, describe, expect, test } from 'vitest';
import { hasAnnounced } from '../../../runtime/mcp/client-traits.ts';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { IDENTITY, sendJson, startRawServer } from '../../support/raw-server.ts';
import { answerList, type ScriptedCall, startScripted, type Wire } from '../pass-through/scripted-backend.ts';
import { ask, META, REVISION } from '../stateless-edge/requests.ts';

const FORM = '{"message":"m","requestedSchema":{"type":"object","properties":{}}}';
const NAMED_FORM = '{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}';
const URL = '{"mode":"url","elicitationId":"e","url":"https://x/","message":"m"}';

type Row = readonly [announced: object, params: string, isAsked: boolean];

const ROWS: readonly Row[] = [
  [{ form: {} }, FORM, true],
  [{ form: {} }, NAMED_FORM, true],
  [{ form: {} }, URL, false],
  [{}, FORM, true],
  [{}, NAMED_FORM, true],
  [{}, URL, false],
  [{ url: {} }, FORM, false],
  [{ url: {} }, NAMED_FORM, false],
  [{ url: {} }, URL, true],
  [{ form: {}, url: {} }, FORM, true],
  [{ form: {}, url: {} }, URL, true],
  // Whichever of the two a client reads.
  [{ form: {} }, '{"mode":"form","\\u006dode":"\\u0075rl","message":"m"}', false],
  [{ form: {} }, '{"mode":"url","mode":"form","message":"m"}', false],
  [{ form: {} }, '{"mode":"form","Mode":"url","message":"m"}', false],
  [{ form: {} }, '{"mode":null,"message":"m"}', false],
];

test.each(ROWS)(
  'a client that announces the elicitation capability %j may get an elicitation with the params %s: %s',
  (elicitation, params, isAsked) => {
    expect(hasAnnounced({ elicitation }, 'elicitation/create', params)).toBe(isAsked);
  },
);

test('an elicitation request without a mode counts as a request for a form', () => {
  expect(hasAnnounced({ elicitation: {} }, 'elicitation/create', undefined)).toBe(true);
  expect(hasAnnounced({ sampling: {} }, 'sampling/createMessage', '{"mode":"url"}')).toBe(true);
  expect(hasAnnounced({ sampling: {} }, 'elicitation/create', FORM)).toBe(false);
  expect(hasAnnounced({ elicitation: {} }, 'tools/call', FORM)).toBe(false);
});

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

async function serve(wire: Wire) {
  const calls: ScriptedCall[] = [];
  const backend = await startScripted('a', wire, call => {
    if (!answerList(call, { 'tools/list': '{"name":"t","inputSchema":{"type":"object"}}' })) calls.push(call);
  });
  const gateway = await startGateway({ backends: [backend.plan] });
  open.push(backend, { close: () => gateway.stop() });
  const next = async () => {
    await eventually(() => calls.length > 0);
    return calls.shift() as ScriptedCall;
  };
  const refused = () =>
    backend.waitFor(
      ({ body }) => body === '{"jsonrpc":"2.0","id":"e","error":{"code":-32601,"message":"Method not found"}}',
    );
  return { gateway, next, refused };
}

const CALL = { name: 'a_t', arguments: {} };
const question = (params: string) => `{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":${params}}`;

/** The messages that a client in a session receives during its call. */
async function inSession({ url }: TestGateway, elicitation: object) {
  const raw = new RawClient(url);
  await raw.open('2025-11-25', { elicitation });
  return raw.stream('tools/call', CALL);
}

const stateless = ({ url }: TestGateway, elicitation: object) =>
  ask(url, {
    method: 'tools/call',
    params: CALL,
    meta: { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation } },
  });

describe.each<Wire>(['events', 'sse'])('a backend in sessions, over %s', wire => {
  test.each(ROWS.slice(0, 11))(
    'a client in a session that announces the elicitation capability %j gets the elicitation %s: %s',
    async (elicitation, params, isAsked) => {
      const { gateway, next, refused } = await serve(wire);
      const messages = await inSession(gateway, elicitation);
      const first = messages.next();
      const call = await next();
      call.say(question(params));
      if (isAsked) {
        expect((await first).value).toContain(`"method":"elicitation/create","params":${params}`);
        call.answer('"result":{"content":[]}');
        for await (const _ of messages);
        return;
      }
      await refused();
      call.say('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}');
      call.answer('"result":{"content":[]}');
      const heard = [(await first).value];
      for await (const message of messages) heard.push(message);
      expect(heard.join('')).toContain('"result"');
      expect(heard.join('')).not.toContain('elicitation');
    },
  );

  test.each(ROWS.slice(0, 11))(
    'a stateless client that announces the elicitation capability %j gets the elicitation %s: %s',
    async (elicitation, params, isAsked) => {
      const { gateway, next, refused } = await serve(wire);
      const answer = stateless(gateway, elicitation);
      const call = await next();
      call.say(question(params));
      if (!isAsked) {
        await refused();
        call.answer('"result":{"content":[]}');
      }
      const { text } = await answer;
      if (isAsked) call.answer('"result":{"content":[]}');
      if (isAsked) expect(text).toContain(`"inputRequests":{"q1":{"method":"elicitation/create","params":${params}}}`);
      else expect(text).not.toMatch(/elicitation|input_required/);
    },
  );
});

test.each(ROWS.slice(0, 11))(
  'a client of a stateless backend that announces the elicitation capability %j gets the elicitation %s: %s',
  async (elicitation, params, isAsked) => {
    const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    const tools = [{ name: 't', inputSchema: { type: 'object' } }];
    const server = await startRawServer(({ message }, response) => {
      const { id, method } = message;
      const results: Record<string, object | undefined> = {
        'server/discover': { ...common, ...IDENTITY, supportedVersions: [REVISION] },
        'tools/list': { ...common, tools },
        'tools/call': {
          resultType: 'input_required',
          inputRequests: { k: { method: 'elicitation/create', params: JSON.parse(params) } },
        },
      };
      const result = results[method];
      const outcome = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    });
    const gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
    open.push(server, { close: () => gateway.stop() });
    await gateway.ready();
    const raw = new RawClient(gateway.url);
    await raw.open('2025-11-25', { elicitation });
    if (isAsked) {
      const messages = raw.stream('tools/call', CALL);
      const { value } = await messages.next();
      expect(value).toContain('"method":"elicitation/create"');
      await raw.send({ jsonrpc: '2.0', id: JSON.parse(value ?? '').id, error: { code: -1, message: 'no' } });
      for await (const _ of messages);
      return;
    }
    const { error } = JSON.parse((await raw.request('tools/call', CALL)).text);
    expect(error).toMatchObject({ code: -32603, data: { backend: 'a', reason: 'protocol_error' } });
  },
);
