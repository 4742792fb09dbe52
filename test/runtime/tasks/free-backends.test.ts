/** A backend that does not separate the tasks of different clients, with ids of every kind: the gateway separates them. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { IDENTITY, type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { answerList, startScripted } from '../pass-through/scripted-backend.ts';

const IDS = ['7', 'free:7', 'a b/c?d', '"\\\n', 'é😀', '__proto__', ''];
const STATE = '"status":"working","createdAt":"2026-01-01T00:00:00Z","ttl":12345678901234567890,"x":1.0';

let free: RawServer;
let gateway: TestGateway;

beforeAll(async () => {
  const made: string[] = [];
  const identity = { ...IDENTITY, capabilities: { tools: {}, tasks: { list: {}, requests: { tools: { call: {} } } } } };
  const rest = withHandshake(({ message: { id, method, params } }, response) => {
    const answer = (result: string) =>
      sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
    const task = (taskId: string) => `{"taskId":${JSON.stringify(taskId)},${STATE}}`;
    if (method === 'tools/list') answer('{"tools":[{"name":"make","inputSchema":{"type":"object"}}]}');
    else if (method === 'tools/call' && params.task === undefined) answer('{"content":[],"task":{"taskId":"not one"}}');
    else if (method === 'tools/call') {
      made.push(params.arguments.id);
      answer(`{"task":${task(params.arguments.id)}}`);
    } else if (method === 'tasks/list') answer(`{"tasks":[${made.map(task).join()}]}`);
    else if (method === 'tasks/get') answer(task(params.taskId));
    else if (method === 'tasks/result')
      answer(`{"content":[],"taskId":"content","structuredContent":{"got":${JSON.stringify(params.taskId)}}}`);
    else answer('{}');
  });
  free = await startRawServer((request, response) => {
    if (request.message?.method !== 'initialize') return rest(request, response);
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: request.message.id, result: identity }));
  });
  gateway = await startGateway({ backends: [backendPlan('free', `${free.origin}/mcp`)] });
  await gateway.ready();
});

afterAll(async () => {
  await gateway.stop();
  await free.close();
});

async function open(): Promise<RawClient> {
  const client = new RawClient(gateway.url);
  await client.open();
  return client;
}

async function make(client: RawClient, id: string): Promise<string> {
  const params = { name: 'free_make', arguments: { id }, task: {} };
  return (await client.result<{ task: { taskId: string } }>('tools/call', params)).task.taskId;
}

test('the gateway announces only the task capabilities of its backends', async () => {
  const opened = (await new RawClient(gateway.url).open()) as { result: { capabilities: { tasks: object } } };
  expect(opened.result.capabilities.tasks).toEqual({ list: {}, requests: { tools: { call: {} } } });
});

test.each(IDS)('a backend gets back the task id %j that it gave', async id => {
  const client = await open();
  const taskId = await make(client, id);
  expect(taskId).toBe(`free:${id}`);
  expect((await client.request('tasks/get', { taskId })).text).toContain(
    `{"taskId":${JSON.stringify(taskId)},${STATE}}`,
  );
  // A member of this name in a tool's result belongs to the tool.
  expect(await client.result('tasks/result', { taskId })).toMatchObject({
    taskId: 'content',
    structuredContent: { got: id },
  });
});

test('the gateway accepts a task id of at most 1,024 characters', async () => {
  const client = await open();
  const longest = await make(client, 'x'.repeat(1_024 - 'free:'.length));
  expect(await client.result('tasks/get', { taskId: longest })).toMatchObject({ taskId: longest });
  const longer = await make(client, 'x'.repeat(1_024 - 'free:'.length + 1));
  const { text } = await client.request('tasks/get', { taskId: longer });
  expect(JSON.parse(text)).toMatchObject({ error: { code: -32602, message: 'unknown task' } });
});

test('a client finds no task of another client by a list or by an id', async () => {
  const [ann, bob] = [await open(), await open()];
  const taskId = await make(ann, 'secret');
  await make(bob, 'own');
  const { tasks } = await bob.result<{ tasks: { taskId: string }[] }>('tasks/list');
  expect(tasks.map(task => task.taskId)).toEqual(['free:own']);
  for (const guess of [taskId, 'secret']) {
    const { text } = await bob.request('tasks/get', { taskId: guess });
    expect(JSON.parse(text)).toMatchObject({ error: { code: -32602, message: 'unknown task' } });
  }
});

test('the gateway forwards the result of a call that asks for no task unchanged', async () => {
  const client = await open();
  const { text } = await client.request('tools/call', { name: 'free_make', arguments: {} });
  expect(text).toContain('"result":{"content":[],"task":{"taskId":"not one"}}');
});

test.each(['json', 'events', 'sse'] as const)(
  'the result of a task over %s may take longer than any other answer',
  async wire => {
    const slow = await startScripted('slow', wire, call => {
      const { message, answer } = call;
      if (answerList(call, { 'tools/list': '{"name":"make","inputSchema":{"type":"object"}}' })) return;
      if (message.method === 'tasks/result') setTimeout(() => answer('"result":{"content":[]}'), 1_200);
      else answer(`"result":{"task":{"taskId":"1",${STATE}}}`);
    });
    const slowGateway = await startGateway({ backends: [{ ...slow.plan, timeoutMs: 400 }] });
    await slowGateway.ready();
    onTestFinished(async () => {
      await slowGateway.stop();
      await slow.close();
    });
    const client = new RawClient(slowGateway.url);
    await client.open();
    await client.result('tools/call', { name: 'slow_make', arguments: {}, task: {} });
    expect(await client.result('tasks/result', { taskId: 'slow:1' })).toEqual({ content: [] });
  },
);
