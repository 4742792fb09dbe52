/** JSON allows many spellings of one text: decisions about a backend's notification do not depend on the spelling. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, IDENTITY, openEvents, type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { ask, META, REVISION } from '../stateless-edge/requests.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

const escaped = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;

const SPELLINGS: readonly [name: string, spell: (text: string) => string][] = [
  ['without escapes', text => text],
  ['with \\/, as PHP has it', text => text.replaceAll('/', '\\/')],
  ['with one letter escaped', text => text.slice(0, -1) + escaped(text.at(-1) as string)],
  ['with the first letter escaped', text => escaped(text[0] as string) + text.slice(1)],
  ['with all escaped', text => [...text].map(escaped).join('')],
  ['with all escaped in capitals', text => [...text].map(c => escaped(c).toUpperCase().replace('U', 'u')).join('')],
];

/** A notification as JSON text, with one spelling of the method and the member names. */
function notification(spell: (text: string) => string, method: string, params = '{}'): string {
  return `{"jsonrpc":"2.0","${spell('method')}":"${spell(method)}","${spell('params')}":${params}}`;
}

/** Sends `before` on the stream of each call. */
async function backend(isStateless: boolean, before: readonly string[]) {
  const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
  const tools = [{ name: 'tool', inputSchema: { type: 'object' } }];
  const resources = ['x://a', 'x://secret'].map(uri => ({ uri, name: uri }));
  const streams: ServerResponse[] = [];
  const server: RawServer = await startRawServer((request, response) => {
    const { id, method } = request.message ?? {};
    if (request.method === 'GET' && !isStateless) {
      openEvents(response);
      streams.push(response);
      return;
    }
    if (request.method !== 'POST') return void response.writeHead(request.method === 'GET' ? 405 : 204).end();
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, object | undefined> = {
      'tools/call': { content: [] },
      'tools/list': { tools },
      'resources/list': { resources },
      'resources/templates/list': { resourceTemplates: [] },
      ...(isStateless
        ? { 'server/discover': { ...IDENTITY, supportedVersions: [REVISION], capabilities } }
        : {
            initialize: { ...IDENTITY, capabilities },
            'logging/setLevel': {},
            'resources/subscribe': {},
            'resources/unsubscribe': {},
          }),
    };
    const result = results[method];
    const stateless = isStateless ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
    const outcome =
      result === undefined ? { error: { code: -32601, message: 'no' } } : { result: { ...stateless, ...result } };
    const text = JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
    if (method !== 'tools/call') return sendJson(response, text, isStateless ? {} : { 'mcp-session-id': 's' });
    openEvents(response);
    for (const json of before) response.write(eventText(json));
    response.end(eventText(text));
  });
  open.push(server);
  return { server, streams, plan: backendPlan('a', `${server.origin}/mcp`) };
}

const ONLY_A = cedarPlan([
  'permit(principal, action == Action::"call_tool", resource);',
  'permit(principal, action == Action::"read_resource", resource) when { resource.uri == "x://a" };',
]);

async function serve(isStateless: boolean, before: readonly string[]) {
  const peer = await backend(isStateless, before);
  const gateway = await startGateway({ backends: [peer.plan], authorization: ONLY_A });
  open.push({ close: () => gateway.stop() });
  await gateway.ready();
  return { ...peer, gateway };
}

const PROGRESS = notification(text => text, 'notifications/progress', '{"progressToken":"p","progress":1}');

describe.each(SPELLINGS)('a method that is written %s', (_, spell) => {
  const log = notification(spell, 'notifications/message', '{"level":"info","data":"LOG"}');
  const update = notification(
    spell,
    'notifications/resources/updated',
    `{"${spell('uri')}":"${spell('x://secret')}","SECRET":1}`,
  );
  const changed = notification(spell, 'notifications/tools/list_changed', '{"CHANGED":1}');
  const completed = notification(spell, 'notifications/elicitation/complete', '{"elicitationId":"COMPLETED"}');
  const cancelled = notification(spell, 'notifications/cancelled', '{"requestId":"CANCELLED"}');

  test('a stateless client gets the notifications of its call, however a backend with sessions spells their methods', async () => {
    const { gateway } = await serve(false, [log, update, changed, completed, cancelled, PROGRESS]);
    const call = { method: 'tools/call', params: { name: 'a_tool', arguments: {} } };
    const { text } = await ask(gateway.url, call);
    expect(text).toContain(PROGRESS);
    expect(text).not.toMatch(/LOG|SECRET|CHANGED|COMPLETED|CANCELLED/);
    const curious = { ...META, 'io.modelcontextprotocol/logLevel': 'info' };
    expect((await ask(gateway.url, { ...call, meta: curious })).text).toContain(log);
    const calm = { ...META, 'io.modelcontextprotocol/logLevel': 'error' };
    expect((await ask(gateway.url, { ...call, meta: calm })).text).not.toContain('LOG');
  });

  test('a stateless client gets no update of a resource that it may not read, however a backend spells the method', async () => {
    const { gateway, server } = await serve(true, [update, changed, PROGRESS]);
    const lists = () => server.requests.filter(({ message }) => message?.method === 'tools/list').length;
    const before = lists();
    const { text } = await ask(gateway.url, { method: 'tools/call', params: { name: 'a_tool', arguments: {} } });
    expect(text).toContain(PROGRESS);
    expect(text).not.toMatch(/SECRET|CHANGED/);
    await eventually(() => lists() > before);
  });

  test('a client in a session gets only permitted resource updates and the list changes of the gateway, however a backend spells the methods', async () => {
    const { gateway, streams, server } = await serve(false, [update, changed, PROGRESS]);
    const raw = new RawClient(gateway.url);
    await raw.open();
    const own = streams.length;
    const headers = { accept: 'text/event-stream', 'mcp-session-id': raw.sessionId ?? '' };
    const response = await fetch(gateway.url, { headers });
    await raw.result('resources/subscribe', { uri: 'x://a' });
    const heard: string[] = [];
    for await (const text of raw.stream('tools/call', { name: 'a_tool', arguments: {} })) heard.push(text);
    expect(heard[0]).toBe(PROGRESS);
    expect(heard).toHaveLength(2);
    await eventually(() => streams.length > own);
    const lists = () => server.requests.filter(({ message }) => message?.method === 'tools/list').length;
    const before = lists();
    const allowed = notification(spell, 'notifications/resources/updated', `{"${spell('uri')}":"${spell('x://a')}"}`);
    for (const json of [update, changed, allowed]) streams.at(-1)?.write(eventText(json));
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.includes(allowed)) break;
    }
    expect(text).not.toMatch(/SECRET|CHANGED/);
    await eventually(() => lists() > before);
  });
});

test.each([
  [
    'the URI',
    '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://a","uri":"x://secret"}}',
  ],
  [
    'the URI, in two spellings',
    '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://a","\\u0075ri":"x://secret"}}',
  ],
  [
    'the URI, in two cases',
    '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://a","URI":"x://secret"}}',
  ],
  [
    'the method',
    '{"jsonrpc":"2.0","method":"notifications/x","method":"notifications/resources/updated","params":{"uri":"x://secret"}}',
  ],
  [
    'the params',
    '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://a"},"params":{"uri":"x://secret"}}',
  ],
])('no client gets a notification with a duplicate member: %s', async (_, json) => {
  const { gateway } = await serve(false, [json, PROGRESS]);
  const raw = new RawClient(gateway.url);
  await raw.open();
  const heard: string[] = [];
  for await (const text of raw.stream('tools/call', { name: 'a_tool', arguments: {} })) heard.push(text);
  expect(heard).toEqual([PROGRESS, expect.stringContaining('"result"')]);
  const stateless = await ask(gateway.url, { method: 'tools/call', params: { name: 'a_tool', arguments: {} } });
  expect(stateless.text).not.toContain('secret');
});
