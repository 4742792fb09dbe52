import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';

/** Everything that an SDK would remove, refuse or round. */
const ODD_RESULT =
  '{"content":[{"type":"hologram","frames":[1.0,2e3]},{"type":"text","text":"\\u00e9\\ud83d\\ude00"}],"future":{"a":[null]},"big":12345678901234567890,"_meta":{"x":1}}';

describe('what passes through the gateway', () => {
  let sdk: SdkServer;
  let old: SdkServer;
  let odd: RawServer;
  let gateway: TestGateway;
  const received: string[] = [];

  beforeAll(async () => {
    sdk = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'extra' }] });
    old = await startSdkServer({ transport: 'sse' });
    odd = await startRawServer(
      withHandshake((request, response) => {
        const { message } = request;
        const answer = (result: string) =>
          sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
        if (message.method === 'tools/list') {
          answer('{"tools":[{"name":"odd","inputSchema":{"type":"object"},"x-unknown":{"deep":[1]}}]}');
        } else if (message.method === 'tools/call') {
          received.push(request.body);
          answer(ODD_RESULT);
        } else {
          answer('{"tools":[],"prompts":[],"resources":[],"resourceTemplates":[]}');
        }
      }),
    );
    gateway = await startGateway({
      backends: [
        backendPlan('odd', `${odd.origin}/mcp`),
        backendPlan('old', old.url, { transport: 'sse' }),
        backendPlan('sdk', sdk.url),
      ],
    });
  });

  afterAll(async () => {
    await gateway.stop();
    await Promise.all([sdk.close(), old.close(), odd.close()]);
  });

  test('the official client and a raw client see the same tools of a gateway', async () => {
    const client = await gateway.connect();
    const raw = new RawClient(gateway.url);
    await raw.open();
    const { tools } = await client.listTools();
    const rawTools = (await raw.result<{ tools: { name: string }[] }>('tools/list')).tools;
    expect(rawTools.map(tool => tool.name)).toEqual(tools.map(tool => tool.name));
    expect(tools.map(tool => tool.name)).toEqual(tools.map(tool => tool.name).sort());
    expect(tools.map(tool => tool.name)).toEqual(
      expect.arrayContaining(['odd_odd', 'old_echo', 'sdk_echo', 'sdk_extra']),
    );
    expect(rawTools.find(tool => tool.name === 'odd_odd')).toEqual({
      name: 'odd_odd',
      inputSchema: { type: 'object' },
      'x-unknown': { deep: [1] },
    });
  });

  test('a result with unknown fields, types and numbers reaches the client unchanged', async () => {
    const raw = new RawClient(gateway.url);
    await raw.open();
    const { text } = await raw.request('tools/call', { name: 'odd_odd', arguments: {} });
    expect(text).toContain(`"result":${ODD_RESULT}`);
  });

  test('a request reaches the backend with only the name of the tool changed', async () => {
    const raw = new RawClient(gateway.url);
    await raw.open();
    const params =
      '{ "name" : "odd_odd","arguments":{"n":12345678901234567890,"s":"\\u0041"}, "x":1.0, "_meta":{"k":[]}}';
    await raw.sendText(`{"jsonrpc":"2.0","id":"q\\u0031","method":"tools/call","params":${params}}`);
    expect(received.at(-1)).toBe(
      `{"jsonrpc":"2.0","id":"q\\u0031","method":"tools/call","params":${params.replace('odd_odd', 'odd')}}`,
    );
  });

  test.each(['sdk', 'old'])('calls, resources, templates and prompts of the backend "%s" work', async backend => {
    const client = await gateway.connect();
    const call = await client.callTool({ name: `${backend}_echo`, arguments: { a: [1, 'x'] } });
    expect(JSON.stringify(call.content)).toContain('\\"a\\"');
    const failed = await client.callTool({ name: `${backend}_fail`, arguments: {} });
    expect(failed.isError).toBe(true);
    const { prompts } = await client.listPrompts();
    const prompt = prompts.find(({ name }) => name.startsWith(`${backend}_`));
    expect((await client.getPrompt({ name: prompt?.name ?? '' })).messages.length).toBeGreaterThan(0);
    const { resources } = await client.listResources();
    expect((await client.readResource({ uri: resources[0]?.uri ?? '' })).contents.length).toBeGreaterThan(0);
  });

  test.each(['sdk', 'old'])('the progress of the backend "%s" reaches the caller', async backend => {
    const client = await gateway.connect();
    const seen: number[] = [];
    await client.callTool({ name: `${backend}_progress`, arguments: {} }, undefined, {
      onprogress: ({ progress }) => seen.push(progress),
    });
    expect(seen.length).toBeGreaterThanOrEqual(3);
  });

  test.each(['sdk', 'old'])('the cancellation of a call reaches the backend "%s"', async backend => {
    const server = backend === 'sdk' ? sdk : old;
    const [before, calls] = [server.cancelled, server.slowCalls];
    const client = await gateway.connect();
    const stop = new AbortController();
    const call = client.callTool({ name: `${backend}_slow`, arguments: {} }, undefined, { signal: stop.signal });
    const ended = expect(call).rejects.toThrow();
    await eventually(() => server.slowCalls > calls);
    stop.abort();
    await ended;
    await eventually(() => server.cancelled > before);
  });

  test('clients are notified of added and removed tools of a backend', async () => {
    const client = await gateway.connect();
    let heard = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      heard++;
    });
    const names = async () => (await client.listTools()).tools.map(tool => tool.name);
    await sdk.setTools([{ name: 'fresh' }]);
    await eventually(() => heard > 0);
    expect(await names()).toEqual(expect.arrayContaining(['sdk_fresh']));
    expect(await names()).not.toContain('sdk_extra');
    const before = heard;
    await sdk.setTools([{ name: 'extra' }]);
    await eventually(() => heard > before);
    expect(await names()).toContain('sdk_extra');
  });

  test.each([
    ['tools/call', { name: 'nobody_has_it' }, -32602, 'unknown tool "nobody_has_it"'],
    ['tools/call', { arguments: {} }, -32602, 'params.name is required and must be a string'],
    ['prompts/get', { name: 'x' }, -32602, 'unknown prompt "x"'],
    ['resources/read', { uri: 'none://x' }, -32002, 'resource not found'],
    [
      'completion/complete',
      { ref: { type: 'ref/what' } },
      -32602,
      'ref must be of type "ref/prompt" or "ref/resource"',
    ],
    ['tools/list', { cursor: 'made up' }, -32602, 'unknown cursor: pass the nextCursor of the previous page unchanged'],
    ['tools/destroy', {}, -32601, 'method "tools/destroy" is not supported'],
  ])('the gateway refuses %s %j with %i', async (method, params, code, message) => {
    const raw = new RawClient(gateway.url);
    await raw.open();
    expect(JSON.parse((await raw.request(method, params)).text)).toMatchObject({ error: { code, message } });
  });

  test('the gateway opens a new session when a backend has lost its sessions, and the client does not notice', async () => {
    const client = await gateway.connect();
    await client.callTool({ name: 'sdk_echo', arguments: {} });
    sdk.forgetSessions();
    expect((await client.callTool({ name: 'sdk_echo', arguments: { again: true } })).isError).toBeFalsy();
  });
});
