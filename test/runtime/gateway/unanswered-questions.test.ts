/** Clients that do not answer a backend's requests: all others are unaffected. */
import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import {
  eventText,
  openEvents,
  type RawServer,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';
import { ask, findHeaders, formatRequest, META } from '../stateless-edge/requests.ts';

/** More than the limit of concurrent requests to a backend. */
const MANY = 70;

const ABLE = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };

/** The share of one caller, or of one address. */
const SHARE = 200;

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

/** A backend whose tool `ask` elicits first, `slow` answers when the test decides, and `quick` at once. */
async function world(
  capabilities?: object,
): Promise<{ server: RawServer; gateway: TestGateway; slow: (() => void)[] }> {
  const waiting = new Map<string, (text: string) => void>();
  const slow: (() => void)[] = [];
  let asked = 0;
  const answer = (id: unknown, text: string) =>
    JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
  const server = await startRawServer(
    withHandshake(
      ({ message }, response) => {
        const { id, method, params } = message;
        if (method === undefined) {
          response.writeHead(202).end();
          waiting.get(id)?.(JSON.stringify(message.result ?? message.error));
        } else if (method === 'tools/list') {
          const tools = ['ask', 'slow', 'quick'].map(name => ({ name, inputSchema: { type: 'object' } }));
          sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }));
        } else if (method === 'tasks/result') slow.push(() => sendJson(response, answer(id, 'done')));
        else if (params?.task !== undefined) {
          const task = { taskId: 't1', status: 'working', createdAt: '2026-01-01T00:00:00Z', ttl: null };
          sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: { task } }));
        } else if (method !== 'tools/call') {
          sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } }));
        } else if (params.name === 'quick') sendJson(response, answer(id, 'quick'));
        else if (params.name === 'slow') slow.push(() => sendJson(response, answer(id, params.arguments.n)));
        else {
          const question = `q${++asked}`;
          openEvents(response);
          waiting.set(question, text => void response.end(eventText(answer(id, text))));
          const elicitation = { message: 'who?', requestedSchema: { type: 'object', properties: {} } };
          const request = { jsonrpc: '2.0', id: question, method: 'elicitation/create', params: elicitation };
          response.write(eventText(JSON.stringify(request)));
        }
      },
      's-1',
      capabilities,
    ),
  );
  open.push(server);
  const gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  open.push({ close: () => gateway.stop() });
  await gateway.ready();
  return { server, gateway, slow };
}

const call = (url: string, name: string, more: object = {}) =>
  ask(url, { method: 'tools/call', params: { name: `a_${name}`, arguments: {}, ...more }, meta: ABLE });

async function session(url: string, capabilities: object = {}): Promise<RawClient> {
  const client = new RawClient(url);
  await client.open('2025-11-25', capabilities);
  return client;
}

async function expectQuick(url: string): Promise<void> {
  const other = await session(url);
  const { content } = await other.result<{ content: object[] }>('tools/call', { name: 'a_quick', arguments: {} });
  expect(content).toEqual([{ type: 'text', text: 'quick' }]);
}

test('calls that wait for stateless clients delay no other call, even if they exceed the limit of concurrent requests to a backend', async () => {
  const { server, gateway } = await world();
  const states: string[] = [];
  for (let at = 0; at < MANY; at++) states.push(JSON.parse((await call(gateway.url, 'ask')).text).result.requestState);
  expect(new Set(states).size).toBe(MANY);
  await expectQuick(gateway.url);

  const before = server.connections;
  const answers = await Promise.all(
    states.map((requestState, at) =>
      call(gateway.url, 'ask', { requestState, inputResponses: { q1: { action: 'accept', content: { at } } } }),
    ),
  );
  const texts = answers.map(({ text }) => JSON.parse(text).result.content[0].text);
  expect(texts).toEqual(states.map((_state, at) => `{"action":"accept","content":{"at":${at}}}`));
  await expectQuick(gateway.url);
  // Answers to elicitations are messages with connections of their own; no call needed another one.
  expect(server.connections - before).toBeLessThanOrEqual(64);
});

test('questions that wait for clients in sessions delay no call, even if they exceed the limit of concurrent requests to a backend', async () => {
  const { gateway } = await world();
  const clients = await Promise.all([1, 2].map(() => session(gateway.url, { elicitation: {} })));
  const calls = clients.flatMap(client =>
    Array.from({ length: MANY / 2 }, () => client.stream('tools/call', { name: 'a_ask', arguments: {} })),
  );
  const questions = await Promise.all(calls.map(async stream => JSON.parse((await stream.next()).value as string)));
  expect(questions.map(({ method }) => method)).toEqual(calls.map(() => 'elicitation/create'));
  await expectQuick(gateway.url);

  for (const [at, { id }] of questions.entries()) {
    const client = clients[Math.floor(at / (MANY / 2))] as RawClient;
    await client.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { at } } });
    const answer = JSON.parse((await (calls[at] as (typeof calls)[number]).next()).value as string);
    expect(answer.result.content[0].text).toBe(`{"action":"accept","content":{"at":${at}}}`);
  }
  await expectQuick(gateway.url);
});

test('requests for results of unfinished tasks delay no call, even if they exceed the limit of concurrent requests to a backend', async () => {
  const { gateway, slow } = await world({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
  const client = await session(gateway.url);
  const made = await client.result<{ task: { taskId: string } }>('tools/call', {
    name: 'a_quick',
    arguments: {},
    task: {},
  });
  const results = Array.from({ length: MANY }, () => client.result('tasks/result', made.task));
  await eventually(async () => slow.length === MANY);
  await expectQuick(gateway.url);
  for (const end of slow) end();
  const texts = await Promise.all(results);
  expect(texts).toEqual(results.map(() => ({ content: [{ type: 'text', text: 'done' }] })));
});

describe('the share of one address', () => {
  test('the gateway limits the calls from one address that wait for stateless clients, and still accepts calls from another address', async () => {
    const { gateway } = await world();
    for (let at = 0; at < SHARE; at += 50) {
      const asked = await Promise.all(Array.from({ length: 50 }, () => call(gateway.url, 'ask')));
      for (const { text } of asked) expect(text).toContain('"input_required"');
    }
    const state = async (from: string) => JSON.parse(await askFrom(from, gateway.url));
    expect(await state('127.0.0.1')).toMatchObject({
      error: {
        code: -32603,
        message: 'backend "a": too many calls wait for their clients',
        data: { backend: 'a', reason: 'busy' },
      },
    });
    const { result } = await state('127.0.0.2');
    expect(result).toMatchObject({ resultType: 'input_required' });
    await expectQuick(gateway.url);
    // An elicitation that was answered, or found no room, takes none.
    const inputResponses = { q1: { action: 'decline' } };
    await call(gateway.url, 'ask', { requestState: result.requestState, inputResponses });
    expect((await state('127.0.0.2')).result).toMatchObject({ resultType: 'input_required' });
  });

  test('for each address, the waiting questions to clients in sessions and the waiting requests for task results have one common limit', async () => {
    const { gateway, slow } = await world({ tools: {}, tasks: { requests: { tools: { call: {} } } } });
    const streams: AsyncGenerator<string, void>[] = [];
    const client = await session(gateway.url, { elicitation: {} });
    const args = { name: 'a_quick', arguments: {}, task: {} };
    const { task } = await client.result<{ task: object }>('tools/call', args);
    const results = Array.from({ length: SHARE - 60 }, () => client.request('tasks/result', task));
    await eventually(async () => slow.length === results.length);
    const ids: unknown[] = [];
    for (let at = 0; at < 60; at++) {
      const stream = client.stream('tools/call', { name: 'a_ask', arguments: {} });
      streams.push(stream);
      const question = JSON.parse((await stream.next()).value as string);
      expect(question.method).toBe('elicitation/create');
      ids.push(question.id);
    }

    const other = await session(gateway.url, { elicitation: {} });
    const refused = await other.result<{ content: { text: string }[] }>('tools/call', { name: 'a_ask', arguments: {} });
    expect(JSON.parse(refused.content[0]?.text ?? '')).toEqual({
      code: -32603,
      message: 'too many questions wait for their clients',
    });
    expect(JSON.parse((await client.request('tasks/result', task)).text).error).toEqual({
      code: -32603,
      message: 'too many requests wait for tasks or clients',
      data: { backend: 'a', reason: 'busy' },
    });
    await expectQuick(gateway.url);

    await client.send({ jsonrpc: '2.0', id: ids[0], result: { action: 'decline' } });
    await streams[0]?.next();
    const stream = other.stream('tools/call', { name: 'a_ask', arguments: {} });
    expect(JSON.parse((await stream.next()).value as string).method).toBe('elicitation/create');
    for (const end of slow) end();
    await Promise.all(results);
    await Promise.all([client.end(), other.end()]);
  });
});

/** The text of the response to a stateless call of `ask` from another loopback address. */
function askFrom(localAddress: string, url: string): Promise<string> {
  const message = { method: 'tools/call', params: { name: 'a_ask', arguments: {} }, meta: ABLE };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: 'POST',
      localAddress,
      headers: { ...headers, ...findHeaders(message) },
    });
    request.on('response', async response => resolve(Buffer.concat(await response.toArray()).toString()));
    request.on('error', reject).end(formatRequest(message));
  });
}
