/**
 * A stateless backend that answers a client in a session with `input_required`, although the client, like most, has announced no capability for
 * it. A retry needs no answer from the client, and an elicitation gets none.
 */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, openEvents, sendJson, startRawServer } from '../../support/raw-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

type Framing = 'json' | 'chunked json' | 'events' | 'a long event';

/** Large enough that an event need not be buffered. */
const LONG = 300 * 1024;

function send(response: ServerResponse, json: string, framing: Framing): void {
  if (framing === 'json') sendJson(response, json);
  else if (framing === 'chunked json') {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (const character of json) response.write(character);
    response.end();
  } else {
    openEvents(response);
    response.end(eventText(json));
  }
}

/** A stateless server's results for discovery, by method. */
const RESULTS: { readonly [method: string]: object } = {
  'server/discover': {
    ttlMs: 1_000,
    cacheScope: 'private',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {}, prompts: {}, resources: {} },
    serverInfo: { name: 'raw', version: '1' },
  },
  'tools/list': { ttlMs: 0, cacheScope: 'private', tools: [{ name: 't', inputSchema: { type: 'object' } }] },
  'prompts/list': { ttlMs: 0, cacheScope: 'private', prompts: [{ name: 'p' }] },
  'resources/list': { ttlMs: 0, cacheScope: 'private', resources: [{ uri: 'x://r', name: 'r' }] },
  'resources/templates/list': { ttlMs: 0, cacheScope: 'private', resourceTemplates: [] },
};

/** A backend that first answers with `question`, and then with `answer`, whatever may need input; both JSON text. */
async function serve(question: string, answer: string, framing: Framing) {
  const attempts: { params: { requestState?: string } }[] = [];
  const server = await startRawServer(({ method, message }, response) => {
    if (method !== 'POST') return void response.writeHead(405).end();
    const known = RESULTS[message.method];
    const say = (result: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`;
    if (known !== undefined) sendJson(response, say(JSON.stringify({ resultType: 'complete', ...known })));
    else if (message.method === 'subscriptions/listen' || message.method === 'initialize')
      response.writeHead(404).end();
    else {
      attempts.push(message);
      send(response, say(attempts.length === 1 ? question : answer), framing);
    }
  });
  open.push(server);
  const gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  open.push({ close: () => gateway.stop() });
  await gateway.ready();
  return { gateway, attempts };
}

async function session(url: string, capabilities: object): Promise<RawClient> {
  const client = new RawClient(url);
  await client.open('2025-11-25', capabilities);
  return client;
}

const REQUESTS = [
  ['tools/call', { name: 'a_t', arguments: {} }, '{"content":[],"resultType":"complete"}'],
  ['prompts/get', { name: 'a_p' }, '{"messages":[],"resultType":"complete"}'],
  ['resources/read', { uri: 'x://r' }, '{"contents":[],"resultType":"complete"}'],
] as const;

const FRAMINGS: readonly Framing[] = ['json', 'chunked json', 'events', 'a long event'];

describe.each(FRAMINGS)('a backend that answers with %s', framing => {
  const padding = framing === 'a long event' ? 'x'.repeat(LONG) : '';

  test.each(REQUESTS)(
    'the gateway sends %s of a client in a session again when a stateless backend asks for a later attempt',
    async (method, params, answer) => {
      const question = `{"_meta":{"pad":"${padding}"},"requestState":"later","resultType":"input_required"}`;
      const { gateway, attempts } = await serve(question, answer, framing);
      const client = await session(gateway.url, {});
      expect(await client.result(method, params)).toEqual(JSON.parse(answer));
      expect(attempts.map(attempt => attempt.params.requestState)).toEqual([undefined, 'later']);
    },
  );

  test.each([
    ['no capability', {}],
    ['another capability', { roots: {} }],
  ])(
    'a call fails when its backend asks for an elicitation of a client that has announced %s',
    async (_, capabilities) => {
      const asked = `{"q":{"method":"elicitation/create","params":{"message":"who?${padding}"}}}`;
      const question = `{"resultType":"input_required","inputRequests":${asked},"requestState":"s"}`;
      const { gateway, attempts } = await serve(question, '{"content":[]}', framing);
      const client = await session(gateway.url, capabilities);
      const { text } = await client.request('tools/call', { name: 'a_t', arguments: {} });
      expect(JSON.parse(text).error).toEqual({
        code: -32603,
        message: 'backend "a": asks for input that the client of the call cannot give',
        data: { backend: 'a', reason: 'protocol_error' },
      });
      expect(attempts).toHaveLength(1);
    },
  );

  test('the gateway forwards a final answer unchanged that only mentions input_required', async () => {
    const answer = `{"content":[{"type":"text","text":"input_required${padding}"}],"x":1.0,"_meta":{"resultType":"input_required"}}`;
    const { gateway, attempts } = await serve(answer, answer, framing);
    const client = await session(gateway.url, {});
    const { text } = await client.request('tools/call', { name: 'a_t', arguments: {} });
    expect(text).toContain(`"result":${answer}`);
    expect(attempts).toHaveLength(1);
  });
});

test('the official client in a session gets the result of a tool whose stateless backend first asks for a later attempt', async () => {
  const server = await startStatelessServer();
  open.push(server);
  const gateway = await startGateway({ backends: [backendPlan('a', server.url)] });
  open.push({ close: () => gateway.stop() });
  await gateway.ready();
  const client = await gateway.connect();
  expect(client.getServerCapabilities()).toBeDefined();
  const { content } = await client.callTool({ name: 'a_wait', arguments: {} });
  expect(content).toEqual([{ type: 'text', text: 'now' }]);
});
