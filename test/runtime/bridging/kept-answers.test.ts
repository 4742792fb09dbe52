/** The responses of backends that are stored until their clients come back are limited, for each call and for all calls together. */

import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { BackendRequest } from '../../../runtime/gateway/backends/backend.ts';
import type { Sender } from '../../../runtime/gateway/backends/sender.ts';
import {
  BridgedCall,
  type BridgedCallOptions,
  type FirstAttempt,
} from '../../../runtime/gateway/stateless/bridged-call.ts';
import { BufferedResponse, MAX_BUFFERED_BYTES } from '../../../runtime/gateway/stateless/buffered-response.ts';
import { BufferedResponses, MAX_ALL_BUFFERED_BYTES } from '../../../runtime/gateway/stateless/buffered-responses.ts';
import type { NextAttempt } from '../../../runtime/gateway/stateless/rounds/next-attempt.ts';
import { type SuspendedCallLocation, SuspendedCalls } from '../../../runtime/gateway/stateless/suspended-calls.ts';
import { BackendError } from '../../../runtime/mcp/backend-error.ts';
import type { ResponseSink } from '../../../runtime/mcp/response-sink.ts';
import { SealKeys } from '../../../runtime/shared-sessions/seal-keys.ts';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { eventText, openEvents, startRawServer } from '../../support/raw-server.ts';
import { ask, META } from '../stateless-edge/requests.ts';

const newHeldCalls = () =>
  new SuspendedCalls({ seals: new SealKeys(), log: listeningLog().log, table: { tools: new Map() } });

const FORMS = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
const LARGE = 1_000_000;
const IDENTITY = {
  protocolVersion: '2024-11-05',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
};

/**
 * A gateway with an HTTP+SSE backend that sends a request to its client and does not wait for the answer. On this transport the gateway ends the
 * session after the call, which shows that the whole response was read.
 */
async function serve() {
  const streams: ServerResponse[] = [];
  const server = await startRawServer(({ method: verb, path, message }, response) => {
    if (verb === 'GET') {
      openEvents(response);
      response.write(`event: endpoint\ndata: /messages?s=${streams.push(response) - 1}\n\n`);
      return;
    }
    const at = Number(path.split('s=')[1]);
    const stream = streams[at];
    if (stream === undefined) return void response.writeHead(405).end();
    response.writeHead(202).end();
    const { id, method } = message;
    const say = (said: object) => void stream.write(eventText(JSON.stringify({ jsonrpc: '2.0', ...said })));
    if (id === undefined || method === undefined) return;
    if (method === 'initialize') return say({ id, result: IDENTITY });
    if (method === 'tools/list')
      return say({ id, result: { tools: [{ name: 't', inputSchema: { type: 'object' } }] } });
    if (method !== 'tools/call') return say({ id, result: {} });
    const requestedSchema = { type: 'object', properties: {} };
    say({ id: 'q', method: 'elicitation/create', params: { message: String(at), requestedSchema } });
    waiting.set(at, text => say({ id, result: { content: [{ type: 'text', text }] } }));
  });
  const waiting = new Map<number, (text: string) => void>();
  const gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/sse`, { transport: 'sse' })] });
  onTestFinished(async () => {
    await gateway.stop();
    await server.close();
  });
  await gateway.ready();
  const call = async (more: object = {}) => {
    const params = { name: 'a_t', arguments: {}, ...more };
    const { text } = await ask(gateway.url, { method: 'tools/call', params, meta: FORMS });
    return JSON.parse(text);
  };
  /** A call with an unanswered elicitation whose response has arrived since; returns its `requestState`. */
  const answered = async (text: string): Promise<string> => {
    const { result } = await call();
    const [question] = Object.values<{ params: { message: string } }>(result.inputRequests);
    const at = Number(question?.params.message);
    const closed = new Promise(resolve => streams[at]?.once('close', resolve));
    waiting.get(at)?.(text);
    await closed;
    return result.requestState;
  };
  return { answered, comeBack: (requestState: string) => call({ requestState }) };
}

test('the gateway at its limit drops the oldest stored answers of suspended calls, and answers that clients fetched do not count', async () => {
  const { answered, comeBack } = await serve();
  const fits = Math.floor(MAX_ALL_BUFFERED_BYTES / LARGE);
  for (const count of [fits + 7, fits - 3]) {
    const states: string[] = [];
    for (let n = 0; n < count; n++) states.push(await answered(String(n).padEnd(LARGE)));
    const lost: number[] = [];
    for (const [n, state] of states.entries()) {
      const { result, error } = await comeBack(state);
      if (error === undefined) expect(result.content[0].text).toBe(String(n).padEnd(LARGE));
      else {
        lost.push(n);
        expect(error).toMatchObject({ code: -32603, data: { backend: 'a', reason: 'too_large' } });
      }
    }
    const excess = Math.max(count - fits, 0);
    expect(lost.length).toBeGreaterThanOrEqual(excess);
    expect(lost.length).toBeLessThanOrEqual(excess && excess + 2);
    expect(lost).toEqual(lost.map((_, n) => n));
  }
});

test.each([
  ['in one chunk', MAX_BUFFERED_BYTES - 256, 1],
  ['byte by byte', 1, Math.floor(MAX_BUFFERED_BYTES / 257)],
])(
  'the gateway stores the answer of a suspended call that comes %s up to its size limit, and drops a larger answer',
  (_, length, count) => {
    const all = new BufferedResponses();
    const kept = new BufferedResponse(all);
    for (let n = 0; n < count; n++) kept.push(new Uint8Array(length).fill(n));
    expect([kept.isLost, all.bytes]).toEqual([false, count * (length + 256)]);
    const longer = new BufferedResponse(all);
    for (const chunk of kept.take()) longer.push(chunk);
    longer.push(new Uint8Array(1));
    longer.push(new Uint8Array(1));
    expect([longer.isLost, longer.take(), all.bytes]).toEqual([true, [], 0]);
  },
);

test('the stored answers of all suspended calls together stay below a common limit, and the oldest answers are dropped', () => {
  const all = new BufferedResponses();
  const answers = Array.from({ length: 40 }, () => new BufferedResponse(all));
  for (let n = 0; n < 16; n++) {
    for (const [at, answer] of answers.entries()) answer.push(new Uint8Array(64 * 1024 - 256).fill(at));
    expect(all.bytes).toBeLessThanOrEqual(MAX_ALL_BUFFERED_BYTES);
  }
  const fits = MAX_ALL_BUFFERED_BYTES / MAX_BUFFERED_BYTES;
  expect(answers.map(({ isLost }) => isLost)).toEqual(answers.map((_, at) => at < answers.length - fits));
  for (const [at, answer] of answers.slice(-fits).entries()) {
    const chunks = answer.take();
    expect(chunks).toHaveLength(16);
    expect(chunks.every(chunk => chunk[0] === at + answers.length - fits)).toBe(true);
  }
  expect(all.bytes).toBe(0);
});

/** A call with an unanswered elicitation whose backend continues. */
async function heldCall(suspendedCalls: SuspendedCalls) {
  const posted: string[] = [];
  const sent = Promise.withResolvers<ResponseSink>();
  const session = {
    backend: 'a',
    request: ({ signal }: BackendRequest, sink: ResponseSink) => {
      signal?.addEventListener('abort', { handleEvent: () => sink.fail(new BackendError('a', 'aborted', 'aborted')) });
      sent.resolve(sink);
    },
    post: async (json: string) => void posted.push(JSON.parse(json).method),
  };
  const traits = { method: 'tools/call', name: 't', owner: '', about: '' };
  const options = {
    ...traits,
    connection: { name: 'a', leases: { discard() {}, giveBack() {} } },
    lease: { session, sender: { passed: {} }, nextId: () => '1' },
    suspendedCalls,
    withoutSessions() {},
    takeAbout: () => '',
  };
  const call = new BridgedCall(options as unknown as BridgedCallOptions);
  const attemptFor = () => {
    const outcomes: string[] = [];
    const asked = Promise.withResolvers<string>();
    const answer = {
      aborted: false,
      addEventListener() {},
      removeEventListener() {},
      result: (json: string) => asked.resolve(JSON.parse(json).requestState),
      fail: ({ reason }: BackendError) => void outcomes.push(reason),
    };
    const caller = { capabilities: { elicitation: {} } };
    const context = { http: { socket: {} }, identity: { key: '' } };
    return { attempt: { caller, envelope: { id: '1' }, context, answer } as unknown as FirstAttempt, asked, outcomes };
  };
  const { attempt, asked } = attemptFor();
  call.send(() => '{}', 't', attempt);
  const sink = await sent.promise;
  sink.request?.('{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}}', '7', 'elicitation/create');
  const state = await asked.promise;
  /** The client comes back; returns why it gets no result. */
  const resume = () => {
    const next = attemptFor();
    const { caller, answer } = next.attempt;
    const sender = {} as Sender;
    const said = { caller, answer, id: '1', progressToken: undefined, share: '', sender };
    const { secret } = suspendedCalls.locate(state, traits) as SuspendedCallLocation;
    suspendedCalls.take(secret, traits)?.resume({ ...said, responses: new Map() } satisfies NextAttempt);
    return next.outcomes;
  };
  return { sink, posted, resume };
}

test('the gateway drops the stored answer of a suspended call when the client does not continue the call within ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const suspendedCalls = newHeldCalls();
  const [first, second] = [await heldCall(suspendedCalls), await heldCall(suspendedCalls)];
  first.sink.data(new Uint8Array(1_000));
  expect(suspendedCalls.answers.bytes).toBe(1_256);
  vi.advanceTimersByTime(10 * 60_000);
  expect(suspendedCalls.answers.bytes).toBe(0);
  for (const { sink } of [first, second]) sink.data(new Uint8Array(1_000));
  expect(suspendedCalls.answers.bytes).toBe(0);
});

test('when the answer of a suspended call exceeds its size limit, the gateway cancels the call, and the client gets the error too_large', async () => {
  const { sink, posted, resume } = await heldCall(newHeldCalls());
  sink.data(new Uint8Array(MAX_BUFFERED_BYTES));
  expect(resume()).toEqual(['too_large']);
  expect(posted).toEqual(['notifications/cancelled']);
});
