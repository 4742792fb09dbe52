/** Messages between a client and a stdio server, both from the official SDK, in both directions. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/process.ts';
import { call, connect, PEER, PLAIN, plan, type RunningBridge, startBridge } from './running-bridge.ts';

let bridge: RunningBridge;

beforeAll(async () => {
  bridge = await startBridge(
    {
      peer: plan(PEER, {
        args: [PEER, '--key=$(KEY)', '$$(KEY)', '$(UNKNOWN)'],
        env: [
          { name: 'PLAIN', value: { type: 'text', text: 'plain' } },
          { name: 'KEY', value: { type: 'secret', from: { env: 'LINTEL_KEY', file: null } } },
        ],
        inheritEnv: ['NAMED'],
      }),
      plain: plan(PLAIN),
    },
    { env: { LINTEL_KEY: 's3cret-value', NAMED: 'named', LINTEL_OTHER: 'other-s3cret', STRANGE: 'strange' } },
  );
});

afterAll(() => bridge[Symbol.asyncDispose]());

function capable(): Client {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { ok: true } }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'Hello' },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///home' }] }));
  return client;
}

test('a client lists and calls the tools of a stdio server through the bridge', async () => {
  await using peer = await connect(bridge.urlOf('peer'));
  const { tools } = await peer.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('echo');
  expect(await call(peer.client, 'echo', { text: 'two\nlines ü' })).toBe('two\nlines ü');
  expect(peer.client.getServerVersion()).toMatchObject({ name: 'peer' });
});

test.each([
  ['elicit', { action: 'accept', content: { ok: true } }],
  ['sample', { model: 'm', role: 'assistant', content: { type: 'text', text: 'Hello' } }],
  ['roots', { roots: [{ uri: 'file:///home' }] }],
])(
  "a stdio server that sends the client a request during a call gets the client's answer: %s",
  async (tool, answer) => {
    await using peer = await connect(bridge.urlOf('peer'), capable());
    expect(JSON.parse(await call(peer.client, tool))).toEqual(answer);
  },
);

test("a stdio server that elicits in five calls at the same time gets the client's answer in each call", async () => {
  await using peer = await connect(bridge.urlOf('peer'), capable());
  const answers = await Promise.all(Array.from({ length: 5 }, () => call(peer.client, 'elicit')));
  expect(answers.map(answer => JSON.parse(answer).action)).toEqual(Array(5).fill('accept'));
});

test('the client gets the progress, logs and list changes of a stdio server', async () => {
  const client = capable();
  const logs: unknown[] = [];
  let changes = 0;
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params.data));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes += 1;
  });
  await using peer = await connect(bridge.urlOf('peer'), client);
  const steps: number[] = [];
  await peer.client.callTool({ name: 'progress', arguments: { steps: 3 } }, undefined, {
    onprogress: ({ progress }) => void steps.push(progress),
  });
  expect(steps).toEqual([1, 2, 3]);
  await call(peer.client, 'log');
  expect(logs).toEqual(['a log of the call']);
  await call(peer.client, 'grow');
  await eventually(() => changes === 1);
});

test('the stdio server gets the cancellation of a call that the client cancels', async () => {
  await using peer = await connect(bridge.urlOf('peer'));
  const cancel = new AbortController();
  const waiting = peer.client.callTool({ name: 'wait', arguments: {} }, undefined, { signal: cancel.signal });
  const outcome = expect(waiting).rejects.toThrow();
  await call(peer.client, 'count');
  cancel.abort();
  await outcome;
  await eventually(async () => (await call(peer.client, 'cancelled')) === '1');
});

test('each session has its own process of the stdio server', async () => {
  await using one = await connect(bridge.urlOf('peer'));
  await using other = await connect(bridge.urlOf('peer'));
  expect(await call(one.client, 'count')).toBe('1');
  expect(await call(one.client, 'count')).toBe('2');
  expect(await call(other.client, 'count')).toBe('1');
});

test('a stdio server gets only the configured environment variables, with secrets filled in, and expanded arguments', async () => {
  await using peer = await connect(bridge.urlOf('peer'));
  const environment = JSON.parse(await call(peer.client, 'environment'));
  expect(environment).toMatchObject({ PLAIN: 'plain', KEY: 's3cret-value', NAMED: 'named' });
  expect(Object.keys(environment).sort()).toEqual(
    ['HOME', 'KEY', 'LINTEL_BRIDGE_PROCESS', 'NAMED', 'PATH', 'PLAIN', ...('PWD' in environment ? ['PWD'] : [])].sort(),
  );
  expect(JSON.parse(await call(peer.client, 'arguments'))).toEqual(['--key=s3cret-value', '$(KEY)', '$(UNKNOWN)']);
});

test('the bridge drops an output line of a stdio server that is no MCP message, and logs the line without secrets', async () => {
  await using peer = await connect(bridge.urlOf('peer'));
  expect(await call(peer.client, 'complain', { words: 'the key is s3cret-value, so' })).toBe('complained');
  await bridge.program.stderr.next(/"stderr":"the key is \[KEY\], so"/);
  expect(bridge.program.stderr.text).toContain('"stdout":"no message: the key is [KEY], so"');
  expect(bridge.program.stderr.text).not.toContain('s3cret-value');
});

test('if a stdio server answers a call with too many bytes, only this call fails', async () => {
  await using peer = await connect(bridge.urlOf('peer'));
  await expect(call(peer.client, 'answer-of', { bytes: 33 * 2 ** 20 })).rejects.toThrow(/too large/);
  expect((await call(peer.client, 'answer-of', { bytes: 2 ** 20 })).length).toBe(2 ** 20);
});

test('the bridge forwards all members of a message unchanged', async () => {
  const { url } = bridge;
  const post = (body: string, session?: string) =>
    fetch(`${url}/default/plain/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'lintel-bridge-token': 'tok-of-the-bridge',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body,
    });
  const opened = await post(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
  );
  const session = opened.headers.get('mcp-session-id') ?? '';
  const answer = await post(
    '{\n  "jsonrpc": "2.0",\r\n "id": "a", "method": "tools/call",\n "params": {"name": "x", "arguments": {"number":12345678901234567890}}}',
    session,
  );
  expect(await answer.text()).toBe(
    '{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"none"}],"_number":12345678901234567890}}',
  );
});
