/** Tasks that a client creates for requests of backends: only the backend that sent the request may access them. */
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { answerList, type ScriptedCall, startScripted, type Wire } from '../pass-through/scripted-backend.ts';

const TOOLS = { 'tools/list': '{"name":"t","inputSchema":{"type":"object"}}' };
const CAPABILITIES = {
  sampling: {},
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } },
};
const BEGUN = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"begun"}}';
const ABOUT_ONE_TASK = ['tasks/get', 'tasks/result', 'tasks/cancel'];

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

/** A call that runs at a backend until the test ends it. */
class RunningCall {
  readonly #stream: AsyncGenerator<string, void>;
  readonly #call: ScriptedCall;
  readonly #answers: Peer['answerTo'];

  constructor(stream: AsyncGenerator<string, void>, first: ScriptedCall, answers: Peer['answerTo']) {
    this.#stream = stream;
    this.#call = first;
    this.#answers = answers;
  }

  /** The backend sends a request; returns the response of the client or of the gateway. */
  asks(id: number, method: string, params: object): Promise<unknown> {
    this.#call.say(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return this.#answers(id);
  }

  /** The next message that the client gets. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  async heard(): Promise<any> {
    return JSON.parse((await this.#stream.next()).value as string);
  }

  end(): void {
    this.#call.answer('"result":{"content":[]}');
  }
}

interface Peer {
  /** What the backend receives as the answer to its request with this id. */
  answerTo(id: number): Promise<unknown>;
  call(client: RawClient): Promise<RunningCall>;
}

async function startPeers(wire: Wire, names: readonly string[]) {
  const started = await Promise.all(
    names.map(async name => {
      const calls: ScriptedCall[] = [];
      const backend = await startScripted(name, wire, call => {
        if (!answerList(call, TOOLS)) calls.push(call);
      });
      open.push(backend);
      const answerTo = async (id: number) => {
        const { message } = await backend.waitFor(({ message: said }) => said?.id === id && said.method === undefined);
        return message.error ?? message.result;
      };
      const call = async (client: RawClient) => {
        const stream = client.stream('tools/call', { name: `${name}_t`, arguments: {} });
        const first = stream.next();
        await eventually(() => calls.length > 0);
        const running = calls.shift() as ScriptedCall;
        // A message before the response opens the event stream of the call.
        running.say(BEGUN);
        expect((await first).value).toBe(BEGUN);
        return new RunningCall(stream, running, answerTo);
      };
      return { plan: backend.plan, peer: { answerTo, call } };
    }),
  );
  const gateway = await startGateway({ backends: started.map(({ plan }) => plan) });
  open.push({ close: () => gateway.stop() });
  const client = new RawClient(gateway.url);
  await client.open('2025-11-25', CAPABILITIES);
  return { client, peers: started.map(({ peer }) => peer) };
}

/** A backend requests sampling as a task, and the client creates the task `taskId`. */
async function makeTask(client: RawClient, call: RunningCall, id: number, taskId: string): Promise<void> {
  const made = call.asks(id, 'sampling/createMessage', { messages: [], maxTokens: 1, task: { ttl: 60_000 } });
  const question = await call.heard();
  expect(question.method).toBe('sampling/createMessage');
  const task = { taskId, status: 'working', createdAt: '2026-01-01T00:00:00Z', ttl: 60_000 };
  await client.send({ jsonrpc: '2.0', id: question.id, result: { task } });
  expect(await made).toMatchObject({ task: { taskId } });
}

describe.each(['events', 'sse'] as const)('over %s', wire => {
  test.each(ABOUT_ONE_TASK)(
    'the gateway refuses %s of a backend for a task that the client runs for another backend, and the client gets no request',
    async method => {
      const { client, peers } = await startPeers(wire, ['a', 'b']);
      const [a, b] = await Promise.all(peers.map(peer => peer.call(client)));
      if (a === undefined || b === undefined) throw new Error('two calls run');
      await makeTask(client, a, 1, 'c-1');
      expect(await b.asks(2, method, { taskId: 'c-1' })).toMatchObject({ code: -32602, message: 'unknown task' });
      b.end();
      expect(await b.heard()).toMatchObject({ result: { content: [] } });
      // The backend that sent the request can access it.
      const asked = a.asks(3, method, { taskId: 'c-1' });
      const question = await a.heard();
      expect(question).toMatchObject({ method, params: { taskId: 'c-1' } });
      await client.send({ jsonrpc: '2.0', id: question.id, result: { status: 'working' } });
      expect(await asked).toEqual({ status: 'working' });
      a.end();
      expect(await a.heard()).toMatchObject({ result: { content: [] } });
    },
  );

  test('the gateway refuses the request of a backend for a task of the client when the task id is unknown, invalid or missing', async () => {
    const { client, peers } = await startPeers(wire, ['a']);
    const call = (await peers[0]?.call(client)) as RunningCall;
    for (const [at, params] of [{ taskId: 'c-1' }, { taskId: 7 }, {}].entries()) {
      expect(await call.asks(at, 'tasks/get', params)).toMatchObject({ code: -32602 });
    }
    call.end();
    expect(await call.heard()).toMatchObject({ result: { content: [] } });
  });

  test('when a client gives its tasks for two backends the same id, the gateway refuses requests of the second backend for this id', async () => {
    const { client, peers } = await startPeers(wire, ['a', 'b']);
    const [a, b] = await Promise.all(peers.map(peer => peer.call(client)));
    if (a === undefined || b === undefined) throw new Error('two calls run');
    await makeTask(client, a, 1, 'same');
    await makeTask(client, b, 1, 'same');
    expect(await b.asks(2, 'tasks/result', { taskId: 'same' })).toMatchObject({ code: -32602 });
    for (const call of [a, b]) call.end();
  });
});
