/** Tasks of revision 2025-11-25: official SDK clients and servers on both sides of the gateway. */
import { Client, type ClientOptions } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  CreateTaskResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';

const RELATED = 'io.modelcontextprotocol/related-task';

let servers: Record<'app' | 'json' | 'old' | 'plain', SdkServer>;
let gateway: TestGateway;

beforeAll(async () => {
  const [app, json, old, plain] = await Promise.all([
    startSdkServer({ transport: 'streamable-http', tasks: true }),
    startSdkServer({ transport: 'streamable-http', json: true, tasks: true }),
    startSdkServer({ transport: 'sse', tasks: true }),
    startSdkServer({ transport: 'streamable-http' }),
  ]);
  servers = { app, json, old, plain };
  gateway = await startGateway({
    backends: Object.entries(servers).map(([name, { url }]) =>
      backendPlan(name, url, name === 'old' ? { transport: 'sse' } : {}),
    ),
  });
  await gateway.ready();
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all(Object.values(servers).map(server => server.close()));
});

interface Seen {
  readonly statuses: string[];
  readonly questions: { message: string; related: unknown }[];
}

/** A client that accepts every elicitation, samples as a task if it supports tasks, and records notifications about its tasks. */
async function connect(name = 'ann', options: ClientOptions = {}): Promise<Client & { readonly seen: Seen }> {
  const capabilities = { elicitation: {}, sampling: {}, ...options.capabilities };
  const client = new Client({ name, version: '1' }, { ...options, capabilities });
  const seen: Seen = { statuses: [], questions: [] };
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    seen.questions.push({ message: params.message, related: params._meta?.[RELATED] });
    return { action: 'accept', content: { by: name } };
  });
  client.setRequestHandler(CreateMessageRequestSchema, async (_, extra) => {
    const { taskStore } = extra;
    const task = await taskStore?.createTask({ ttl: 60_000, pollInterval: 20 });
    if (taskStore === undefined || task === undefined) throw new Error('the client was not asked for a task');
    const result = { model: name, role: 'assistant' as const, content: { type: 'text' as const, text: 'Paris' } };
    setImmediate(() => void taskStore.storeTaskResult(task.taskId, 'completed', result));
    return { task };
  });
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
    seen.statuses.push(`${params.taskId} ${params.status}`);
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  onTestFinished(() => client.close());
  // From here on messages that "app" initiates are received.
  await client.subscribeResource({ uri: 'memo://one' });
  return Object.assign(client, { seen });
}

async function begin(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const request = { method: 'tools/call' as const, params: { name, arguments: args } };
  const { task } = await client.request(request, CreateTaskResultSchema, { task: { ttl: 60_000 } });
  return task.taskId;
}

const codeOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'answered',
    error => error.code,
  );

test('the gateway announces the task capabilities of its backends, but not to a client of revision 2025-06-18', async () => {
  const announced = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  expect((await connect()).getServerCapabilities()?.tasks).toEqual(announced);
  const opened = (await new RawClient(gateway.url).open('2025-06-18')) as { result: { capabilities: object } };
  expect(opened.result.capabilities).not.toHaveProperty('tasks');
  const without = await startGateway({ backends: [backendPlan('plain', servers.plain.url)] });
  await without.ready();
  onTestFinished(() => without.stop());
  expect((await without.connect()).getServerCapabilities()).not.toHaveProperty('tasks');
});

describe.each(['app', 'json', 'old'])('tasks at "%s"', backend => {
  test('a client creates a task, polls it, and gets its result', async () => {
    const client = await connect();
    const id = await begin(client, `${backend}_work`, { a: 1 });
    expect(id).toMatch(new RegExp(`^${backend}:.`));
    const { tasks } = client.experimental;
    const result = await tasks.getTaskResult(id, CallToolResultSchema);
    expect(result).toMatchObject({ content: [{ text: '{"a":1}' }], _meta: { [RELATED]: { taskId: id } } });
    expect(await tasks.getTask(id)).toMatchObject({ taskId: id, status: 'completed' });
  });

  test('the task stream of the SDK client begins with the creation of a task and ends with its result', async () => {
    const client = await connect();
    await client.listTools();
    const types: string[] = [];
    const stream = client.experimental.tasks.callToolStream({ name: `${backend}_work`, arguments: { b: 2 } });
    let last: unknown;
    for await (const message of stream) {
      types.push(message.type);
      last = message;
    }
    expect(types[0]).toBe('taskCreated');
    expect(last).toMatchObject({ type: 'result', result: { content: [{ text: '{"b":2}' }] } });
  });

  test('a client cancels a task, and cannot cancel it twice', async () => {
    const client = await connect();
    const id = await begin(client, `${backend}_wait`);
    const { tasks } = client.experimental;
    expect(await tasks.cancelTask(id)).toMatchObject({ taskId: id, status: 'cancelled' });
    expect(await codeOf(tasks.cancelTask(id))).toBe(-32602);
  });
});

describe.each(['app', 'old'])('messages of a task at "%s"', backend => {
  test('a question of a task has the task id that the client knows', async () => {
    const client = await connect();
    const id = await begin(client, `${backend}_ask`, { message: 'Sure?' });
    const result = await client.experimental.tasks.getTaskResult(id, CallToolResultSchema);
    expect(JSON.parse((result.content[0] as { text: string }).text)).toMatchObject({ content: { by: 'ann' } });
    expect(client.seen.questions).toEqual([{ message: 'Sure?', related: { taskId: id } }]);
  });

  test('changes of the status of a task reach the client that created it, and no other client', async () => {
    const [ann, bob] = await Promise.all([connect('ann'), connect('bob')]);
    await begin(bob, `${backend}_wait`);
    await eventually(async () => {
      // Notifications are lost before the gateway's stream at the backend is open.
      const id = await begin(ann, `${backend}_work`);
      await ann.experimental.tasks.getTaskResult(id, CallToolResultSchema);
      return ann.seen.statuses.includes(`${id} completed`);
    });
    expect(bob.seen.statuses).toEqual([]);
  });

  test('the progress of a task reaches the client after the call has been answered', async () => {
    const client = await connect();
    const progress: number[] = [];
    const request = { method: 'tools/call' as const, params: { name: `${backend}_work`, arguments: { steps: 3 } } };
    await eventually(async () => {
      progress.length = 0;
      const { task } = await client.request(request, CreateTaskResultSchema, {
        task: { ttl: 60_000 },
        onprogress: step => progress.push(step.progress),
      });
      await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
      return progress.length > 0;
    });
    expect(progress).toEqual([1, 2, 3]);
  });

  test('a backend can ask the client to sample as a task, and does not see other tasks of the client', async () => {
    const client = await connect('ann', {
      capabilities: { tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } } },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    });
    const { content } = (await client.callTool({ name: `${backend}_delegate` })) as { content: { text: string }[] };
    const told = JSON.parse(content[0]?.text ?? '');
    expect(told).toMatchObject({
      result: { model: 'ann', content: { text: 'Paris' }, _meta: { [RELATED]: { taskId: told.taskId } } },
      list: -32601,
      foreign: -32602,
    });
  });
});

test('a client can neither read nor cancel the task of another client', async () => {
  const [ann, bob] = await Promise.all([connect('ann'), connect('bob')]);
  const id = await begin(ann, 'app_work');
  await begin(bob, 'app_work');
  const { tasks } = bob.experimental;
  const asked = [tasks.getTask(id), tasks.getTaskResult(id, CallToolResultSchema), tasks.cancelTask(id)];
  expect(await Promise.all(asked.map(codeOf))).toEqual([-32602, -32602, -32602]);
  expect((await tasks.listTasks()).tasks.map(task => task.taskId)).not.toContain(id);
});

test('a client can list its tasks of all backends, page by page', async () => {
  const client = await connect();
  const ids: string[] = [];
  for (const backend of ['app', 'old', 'json']) {
    for (let n = 0; n < 12; n++) ids.push(await begin(client, `${backend}_work`, { n }));
  }
  await begin(await connect('bob'), 'app_work');
  const listed: string[] = [];
  let pages = 0;
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await client.experimental.tasks.listTasks(cursor);
    listed.push(...page.tasks.map(task => task.taskId));
    cursor = page.nextCursor;
    pages++;
  }
  expect(listed.toSorted()).toEqual(ids.toSorted());
  expect(pages).toBe(6);
});

test.each([
  ['tasks/get', {}, -32602, 'params.taskId is required and must be a string'],
  ['tasks/result', { taskId: 'app:made up' }, -32602, 'unknown task'],
  ['tasks/cancel', { taskId: 7 }, -32602, 'params.taskId is required and must be a string'],
  ['tasks/list', { cursor: 'made up' }, -32602, 'unknown cursor: pass the nextCursor of the previous page unchanged'],
  ['tasks/start', {}, -32601, 'method "tasks/start" is not supported'],
])('the gateway refuses %s %j with %i', async (method, params, code, message) => {
  const raw = new RawClient(gateway.url);
  await raw.open();
  expect(JSON.parse((await raw.request(method, params)).text)).toMatchObject({ error: { code, message } });
});

test('an argument named "task" creates no task', async () => {
  const client = await connect();
  const { content } = (await client.callTool({ name: 'app_echo', arguments: { task: { taskId: 'x' } } })) as {
    content: { text: string }[];
  };
  expect(content[0]?.text).toBe('{"task":{"taskId":"x"}}');
});
