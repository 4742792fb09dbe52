/** Requests of backends to clients during calls, byte by byte, and how such a request ends before it is answered. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitationCompleteNotificationSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { answerList, type ScriptedBackend, type ScriptedCall, startScripted, type Wire } from './scripted-backend.ts';

const TOOLS = { 'tools/list': '{"name":"t","inputSchema":{"type":"object"}}' };
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } };
const COMPLETE =
  '{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e-1","_meta":{"k":1}}}';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

/** A backend whose calls wait for the test. */
async function waiting(name: string, wire: Wire): Promise<ScriptedBackend & { next(): Promise<ScriptedCall> }> {
  const calls: ScriptedCall[] = [];
  const backend = await startScripted(name, wire, call => {
    if (!answerList(call, TOOLS)) calls.push(call);
  });
  open.push(backend);
  const next = async () => {
    await eventually(() => calls.length > 0);
    return calls.shift() as ScriptedCall;
  };
  return { ...backend, next };
}

async function serve(...backends: ScriptedBackend[]): Promise<TestGateway> {
  const gateway = await startGateway({ backends: backends.map(({ plan }) => plan) });
  open.push({ close: () => gateway.stop() });
  return gateway;
}

async function rawClient({ url }: TestGateway): Promise<RawClient> {
  const raw = new RawClient(url);
  await raw.open('2025-11-25', CAPABILITIES);
  return raw;
}

const heardBy = async (stream: AsyncGenerator<string, void>): Promise<string> => (await stream.next()).value ?? '';

/**
 * Starts a call in which the backend sends a request to the client: returns the stream's rest, the call, and the gateway's id of the request.
 */
async function asked(raw: RawClient, backend: { next(): Promise<ScriptedCall> }, tool: string, question: string) {
  const stream = raw.stream('tools/call', { name: tool, arguments: {} }, 'call-1');
  const first = stream.next();
  const call = await backend.next();
  call.say(question);
  const text = (await first).value as string;
  return { stream, call, text, id: JSON.parse(text).id as string };
}

const got = (backend: ScriptedBackend, text: string): Promise<unknown> => backend.waitFor(({ body }) => body === text);

test.each([
  [
    'elicitation by form',
    '"elicitation/create","params":{"mode":"form","message":"\\u00e9","requestedSchema":{"type":"object","properties":{"n":{"type":"number","default":1.0}}},"_meta":{"progressToken":"p","k":1},"x":0}',
    '{"action":"accept","content":{"n":1.0},"_meta":{"k":2},"x":[]}',
  ],
  [
    'elicitation by URL',
    '"elicitation/create","params":{"mode":"url","elicitationId":"e-1","url":"https://x/?a=b","message":"m"}',
    '{"action":"accept"}',
  ],
  [
    'elicitation without a mode',
    '"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}',
    '{"action":"decline"}',
  ],
  [
    'sampling with tools',
    '"sampling/createMessage","params":{"messages":[{"role":"user","content":[{"type":"hologram"}]}],"maxTokens":10,"tools":[{"name":"x","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"}}',
    '{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"x","input":{"n":12345678901234567890}}],"model":"m","stopReason":"toolUse"}',
  ],
  ['roots', '"roots/list"', '{"roots":[{"uri":"file:///x","name":"x","_meta":{"k":1}}],"_meta":{}}'],
  ['an unknown future request', '"future/ask","params":{"n":1.0}', '{"future":true}'],
])(
  'in a request of a backend to a client and in the answer, the gateway changes only the id and the progress token: %s',
  async (_, method, result) => {
    const backend = await waiting('a', 'events');
    const raw = await rawClient(await serve(backend));
    const { stream, call, text, id } = await asked(raw, backend, 'a_t', `{"jsonrpc":"2.0","id":7,"method":${method}}`);
    const shown = method.replace('"progressToken":"p"', `"progressToken":${JSON.stringify(id)}`);
    expect(text).toBe(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${shown}}`);
    await raw.sendText(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
    await got(backend, `{"jsonrpc":"2.0","id":7,"result":${result}}`);
    call.answer('"result":{"content":[]}');
    expect(await heardBy(stream)).toBe('{"jsonrpc":"2.0","id":"call-1","result":{"content":[]}}');
  },
);

test('a backend gets the code, message and data of the error of a client unchanged', async () => {
  const backend = await waiting('a', 'events');
  const raw = await rawClient(await serve(backend));
  const { id, call } = await asked(raw, backend, 'a_t', '{"jsonrpc":"2.0","id":"x","method":"roots/list"}');
  const error = '{"code":-1,"message":"user rejected","data":{"n":1.0}}';
  await raw.sendText(`{"jsonrpc":"2.0","id":"${id}","error":${error}}`);
  await got(backend, `{"jsonrpc":"2.0","id":"x","error":${error}}`);
  call.answer('"result":{"content":[]}');
});

test('an answer of a client reaches the backend that has asked, once, and an invalid answer reaches no backend', async () => {
  const [a, b] = [await waiting('a', 'events'), await waiting('b', 'events')];
  const gateway = await serve(a, b);
  const [raw, another] = [await rawClient(gateway), await rawClient(gateway)];
  const ofA = await asked(raw, a, 'a_t', '{"jsonrpc":"2.0","id":7,"method":"roots/list"}');
  const ofB = raw.stream('tools/call', { name: 'b_t', arguments: {} }, 'call-2');
  const askedByB = ofB.next();
  const callOfB = await b.next();
  callOfB.say('{"jsonrpc":"2.0","id":7,"method":"roots/list"}');
  const { id: idOfB } = JSON.parse((await askedByB).value as string);
  const answer = (id: string, says: string) => `{"jsonrpc":"2.0","id":${id},"result":{"says":"${says}"}}`;
  const idOfA = JSON.stringify(ofA.id);
  // Ids of no request here: the backend's own, another session's, none.
  for (const id of ['7', '"7"', '"lintel-q99"', '0']) await raw.sendText(answer(id, 'unasked'));
  await another.sendText(answer(idOfA, 'another session'));
  // A call that looks like an answer: parsers disagree about it.
  const call = '"method":"tools/call","params":{"name":"t"}';
  for (const text of [
    `{"jsonrpc":"2.0","id":${idOfA},"result":{},${call}}`,
    `{"jsonrpc":"2.0","id":${idOfA},"result":{},${call.replace('method', 'Method')}}`,
    `{"jsonrpc":"2.0","id":${idOfA},"result":{},${call.replace('method', '\\u006dethod')}}`,
    `{"jsonrpc":"2.0","id":${idOfA},"id":${JSON.stringify(idOfB)},"result":{}}`,
    `{"jsonrpc":"2.0","id":${idOfA},"result":{},"error":{}}`,
    `{"jsonrpc":"2.0","result":{}}`,
  ]) {
    expect({ text, status: (await raw.sendText(text)).status }).toEqual({ text, status: 400 });
  }
  for (const says of ['first', 'second']) await raw.sendText(answer(idOfA.replace('q', '\\u0071'), says));
  await got(a, answer('7', 'first'));
  await raw.sendText(answer(JSON.stringify(idOfB), 'other'));
  await got(b, answer('7', 'other'));
  const answersAt = ({ received }: ScriptedBackend) =>
    received.map(({ body }) => body).filter(body => body.includes('"result"'));
  expect([answersAt(a), answersAt(b)]).toEqual([[answer('7', 'first')], [answer('7', 'other')]]);
  for (const { answer: end } of [ofA.call, callOfB]) end('"result":{"content":[]}');
});

describe.each(['events', 'sse'] as const)('progress of a client with questions of backends over %s', wire => {
  const progressOf = (token: string, part: string) =>
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1.0,"progressToken":${token},"message":"${part}"}}`;
  const progressAt = ({ received }: ScriptedBackend) =>
    received.map(({ body }) => body).filter(body => body.includes('notifications/progress'));

  /** Requests of two backends at the same time with the same token: the gateway's tokens as JSON text, and the calls. */
  async function twiceAsked(raw: RawClient, backends: readonly Awaited<ReturnType<typeof waiting>>[], token: string) {
    const question = `{"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"_meta":{"k":1,"progressToken":${token}}}}`;
    const all = [];
    for (const [n, backend] of backends.entries()) {
      const stream = raw.stream('tools/call', { name: `${'ab'[n]}_t`, arguments: {} }, `call-${n}`);
      const first = stream.next();
      const call = await backend.next();
      call.say(question);
      const text = (await first).value as string;
      const { id, params } = JSON.parse(text);
      expect(text).toBe(
        `{"jsonrpc":"2.0","id":"${id}","method":"roots/list","params":{"_meta":{"k":1,"progressToken":"${params._meta.progressToken}"}}}`,
      );
      all.push({ call, id, token: JSON.stringify(params._meta.progressToken) });
    }
    return all;
  }

  test.each(['0', '"p"', '12345678901234567890', '-7'])(
    'the progress of a client reaches the backend that asked, with the token %s that this backend chose, and no other backend',
    async token => {
      const backends = [await waiting('a', wire), await waiting('b', wire)] as const;
      const [a, b] = backends;
      const gateway = await serve(...backends);
      const [raw, another] = [await rawClient(gateway), await rawClient(gateway)];
      const [ofA, ofB] = await twiceAsked(raw, backends, token);
      if (ofA === undefined || ofB === undefined) throw new Error('not asked');
      expect(ofA.token).not.toBe(ofB.token);
      // Ids of no request here: the backends' own, an unknown one, another session's, and none at all.
      for (const unknown of [token, '"lintel-q99"', '{}', 'null']) await raw.sendText(progressOf(unknown, 'unknown'));
      await another.sendText(progressOf(ofA.token, 'another session'));
      await raw.sendText('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}');
      await raw.sendText(progressOf(ofA.token, 'a'));
      await raw.sendText(progressOf(ofB.token.replace('q', '\\u0071'), 'b'));
      await got(a, progressOf(token, 'a'));
      await got(b, progressOf(token, 'b'));
      await raw.sendText(`{"jsonrpc":"2.0","id":"${ofA.id}","result":{"roots":[]}}`);
      await got(a, '{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}');
      // Too late: the backend may reuse the token.
      await raw.sendText(progressOf(ofA.token, 'late'));
      await raw.sendText(progressOf(ofB.token, 'more'));
      await got(b, progressOf(token, 'more'));
      expect(progressAt(a)).toEqual([progressOf(token, 'a')]);
      expect(progressAt(b)).toEqual([progressOf(token, 'b'), progressOf(token, 'more')]);
      for (const { call } of [ofA, ofB]) call.answer('"result":{"content":[]}');
    },
  );

  test('the progress of a client that answers a question with a task still reaches the backend that asked', async () => {
    const backends = [await waiting('a', wire), await waiting('b', wire)] as const;
    const [a, b] = backends;
    const raw = new RawClient((await serve(...backends)).url);
    await raw.open('2025-11-25', { sampling: {}, tasks: { requests: { sampling: { createMessage: {} } } } });
    const asking = raw.stream('tools/call', { name: 'a_t', arguments: {} }, 'call-1');
    const first = asking.next();
    const call = await a.next();
    const other = raw.request('tools/call', { name: 'b_t', arguments: {} });
    const otherCall = await b.next();
    call.say(
      '{"jsonrpc":"2.0","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"task":{},"_meta":{"progressToken":1}},"id":7}',
    );
    const { id, params } = JSON.parse((await first).value as string);
    const made = '"result":{"task":{"taskId":"t-1","status":"working"}}';
    await raw.sendText(`{"jsonrpc":"2.0","id":"${id}",${made}}`);
    await got(a, `{"jsonrpc":"2.0","id":7,${made}}`);
    await raw.sendText(progressOf(JSON.stringify(params._meta.progressToken), 'task'));
    await got(a, progressOf('1', 'task'));
    expect(progressAt(b)).toEqual([]);
    for (const { answer } of [call, otherCall]) answer('"result":{"content":[]}');
    await other;
  });
});

test.each(['null', '{"a":1}', 'true'])('an invalid progress token (%s) of a backend stays unchanged', async token => {
  const backend = await waiting('a', 'events');
  const raw = await rawClient(await serve(backend));
  const rest = `"method":"roots/list","params":{"_meta":{"progressToken":${token}}}}`;
  const { text, id, call } = await asked(raw, backend, 'a_t', `{"jsonrpc":"2.0","id":7,${rest}`);
  expect(text).toBe(`{"jsonrpc":"2.0","id":"${id}",${rest}`);
  call.answer('"result":{"content":[]}');
});

test.each([
  '{"method":"roots/list","params":{"x":0,"_meta":{"progressToken":5}},"jsonrpc":"2.0","id":7}',
  '{"id":7,"params":{"_meta":{"progress\\u0054oken":5}},"method":"roots/list","jsonrpc":"2.0"}',
])(
  'the gateway replaces the id and the progress token of a question in any order and spelling of the members: %s',
  async question => {
    const backend = await waiting('a', 'events');
    const raw = await rawClient(await serve(backend));
    const { text, id, call } = await asked(raw, backend, 'a_t', question);
    expect(text).toBe(question.replace(':7', `:"${id}"`).replace(':5', `:"${id}"`));
    call.answer('"result":{"content":[]}');
  },
);

test.each(['events', 'sse'] as const)(
  'a client that cancels a call over %s is notified that the question of the called backend is cancelled',
  async wire => {
    const backend = await waiting('a', wire);
    const raw = await rawClient(await serve(backend));
    const { stream, id } = await asked(raw, backend, 'a_t', '{"jsonrpc":"2.0","id":7,"method":"roots/list"}');
    const cancelled =
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"call-1","reason":"enough"}}';
    await raw.sendText(cancelled);
    await got(backend, cancelled);
    expect(JSON.parse(await heardBy(stream))).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: id },
    });
    expect((await stream.next()).done).toBe(true);
    // Too late: it must not reach the backend, which may reuse the id.
    await raw.sendText(`{"jsonrpc":"2.0","id":"${id}","result":{"roots":[]}}`);
    expect(backend.received.some(({ body }) => body.includes('"roots":[]'))).toBe(false);
  },
);

test('a question over HTTP+SSE stays open when another call is cancelled, since it may belong to a running call', async () => {
  const backend = await waiting('a', 'sse');
  const raw = await rawClient(await serve(backend));
  const { stream, id, call } = await asked(raw, backend, 'a_t', '{"jsonrpc":"2.0","id":7,"method":"roots/list"}');
  const other = heardBy(raw.stream('tools/call', { name: 'a_t', arguments: {} }, 'call-2'));
  await backend.next();
  const cancelled = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"call-2"}}';
  await raw.sendText(cancelled);
  await got(backend, cancelled);
  expect(await other).toBe('');
  await raw.sendText(`{"jsonrpc":"2.0","id":"${id}","result":{"roots":[]}}`);
  await got(backend, '{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}');
  call.answer('"result":{"content":[]}');
  expect(JSON.parse(await heardBy(stream)).id).toBe('call-1');
});

test('a client is notified that a backend withdraws a question, under the id that the client knows', async () => {
  const backend = await waiting('a', 'events');
  const raw = await rawClient(await serve(backend));
  const { stream, call, id } = await asked(raw, backend, 'a_t', '{"jsonrpc":"2.0","id":7,"method":"roots/list"}');
  call.say(
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"late","_meta":{"k":1}}}',
  );
  expect(JSON.parse(await heardBy(stream))).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: id, reason: 'late', _meta: { k: 1 } },
  });
  call.answer('"result":{"content":[]}');
  expect(JSON.parse(await heardBy(stream)).id).toBe('call-1');
});

test('a backend that withdraws its question does not withdraw the question of another backend with the same id', async () => {
  const [a, b] = [await waiting('a', 'events'), await waiting('b', 'events')];
  const raw = await rawClient(await serve(a, b));
  const ofA = await asked(raw, a, 'a_t', '{"jsonrpc":"2.0","id":7,"method":"roots/list"}');
  const stream = raw.stream('tools/call', { name: 'b_t', arguments: {} }, 'call-2');
  const first = stream.next();
  const callOfB = await b.next();
  const withdraw = () =>
    callOfB.say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"late"}}');
  withdraw(); // It has sent nothing itself yet.
  callOfB.say('{"jsonrpc":"2.0","id":7,"method":"roots/list"}');
  const { id, method } = JSON.parse((await first).value as string);
  expect(method).toBe('roots/list');
  withdraw();
  const withdrawn = JSON.parse(await heardBy(stream));
  expect(withdrawn).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
  await raw.sendText(`{"jsonrpc":"2.0","id":"${ofA.id}","result":{"roots":[]}}`);
  await got(a, '{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}');
  for (const { answer } of [ofA.call, callOfB]) answer('"result":{"content":[]}');
  // Without a cancellation, nothing came between request and answer.
  expect(JSON.parse(await heardBy(ofA.stream)).id).toBe('call-1');
});

test('only the backends that a client has used are notified of its changed roots', async () => {
  const [a, b] = [await waiting('a', 'json'), await waiting('b', 'json')];
  const gateway = await serve(a, b);
  const [raw, another] = [await rawClient(gateway), await rawClient(gateway)];
  for (const [client, backend, tool] of [
    [raw, a, 'a_t'],
    [another, b, 'b_t'],
  ] as const) {
    const call = client.request('tools/call', { name: tool, arguments: {} });
    (await backend.next()).answer('"result":{"content":[]}');
    await call;
  }
  const changed = '{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"_meta":{"k":1}}}';
  await raw.sendText(changed);
  await got(a, changed);
  expect(b.received.some(({ body }) => body === changed)).toBe(false);
});

describe.each(['events', 'sse'] as const)('elicitation by URL over %s', wire => {
  test('the completion of an elicitation by URL reaches the client that was asked', async () => {
    const backend = await waiting('a', wire);
    const { url } = await serve(backend);
    const heard: string[] = [];
    const connect = async (name: string) => {
      const client = new Client({ name, version: '1' }, { capabilities: { elicitation: { form: {}, url: {} } } });
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        heard.push(`${name} is asked for ${params.mode === 'url' ? params.url : params.mode}`);
        return { action: 'accept' };
      });
      client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
        heard.push(`${name} hears of ${params.elicitationId}`);
      });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      open.push({ close: () => client.close() });
      return client;
    };
    const [ann, bob] = [await connect('ann'), await connect('bob')];
    const calls = [ann, bob].map(client => client.callTool({ name: 'a_t', arguments: { by: 'x' } }));
    const [first, second] = [await backend.next(), await backend.next()];
    first.say(
      '{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"url","elicitationId":"e-1","url":"https://x/","message":"m"}}',
    );
    await got(backend, '{"result":{"action":"accept"},"jsonrpc":"2.0","id":7}');
    first.say(COMPLETE);
    await eventually(() => heard.length === 2);
    for (const { answer } of [first, second]) answer('"result":{"content":[]}');
    await Promise.all(calls);
    const name = heard[0]?.slice(0, 3);
    expect(heard).toEqual([`${name} is asked for https://x/`, `${name} hears of e-1`]);
  });
});
