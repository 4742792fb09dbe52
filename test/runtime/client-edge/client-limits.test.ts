/** What clients send and the gateway stores is limited: at the limit it is accepted, one character above it is refused. */
import { expect, test, vi } from 'vitest';
import {
  MAX_ID_LENGTH,
  MAX_TRAITS_LENGTH,
  MAX_WATCHED_URI_LENGTH,
  MAX_WATCHED_URIS_LENGTH,
} from '../../../runtime/mcp/client-limits.ts';
import { StoredTraits } from '../../../runtime/mcp/client-traits.ts';
import { ask, META } from '../stateless-edge/requests.ts';
import { call, initialize, initializeText, open, post, type Reply, startGateway } from './fake-gateway.ts';
import { fakeStatelessCore } from './fake-stateless.ts';

/** An object whose JSON text has this length. */
const ofLength = (length: number) => ({ x: 'x'.repeat(length - '{"x":""}'.length) });

/** HTTP status, and the code and id of a response. */
function seen({ status, text }: Reply): unknown[] {
  const { id, error } = JSON.parse(text);
  return [status, error?.code, id];
}

/** `initialize` with params of this length. */
function opening(length: number): string {
  const { params } = JSON.parse(initializeText());
  return initializeText({ clientInfo: ofLength(length - JSON.stringify({ ...params, clientInfo: 0 }).length + 1) });
}

test('the gateway refuses params of initialize above their size limit', async () => {
  const { url, sessions } = await startGateway();
  expect(JSON.stringify(JSON.parse(opening(MAX_TRAITS_LENGTH)).params).length).toBe(MAX_TRAITS_LENGTH);
  expect(seen(await post(url, opening(MAX_TRAITS_LENGTH)))).toEqual([200, undefined, 'init']);
  expect(seen(await post(url, opening(MAX_TRAITS_LENGTH + 1)))).toEqual([400, -32602, 'init']);
  expect(sessions.length).toBe(1);
});

test('the gateway refuses params of initialize above their size limit over HTTP+SSE', async () => {
  const { url, sessions } = await startGateway();
  const stream = await open(url.replace('/mcp', '/sse'), 'GET', { Accept: 'text/event-stream' });
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await vi.waitFor(() => expect(text).toContain('\n\n'));
  const messages = new URL(/data: (\S+)/.exec(text)?.[1] ?? '', url).href;
  await post(messages, opening(MAX_TRAITS_LENGTH + 1));
  await vi.waitFor(() => expect(text).toContain('"id":"init","error":{"code":-32602'));
  expect(sessions).toEqual([]);
  await post(messages, opening(MAX_TRAITS_LENGTH));
  await vi.waitFor(() => expect(text).toContain('"id":"init","result"'));
  stream.destroy();
});

test.each(['clientCapabilities', 'clientInfo'])(
  'the gateway refuses a stateless request whose %s exceeds the size limit',
  async name => {
    const { url } = await startGateway();
    const meta = (length: number) => ({ ...META, [`io.modelcontextprotocol/${name}`]: ofLength(length) });
    const request = { method: 'tools/list', id: 'l' };
    expect(seen(await ask(url, { ...request, meta: meta(MAX_TRAITS_LENGTH) }))).toEqual([200, undefined, 'l']);
    expect(seen(await ask(url, { ...request, meta: meta(MAX_TRAITS_LENGTH + 1) }))).toEqual([400, -32602, 'l']);
  },
);

test('a member of _meta other than client info and capabilities may be as long as the message allows', async () => {
  const { url } = await startGateway();
  const meta = { ...META, 'example.com/own': 'x'.repeat(4 * MAX_TRAITS_LENGTH) };
  expect(seen(await ask(url, { method: 'tools/list', id: 'm', meta }))).toEqual([200, undefined, 'm']);
});

test.each([
  ['a string', (length: number) => 'x'.repeat(length - 2)],
  ['a string of escaped characters', (length: number) => '"'.repeat((length - 2) / 2) + 'x'.repeat(length % 2)],
])('the gateway refuses a request whose id is %s and exceeds the length limit', async (_, idOf) => {
  const { url, heard } = await startGateway();
  const session = await initialize(url);
  const [longest, longer] = [idOf(MAX_ID_LENGTH), idOf(MAX_ID_LENGTH + 1)];
  expect(JSON.stringify(longest).length).toBe(MAX_ID_LENGTH);
  expect(JSON.stringify(longer).length).toBe(MAX_ID_LENGTH + 1);
  expect(seen(await call(url, session, 'ping', JSON.stringify(longest)))).toEqual([200, undefined, longest]);
  expect(seen(await call(url, session, 'ping', JSON.stringify(longer)))).toEqual([400, -32600, longer]);
  expect(seen(await ask(url, { method: 'tools/list', id: longest }))).toEqual([200, undefined, longest]);
  expect(seen(await ask(url, { method: 'tools/list', id: longer }))).toEqual([400, -32600, longer]);
  expect(heard).toEqual([]);
});

test('the gateway refuses a request id above the length limit that is a number, alone and in a batch', async () => {
  const { url } = await startGateway();
  const session = await initialize(url, '2025-03-26');
  const digits = '1'.repeat(MAX_ID_LENGTH + 1);
  const ping = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
  const { status, text } = await post(url, ping(digits), { 'Mcp-Session-Id': session });
  expect([status, text]).toEqual([400, expect.stringContaining(`"id":${digits},"error":{"code":-32600`)]);
  const batch = await post(url, `[${ping('1')},${ping(digits)}]`, { 'Mcp-Session-Id': session });
  expect(batch.text).toContain('"id":1,"result":{}');
  expect(batch.text).toContain(`"id":${digits},"error":{"code":-32600`);
});

test.each([
  ['one URI', [MAX_WATCHED_URI_LENGTH], [MAX_WATCHED_URI_LENGTH + 1]],
  ['all URIs together', Array(32).fill(MAX_WATCHED_URI_LENGTH), [...Array(32).fill(MAX_WATCHED_URI_LENGTH), 3]],
])('the gateway refuses subscriptions/listen when the length limit of %s is exceeded', async (_, longest, longer) => {
  const stateless = fakeStatelessCore();
  const { url, endpoint } = await startGateway({}, { stateless });
  expect(32 * MAX_WATCHED_URI_LENGTH).toBe(MAX_WATCHED_URIS_LENGTH);
  const listen = (lengths: readonly number[]) => {
    const resourceSubscriptions = lengths.map((length, index) => `${index}:`.padEnd(length, 'x'));
    return ask(url, { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions } }, id: 's' });
  };
  expect(seen(await listen(longer))).toEqual([400, -32602, 's']);
  expect(stateless.subscriptions).toEqual([]);
  const listening = listen(longest);
  await vi.waitFor(() => expect(stateless.subscriptions.length).toBe(1));
  endpoint.endStreams();
  expect(await listening).toMatchObject({ status: 200, text: expect.stringContaining('acknowledged') });
});

test('the gateway stores the capabilities of a client as JSON text, and parses the text on each use', () => {
  const traits = { capabilities: { roots: {}, extensions: { a: [1, null] } }, clientInfo: { name: 'n', version: '1' } };
  const kept = new StoredTraits(traits);
  expect({ capabilities: kept.capabilities, clientInfo: kept.clientInfo }).toEqual(traits);
  expect(kept.capabilities).not.toBe(kept.capabilities);
  expect(new StoredTraits({ capabilities: {} }).clientInfo).toBeUndefined();
});
