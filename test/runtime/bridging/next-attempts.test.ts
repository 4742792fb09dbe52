/**
 * Each attempt of a call is a request of its own: its client data, progress token and log level apply from then on, although the backend has
 * only seen the first attempt.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import {
  eventText,
  IDENTITY,
  openEvents,
  type RawRequest,
  sendJson,
  startRawServer,
} from '../../support/raw-server.ts';
import { answerList, type ScriptedCall, startScripted, type Wire } from '../pass-through/scripted-backend.ts';
import { ask, META } from '../stateless-edge/requests.ts';

const LISTS = { 'tools/list': '{"name":"t","inputSchema":{"type":"object"}}' };
const ELICITATION = '"method":"elicitation/create","params":{"message":"who?"}';
const ROOTS = '"method":"roots/list"';
const LEVELS = ['debug', 'info', 'error'];

const questionText = (id: number, question: string) => `{"jsonrpc":"2.0","id":${id},${question}}`;

interface Said {
  readonly progressToken?: unknown;
  readonly logLevel?: string;
  readonly capabilities?: object;
}

/**
 * A gateway with a session backend that sends `questions` to the client. When all are answered, `then` continues; by default it sends the
 * response.
 */
async function serve(wire: Wire, questions: readonly string[], then?: (call: ScriptedCall) => void) {
  const ids = questions.map((_, at) => 500 + at);
  const backend = await startScripted(
    'a',
    wire,
    call => {
      const { method, params } = call.message;
      if (answerList(call, LISTS)) return;
      if (method !== 'tools/call') return call.answer('"result":{}');
      const finish = () => {
        const token = params._meta?.progressToken;
        const progress = { jsonrpc: '2.0', method: 'notifications/progress' };
        if (token !== undefined) {
          call.say(JSON.stringify({ ...progress, params: { progress: 1, progressToken: token, total: 2 } }));
        }
        for (const level of LEVELS) {
          call.say(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level, data: level } }));
        }
        if (then === undefined) call.answer('"result":{"content":[]}');
        else then(call);
      };
      for (const [at, question] of questions.entries()) call.say(questionText(500 + at, question));
      void Promise.all(ids.map(id => backend.waitFor(({ message }) => isResponseTo(message, id)))).then(
        finish,
        () => {},
      );
    },
    { tools: {}, logging: {} },
  );
  const gateway = await startGateway({ backends: [backend.plan] });
  onTestFinished(async () => {
    await gateway.stop();
    await backend.close();
  });
  await gateway.ready();
  const attempt = async (id: number, said: Said, more: object = {}) => {
    const meta = {
      ...META,
      'io.modelcontextprotocol/clientCapabilities': said.capabilities ?? { elicitation: {} },
      ...(said.logLevel !== undefined && { 'io.modelcontextprotocol/logLevel': said.logLevel }),
      ...(said.progressToken !== undefined && { progressToken: said.progressToken }),
    };
    const params = { name: 'a_t', arguments: {}, ...more };
    const { text } = await ask(gateway.url, { method: 'tools/call', params, meta, id });
    return messagesIn(text);
  };
  return { backend, gateway, attempt };
}

// biome-ignore lint/suspicious/noExplicitAny: messages of every shape
type Message = any;

function isResponseTo(message: Message, id: number): boolean {
  return message?.id === id && message.method === undefined;
}

/** The messages of a response in either framing. */
function messagesIn(text: string): Message[] {
  if (text.startsWith('{')) return [JSON.parse(text)];
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data as string));
}

/** The next attempt's params: answers to all requests except those in `without`. */
function answersTo(first: Message[], without: readonly string[] = []): object {
  const { inputRequests, requestState, resultType } = first.at(-1).result;
  expect(resultType).toBe('input_required');
  const keys = Object.keys(inputRequests).filter(key => !without.includes(inputRequests[key].method));
  const inputResponses = Object.fromEntries(keys.map(key => [key, { action: 'accept', content: {} }]));
  return { requestState, inputResponses };
}

const levelsOf = (messages: Message[]) =>
  messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => params.level);
const progressOf = (messages: Message[]) =>
  messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);

const WIRES: readonly Wire[] = ['events', 'sse'];

test.each(
  WIRES.flatMap(wire =>
    (
      [
        ['tok-1', 'tok-2', ['tok-2']],
        [1, 2, [2]],
        ['1', 1, [1]],
        ['tok-1', 'tok-1', ['tok-1']],
        ['tok-1', undefined, []],
        [undefined, 'tok-2', []],
      ] as const
    ).map(row => [wire, ...row] as const),
  ),
)(
  'over %s, a call that begins with the progress token %j and continues with %j gets progress with the tokens %j',
  async (wire, before, now, told) => {
    const { attempt } = await serve(wire, [ELICITATION]);
    const first = await attempt(1, { progressToken: before });
    const second = await attempt(2, { progressToken: now }, answersTo(first));
    expect(progressOf(second)).toEqual(told.map(progressToken => ({ progress: 1, progressToken, total: 2 })));
    expect(second.at(-1)).toEqual({ jsonrpc: '2.0', id: 2, result: { resultType: 'complete', content: [] } });
  },
);

test.each(
  WIRES.flatMap(wire =>
    (
      [
        ['debug', undefined, [], ['debug']],
        [undefined, 'info', ['info', 'error'], ['info']],
        ['error', 'info', ['info', 'error'], ['error', 'info']],
        ['debug', 'error', ['error'], ['debug', 'error']],
        ['info', 'info', ['info', 'error'], ['info']],
      ] as const
    ).map(row => [wire, ...row] as const),
  ),
)(
  'over %s, a call that begins with the log level %j and continues with %j then gets log messages of the levels %j',
  async (wire, before, now, told, levels) => {
    const { attempt, backend } = await serve(wire, [ELICITATION]);
    const more = <T>(logLevel: T) => (logLevel === undefined ? {} : { logLevel });
    const first = await attempt(1, more(before));
    const second = await attempt(2, more(now), answersTo(first));
    expect(levelsOf(second)).toEqual(told);
    const { received } = backend;
    const set = received.filter(({ message }) => message?.method === 'logging/setLevel');
    expect(set.map(({ message }) => message.params.level)).toEqual(levels);
    // Answered before the backend continues.
    const answered = received.findIndex(({ message }) => isResponseTo(message, 500));
    for (const request of set) expect(received.indexOf(request)).toBeLessThan(answered);
  },
);

test('the official client gets progress of a call also after it has answered a question of the backend for this call', async () => {
  const { gateway } = await serve('events', [
    '"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{}}}',
  ]);
  const client = new Client(
    { name: 'ann', version: '1' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const, content: {} }));
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  onTestFinished(() => client.close());
  const seen: (number | undefined)[] = [];
  // It also reports progress of its own rounds, without a total.
  const onprogress = ({ total }: { total?: number | undefined }) => void seen.push(total);
  await client.callTool({ name: 'a_t', arguments: {} }, { onprogress });
  expect(seen).toEqual([undefined, 2]);
});

test('when a client continues a call, the gateway repeats a question it left open only if it still announces the capability', async () => {
  const { attempt, backend } = await serve('events', [ELICITATION, ROOTS]);
  const first = await attempt(1, { capabilities: { elicitation: {}, roots: {} } });
  const asked = Object.values(first.at(-1).result.inputRequests).map(question => (question as Message).method);
  expect(asked).toEqual(['elicitation/create', 'roots/list']);
  const second = await attempt(2, { capabilities: { roots: {} } }, answersTo(first, ['elicitation/create']));
  expect(second.at(-1).result).toEqual({ resultType: 'complete', content: [] });
  const refusal = await backend.waitFor(({ message }) => isResponseTo(message, 500));
  expect(refusal.message.error.code).toBe(-32601);
  expect((await backend.waitFor(({ message }) => isResponseTo(message, 501))).message.result).toBeDefined();
});

test('the gateway adds empty params to a question of a backend without params, because go-sdk needs them', async () => {
  const { attempt } = await serve('events', [ROOTS]);
  const first = await attempt(1, { capabilities: { roots: {} } });
  expect(Object.values(first.at(-1).result.inputRequests)).toEqual([{ method: 'roots/list', params: {} }]);
});

test('the gateway refuses the second question of a call if the client continued the call without announcing the capability', async () => {
  const { attempt, backend } = await serve('events', [ELICITATION], call => {
    call.say(questionText(600, ELICITATION));
    void backend
      .waitFor(({ message }) => isResponseTo(message, 600))
      .then(() => call.answer('"result":{"content":[]}'));
  });
  const first = await attempt(1, {});
  const second = await attempt(2, { capabilities: {} }, answersTo(first));
  expect(second.at(-1).result).toEqual({ resultType: 'complete', content: [] });
  const refusal = await backend.waitFor(({ message }) => isResponseTo(message, 600));
  expect(refusal.message.error.code).toBe(-32601);
});

test('a call that has ended does not set the log level of its session, which a call of another client now uses', async () => {
  let sessions = 0;
  let end = (): void => {};
  /** Calls that are answered when there are two of them: each has its own session. */
  const pair: (() => void)[] = [];
  const server = await startRawServer((request, response) => {
    const { method, message } = request;
    const say = (result: object) => JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
    if (method !== 'POST') response.writeHead(405).end();
    else if (message.method === 'initialize') {
      const identity = { ...IDENTITY, capabilities: { tools: {}, logging: {} } };
      sendJson(response, say(identity), { 'mcp-session-id': `s-${++sessions}` });
    } else if (message.method === 'server/discover') response.writeHead(404).end();
    else if (message.method === 'tools/list') {
      sendJson(response, say({ tools: [{ name: 't', inputSchema: { type: 'object' } }] }));
    } else if (message.method === 'logging/setLevel') sendJson(response, say({}));
    else if (message.method !== 'tools/call') response.writeHead(202).end();
    else if (message.params.arguments.quick === true) {
      pair.push(() => sendJson(response, say({ content: [] })));
      if (pair.length === 2) for (const answer of pair.splice(0)) answer();
    } else {
      openEvents(response);
      response.write(eventText(questionText(500, ELICITATION)));
      end = () => void response.end(eventText(say({ content: [], early: true })));
    }
  });
  const gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  onTestFinished(async () => {
    await gateway.stop();
    await server.close();
  });
  const call = async (params: object, logLevel: string) => {
    const said = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
    const meta = { ...META, ...said, 'io.modelcontextprotocol/logLevel': logLevel };
    const { text } = await ask(gateway.url, { method: 'tools/call', params: { name: 'a_t', ...params }, meta });
    return messagesIn(text);
  };
  const callIn = (session: unknown) => (request: RawRequest) =>
    request.message?.params?.arguments?.quick === true && request.headers['mcp-session-id'] === session;
  const first = await call({ arguments: {} }, 'error');
  const asking = server.requests.find(({ message }) => message?.method === 'tools/call')?.headers['mcp-session-id'];
  expect(asking).toBeDefined();
  end();
  // Until the call's session is used for other calls, which shows that the gateway has the response.
  const quick = { arguments: { quick: true } };
  while (!server.requests.some(callIn(asking))) await Promise.all([call(quick, 'error'), call(quick, 'error')]);
  const before = server.requests.length;
  const second = await call({ arguments: {}, ...answersTo(first) }, 'debug');
  expect(second.at(-1).result).toMatchObject({ early: true });
  await Promise.all([call(quick, 'error'), call(quick, 'error')]);
  expect(server.requests.slice(before).map(({ message }) => message?.method)).toEqual(['tools/call', 'tools/call']);
});
