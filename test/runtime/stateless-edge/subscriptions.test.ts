import type { IncomingMessage } from 'node:http';
import { expect, test, vi } from 'vitest';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import { open, readUntil, send, startGateway } from '../client-edge/fake-gateway.ts';
import { fakeStatelessCore, type StatelessOptions } from '../client-edge/fake-stateless.ts';
import { ask, findHeaders, formatRequest } from './requests.ts';

const METHOD = 'subscriptions/listen';
const TOOLS_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
const STAMP = 'io.modelcontextprotocol/subscriptionId';

const ALL = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['file:///a', 'file:///b', 'file:///a'],
};

async function start(options: StatelessOptions = {}, more: Parameters<typeof startGateway>[1] = {}) {
  const stateless = fakeStatelessCore(options);
  return { ...(await startGateway({}, { stateless, ...more })), stateless };
}

function listen(url: string, notifications: unknown, id: unknown = 1): Promise<IncomingMessage> {
  const request = { method: METHOD, params: { notifications }, id };
  const headers = { 'Content-Type': 'application/json', ...findHeaders(request) };
  return open(url, 'POST', headers, formatRequest(request));
}

/** The messages in the text of a stream. */
function messagesOf(text: string): unknown[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json as string));
}

async function readToEnd(res: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of res.setEncoding('utf8')) text += chunk;
  return text;
}

test('a subscription stream has first the acknowledgement, and then only the requested notifications with its id', async () => {
  const { url, stateless, endpoint } = await start();
  const res = await listen(
    url,
    { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['a:b'] },
    'L1',
  );
  expect(res).toMatchObject({ statusCode: 200, headers: { 'content-type': 'text/event-stream' } });
  const [subscription] = stateless.subscriptions;
  for (const json of [
    TOOLS_CHANGED,
    '{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}',
    '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}',
    '{"jsonrpc":"2.0","method":"notifications/message","params":{}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    'no message at all',
    '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}',
  ]) {
    subscription?.sink.message(json);
  }
  const reading = readToEnd(res);
  endpoint.endStreams();
  const _meta = { [STAMP]: 'L1' };
  expect(messagesOf(await reading)).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta, notifications: { toolsListChanged: true, resourceSubscriptions: ['a:b'] } },
    },
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } },
    { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { _meta, uri: 'a:b' } },
    {
      jsonrpc: '2.0',
      id: 'L1',
      result: {
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fake', version: '1' }, ..._meta },
      },
    },
  ]);
});

test.each([
  ['no params', TOOLS_CHANGED, `{"params":{"_meta":{"${STAMP}":7}},"jsonrpc":"2.0",`],
  ['empty params', TOOLS_CHANGED.replace('}', ',"params":{ }}'), `"params":{"_meta":{"${STAMP}":7} }`],
  [
    'params',
    TOOLS_CHANGED.replace('}', ',"params":{"n":12345678901234567890}}'),
    `{"_meta":{"${STAMP}":7},"n":12345678901234567890}`,
  ],
  ['empty _meta', TOOLS_CHANGED.replace('}', ',"params":{"_meta":{}}}'), `"_meta":{"${STAMP}":7}}`],
  ['_meta', TOOLS_CHANGED.replace('}', ',"params":{"_meta":{"a":1}}}'), `"_meta":{"${STAMP}":7,"a":1}}`],
  ['_meta of another type', TOOLS_CHANGED.replace('}', ',"params":{"_meta":null}}'), `"_meta":{"${STAMP}":7}}`],
  [
    'a subscription id of the backend',
    TOOLS_CHANGED.replace('}', `,"params":{"_meta":{"${STAMP}":"x","a":1}}}`),
    `"_meta":{"${STAMP}":7,"a":1}}`,
  ],
])(
  'on a subscription stream, the gateway adds the subscription id to a notification with %s and changes no other text',
  async (_, json, part) => {
    const { url, stateless } = await start();
    const res = await listen(url, { toolsListChanged: true }, 7);
    stateless.subscriptions[0]?.sink.message(json);
    const text = await readUntil(res, 'list_changed');
    expect(text).toContain(part);
    expect(messagesOf(text)).toHaveLength(2);
    res.destroy();
  },
);

test('the gateway sends the acknowledgement of a subscription before an earlier notification, and counts repeated URIs once', async () => {
  const { url, stateless } = await start({ onSubscribe: ({ sink }) => sink.message(TOOLS_CHANGED) });
  const res = await listen(url, { ...ALL, unknown: 1 });
  const text = await readUntil(res, 'tools/list_changed');
  expect(messagesOf(text)).toMatchObject([
    { method: 'notifications/subscriptions/acknowledged' },
    { method: 'notifications/tools/list_changed' },
  ]);
  expect(stateless.subscriptions[0]?.filter).toEqual({ ...ALL, resourceSubscriptions: ['file:///a', 'file:///b'] });
  res.destroy();
});

test('a subscription with false and an empty list requests no notifications', async () => {
  const { url, stateless } = await start();
  const res = await listen(url, { toolsListChanged: false, resourceSubscriptions: [] });
  await readUntil(res, 'acknowledged');
  expect(stateless.subscriptions[0]?.filter).toEqual({});
  res.destroy();
});

test.each<[string, unknown]>([
  ['no filter', undefined],
  ['a filter that is a list', []],
  ['a string in place of a boolean', { toolsListChanged: 'yes' }],
  ['a string in place of a list', { resourceSubscriptions: 'file:///a' }],
  ['a number in place of a URI', { resourceSubscriptions: [1] }],
  ['too many URIs', { resourceSubscriptions: Array.from({ length: 1001 }, (_, i) => `a:${i}`) }],
])('the gateway refuses a subscription with %s', async (_, notifications) => {
  const { url, stateless } = await start();
  const { status, text } = await ask(url, { method: METHOD, params: { notifications }, id: 'f' });
  const { id, error } = JSON.parse(text);
  expect({ status, id, code: error.code }).toEqual({ status: 400, id: 'f', code: -32602 });
  expect(stateless.subscriptions).toEqual([]);
});

test('the gateway refuses a subscription of a client that does not accept event streams', async () => {
  const { url } = await start();
  const request = { method: METHOD, params: { notifications: {} } };
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json', ...findHeaders(request) };
  const { status, text } = await send(url, 'POST', headers, formatRequest(request));
  expect({ status, message: JSON.parse(text) }).toMatchObject({
    status: 406,
    message: { id: 1, error: { code: -32600 } },
  });
});

test.each([
  ['an MCP error', new WireError(-32601, 'no subscriptions'), 404, -32601, 'no subscriptions'],
  ['an internal error', new Error('secret detail'), 200, -32603, 'internal error'],
])('a subscription that fails with %s gets an answer in JSON', async (_, thrown, status, code, message) => {
  const { url, endpoint } = await start({ onSubscribe: () => Promise.reject(thrown) });
  const reply = await ask(url, { method: METHOD, params: { notifications: {} }, id: 'c' });
  expect(reply.status).toBe(status);
  expect(JSON.parse(reply.text)).toMatchObject({ id: 'c', error: { code, message } });
  expect(endpoint.subscriptionCount).toBe(0);
});

test('the gateway refuses a subscription stream beyond the limit of an address until another stream of this address ends', async () => {
  const { url, endpoint } = await start({}, { maxListenStreams: 3, maxListenStreamsPerAddress: 2 });
  const streams = [await listen(url, {}), await listen(url, {})];
  const refused = await ask(url, { method: METHOD, params: { notifications: {} }, id: 's' });
  expect({ status: refused.status, retry: refused.headers['retry-after'] }).toEqual({ status: 503, retry: '30' });
  expect(JSON.parse(refused.text)).toMatchObject({ id: 's', error: { code: -32603 } });
  streams[0]?.destroy();
  await vi.waitFor(() => expect(endpoint.subscriptionCount).toBe(1));
  const next = await listen(url, {});
  expect(next.statusCode).toBe(200);
  for (const stream of [...streams, next]) stream.destroy();
});

test('a client that disconnects before or after the acknowledgement ends its subscription', async () => {
  const begun = Promise.withResolvers<void>();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const { url, stateless, endpoint } = await start({
    onSubscribe: ({ filter }) => {
      if (filter.toolsListChanged !== true) return;
      begun.resolve();
      return held;
    },
  });
  const controller = new AbortController();
  const request = { method: METHOD, params: { notifications: { toolsListChanged: true } } };
  const headers = { 'Content-Type': 'application/json', ...findHeaders(request) } as Record<string, string>;
  delete headers['Mcp-Name'];
  const early = fetch(url, { method: 'POST', headers, body: formatRequest(request), signal: controller.signal }).catch(
    () => {},
  );
  await begun.promise;
  controller.abort();
  await early;
  await vi.waitFor(() => expect(endpoint.subscriptionCount).toBe(0));
  letGo();
  await vi.waitFor(() => expect(stateless.subscriptions[0]?.isClosed).toBe(true));
  const res = await listen(url, {});
  await readUntil(res, 'acknowledged');
  res.destroy();
  await vi.waitFor(() => expect(stateless.subscriptions[1]?.isClosed).toBe(true));
});

test('a draining gateway ends open and opening subscription streams, and refuses new streams', async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const { url, endpoint, stateless } = await start({
    onSubscribe: ({ filter }) => (filter.toolsListChanged ? held : undefined),
  });
  const slow = listen(url, { toolsListChanged: true }, 'slow');
  await vi.waitFor(() => expect(stateless.subscriptions).toHaveLength(1));
  endpoint.endStreams();
  expect((await ask(url, { method: METHOD, params: { notifications: {} } })).status).toBe(503);
  letGo();
  expect(messagesOf(await readToEnd(await slow))).toMatchObject([
    { method: 'notifications/subscriptions/acknowledged' },
    { id: 'slow', result: { resultType: 'complete' } },
  ]);
  await vi.waitFor(() => expect(stateless.subscriptions[0]?.isClosed).toBe(true));
});

test('the gateway sends comments on a silent subscription stream to keep it open', async () => {
  const { url } = await start({}, { heartbeatMs: 10 });
  const res = await listen(url, {});
  expect(await readUntil(res, ': ping\n\n: ping\n\n')).toMatch(/^event: message\ndata: .*\n\n(: ping\n\n)+$/);
  res.destroy();
});
