/**
 * Stateless clients, while the backend behind an address changes its era. Each client numbers its requests from 1, as the SDKs do, and no client
 * may get another's response.
 */
import type { ServerResponse } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BackendEra, type ChangingBackend, startChangingBackend } from '../../support/changing-backend.ts';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { sendJson, startRawServer } from '../../support/raw-server.ts';
import { ask, findHeaders, formatRequest, META, type StatelessRequest } from '../stateless-edge/requests.ts';

async function serve(era: BackendEra, timeoutMs = 60_000): Promise<{ backend: ChangingBackend; gateway: TestGateway }> {
  const backend = await startChangingBackend(era);
  onTestFinished(() => backend.close());
  // No probe runs in time to detect the change.
  const health = { intervalMs: 3_600_000, timeoutMs: 60_000, unhealthyThreshold: 3 };
  const gateway = await startGateway({
    backends: [backendPlan('a', backend.url, { timeoutMs })],
    operational: { health },
  });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return { backend, gateway };
}

/** The last message in a JSON document or event stream. */
function lastMessageIn(text: string): string {
  return text.startsWith('{')
    ? text
    : (text
        .split('\n')
        .findLast(line => line.startsWith('data: {'))
        ?.slice(6) ?? '');
}

/** The result of a request, or its error. */
async function answerTo(gateway: TestGateway, request: StatelessRequest) {
  const { text } = await ask(gateway.url, request);
  const { id, result, error } = JSON.parse(lastMessageIn(text));
  expect(id).toBe(request.id ?? 1);
  return (result ?? error) as { [member: string]: unknown };
}

const call = (gateway: TestGateway, name: string, args: object, more: Partial<StatelessRequest> = {}) =>
  answerTo(gateway, { method: 'tools/call', params: { name: `a_${name}`, arguments: args }, ...more });
/** Options of `fetch` for a request. */
const posting = (request: StatelessRequest): RequestInit => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const own = Object.entries(findHeaders(request)).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { method: 'POST', headers: { ...headers, ...Object.fromEntries(own) }, body: formatRequest(request) };
};
const told = (nonce: string) => ({ resultType: 'complete', content: [{ type: 'text', text: nonce }] });

const ERAS: readonly BackendEra[] = ['stateless', 'session', 'sse'];
const CHANGES = ERAS.flatMap(before => ERAS.filter(after => after !== before).map(after => [before, after] as const));

describe.each(CHANGES)('a backend that changes from %s to %s', (before, after) => {
  test('after a backend has changed its transport or era (sessions or stateless), each client gets the answers to its own requests', async () => {
    const { backend, gateway } = await serve(before);
    expect(await call(gateway, 'echo', { nonce: 'before' })).toMatchObject(told('before'));
    backend.become(after);
    const ofAnn = { ...META, 'example.com/trace': 'ann', progressToken: 1 };
    const ofBob = { ...META, 'example.com/trace': 'bob', progressToken: 1 };
    const answers = await Promise.all([
      call(gateway, 'meet', { nonce: 'ann', of: 2 }, { meta: ofAnn }),
      call(gateway, 'meet', { nonce: 'bob', of: 2 }, { meta: ofBob }),
      answerTo(gateway, { method: 'prompts/get', params: { name: 'a_greet', arguments: { nonce: 'cid' } } }),
      answerTo(gateway, { method: 'resources/read', params: { uri: 'memo://dan' } }),
      answerTo(gateway, {
        method: 'completion/complete',
        params: { ref: { type: 'ref/prompt', name: 'a_greet' }, argument: { name: 'nonce', value: 'eve' } },
      }),
    ]);
    expect(answers).toMatchObject([
      told('ann'),
      told('bob'),
      { resultType: 'complete', messages: [{ content: { text: 'cid' } }] },
      { resultType: 'complete', contents: [{ text: 'content of memo://dan' }] },
      { resultType: 'complete', completion: { values: ['eve'] } },
    ]);
    for (const nonce of ['ann', 'bob']) {
      expect(backend.calls.get(nonce)).toMatchObject({ 'example.com/trace': nonce, progressToken: 1 });
      const names = Object.keys(backend.calls.get(nonce) ?? {});
      if (after !== 'stateless') expect(names.filter(name => name.startsWith('io.model'))).toEqual([]);
    }
  });

  test('/status shows the new MCP revision soon after a backend has changed its transport or era (sessions or stateless)', async () => {
    const { backend, gateway } = await serve(before);
    const revision = async () => (await gateway.status()).backends[0]?.mcpRevision;
    expect(await revision()).toBe(before === 'stateless' ? '2026-07-28' : '2025-11-25');
    backend.become(after);
    expect(await call(gateway, 'echo', { nonce: 'first' })).toMatchObject(told('first'));
    if ((before === 'stateless') !== (after === 'stateless')) {
      await eventually(async () => (await revision()) === (after === 'stateless' ? '2026-07-28' : '2025-11-25'));
    }
  });

  test('a call that times out or is cancelled after a backend has changed its transport or era makes no concurrent call fail', async () => {
    const { backend, gateway } = await serve(before, 5_000);
    backend.become(after);
    const meta = { ...META, progressToken: 1 };
    const slow = call(gateway, 'slow', { nonce: 'ann' }, { meta });
    const bob = call(gateway, 'meet', { nonce: 'bob', of: 2 }, { meta });
    expect(await slow).toMatchObject({ code: -32603, data: { reason: 'timeout' } });
    await eventually(() => backend.cancelled.includes('ann'));
    const leaving = new AbortController();
    const cid = fetch(gateway.url, {
      ...posting({ method: 'tools/call', params: { name: 'a_slow', arguments: { nonce: 'cid' } } }),
      signal: leaving.signal,
    });
    await eventually(() => backend.calls.has('cid'));
    leaving.abort();
    await expect(cid).rejects.toThrow();
    await eventually(() => backend.cancelled.includes('cid'));
    expect(await call(gateway, 'meet', { nonce: 'dan', of: 2 }, { meta })).toMatchObject(told('dan'));
    expect(await bob).toMatchObject(told('bob'));
    expect(backend.cancelled.sort()).toEqual(['ann', 'cid']);
  });

  test('when a backend changes its transport or era, running requests get their answers, and later requests use the new transport or era', async () => {
    const { backend, gateway } = await serve(before);
    const bob = call(gateway, 'meet', { nonce: 'bob', of: 2 });
    await eventually(() => backend.waiting === 1);
    backend.become(after, { drains: true });
    for (const nonce of ['1', '2', '3']) expect(await call(gateway, 'echo', { nonce })).toMatchObject(told(nonce));
    expect(await call(gateway, 'meet', { nonce: 'dan', of: 2 })).toMatchObject(told('dan'));
    expect(await bob).toMatchObject(told('bob'));
  });
});

const FORMS = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const GIVEN = { name: { action: 'accept', content: { name: 'Ann' } } };

/** The results of a call that elicits from its client, and of the attempt that answers. */
async function askedMeanwhile(gateway: TestGateway, meanwhile: () => Promise<void>) {
  const asked = await call(gateway, 'elicit', { nonce: 'ann' }, { meta: FORMS });
  expect(asked.resultType).toBe('input_required');
  await meanwhile();
  const [key] = Object.keys(asked.inputRequests as object);
  const answers = { requestState: asked.requestState, inputResponses: { [key as string]: GIVEN.name } };
  const params = { name: 'a_elicit', arguments: { nonce: 'ann' }, ...answers };
  return answerTo(gateway, { method: 'tools/call', params, meta: FORMS });
}

test.each(['session', 'sse'] as const)(
  'a call that waits in a session (%s) for an answer of its client continues after the backend has become stateless',
  async before => {
    const { backend, gateway } = await serve(before);
    const answer = await askedMeanwhile(gateway, async () => {
      backend.become('stateless', { drains: true });
      // A client with other capabilities needs another session, which cannot be opened any more.
      await eventually(async () => {
        await call(gateway, 'echo', { nonce: 'bob' });
        return (await gateway.status()).backends[0]?.mcpRevision === '2026-07-28';
      });
    });
    expect(answer).toMatchObject(told(`ann ${JSON.stringify(GIVEN.name)}`));
  },
);

test('the gateway answers -32602 when a client continues a call of a stateless backend that has changed to sessions since', async () => {
  const { backend, gateway } = await serve('stateless');
  const answer = await askedMeanwhile(gateway, async () => backend.become('session'));
  expect(answer).toMatchObject({ code: -32602, message: expect.stringContaining('send the request again') });
});

test.each(['session', 'sse'] as const)(
  'a client can answer a question of a stateless backend that has changed to sessions since, and is asked again (%s)',
  async after => {
    const { backend, gateway } = await serve('stateless');
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    onTestFinished(() => client.close());
    let questions = 0;
    client.setRequestHandler(ElicitRequestSchema, async () => {
      if (++questions === 1) {
        backend.become(after);
        await client.callTool({ name: 'a_echo', arguments: { nonce: 'meanwhile' } });
      }
      return { action: 'accept', content: { name: 'Ann' } };
    });
    const { content } = await client.callTool({ name: 'a_elicit', arguments: { nonce: 'ann' } });
    expect(content).toEqual(told(`ann ${JSON.stringify(GIVEN.name)}`).content);
    expect(questions).toBe(2);
  },
);

test.each(CHANGES)(
  'the resource subscriptions of a stateless client continue when a backend changes from %s to %s',
  async (before, after) => {
    const { backend, gateway } = await serve(before);
    const params = { notifications: { resourceSubscriptions: ['memo://one'] } };
    const request = { method: 'subscriptions/listen', params };
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const stream = await fetch(gateway.url, { ...posting(request), signal: leaving.signal });
    let heard = '';
    void (async () => {
      for await (const chunk of stream.body ?? []) heard += Buffer.from(chunk as Uint8Array).toString();
    })().catch(() => {});
    const updates = () => heard.split('notifications/resources/updated').length - 1;
    await eventually(async () => {
      await backend.update('memo://one');
      return updates() > 0;
    });
    backend.become(after);
    backend.endStreams();
    const heardBefore = updates();
    await eventually(async () => {
      await call(gateway, 'echo', { nonce: 'x' });
      await backend.update('memo://one');
      return updates() > heardBefore;
    });
  },
);

test('after a backend has become stateless, a stateless client gets its input_required results and can continue the call', async () => {
  const { backend, gateway } = await serve('session');
  const first = await call(gateway, 'echo', { nonce: 'x' });
  expect(first).toMatchObject(told('x'));
  backend.become('stateless');
  const asked = await call(gateway, 'later', { nonce: 'ann' });
  expect(asked).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
  const params = { name: 'a_later', arguments: { nonce: 'ann' }, requestState: asked.requestState };
  expect(await answerTo(gateway, { method: 'tools/call', params })).toMatchObject(told('ann'));
});

test('the gateway gives up a call when its backend seems to change between sessions and stateless at each attempt', async () => {
  let isSettled = true;
  let looks = 0;
  const error = (response: ServerResponse, id: unknown, code: number, status = 400) =>
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } }), {}, status);
  const backend = await startRawServer(({ message }, response) => {
    const { id, method } = message ?? {};
    const result = (members: object) => sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: members }));
    if (method === 'server/discover') {
      if (!isSettled && ++looks % 2 === 1) return error(response, id, -32601, 200);
      return result({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
    }
    if (method === 'tools/list') return result({ tools: [{ name: 'tool', inputSchema: { type: 'object' } }] });
    if (method === 'initialize') return error(response, id, -32022);
    return error(response, null, -32000);
  });
  onTestFinished(() => backend.close());
  await using gateway = await startGateway({ backends: [backendPlan('a', `${backend.origin}/mcp`)] });
  await gateway.ready();
  isSettled = false;
  expect(await call(gateway, 'tool', {})).toHaveProperty('code');
  expect(backend.requests.filter(({ message }) => message?.method === 'tools/call').length).toBeLessThanOrEqual(4);
});
