import { afterEach, describe, expect, test } from 'vitest';
import { UNAVAILABLE_BACKENDS_META } from '#schemas';
import { backendPlan, eventually, gatewayBundle, startGateway, type TestGateway } from '../../support/gateway.ts';
import { readPrometheus } from '../../support/prometheus.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { ask } from '../stateless-edge/requests.ts';

const open: { close(): Promise<void> }[] = [];
const server = async (tools: string[] = []): Promise<SdkServer> => {
  const started = await startSdkServer({ transport: 'streamable-http', tools: tools.map(name => ({ name })) });
  open.push(started);
  return started;
};
const gatewayOf = async (...args: Parameters<typeof startGateway>): Promise<TestGateway> => {
  const gateway = await startGateway(...args);
  open.push({ close: () => gateway.stop() });
  return gateway;
};
/** A backend that is down refuses connections at once; the timeout must suffice for a backend on a busy machine. */
const fastHealth = { intervalMs: 200, timeoutMs: 30_000, unhealthyThreshold: 2 };
const TIME_TRAVEL = JSON.stringify({ ...gatewayBundle({ backends: [] }), requires: ['time-travel'] });
/** One request of each kind in which a backend "up" takes part. */
const REQUESTS_OF_UP: readonly (readonly [method: string, params?: object])[] = [
  ['tools/list'],
  ['prompts/list'],
  ['resources/list'],
  ['resources/templates/list'],
  ['tools/call', { name: 'up_x', arguments: {} }],
  ['prompts/get', { name: 'up_greet' }],
  ['resources/read', { uri: 'memo://one' }],
  ['resources/subscribe', { uri: 'memo://one' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'up_greet' }, argument: { name: 'a', value: '' } }],
];
/** A port without a listener. */
const NOWHERE = 'http://127.0.0.1:9/mcp';

async function statelessTools(gateway: TestGateway): Promise<{ readonly _meta: unknown }> {
  return JSON.parse((await ask(gateway.url, { method: 'tools/list' })).text).result;
}

/** The metric of the same name. */
async function healthyOf({ internalUrl }: TestGateway): Promise<number | undefined> {
  const page = readPrometheus(await (await fetch(`${internalUrl}/metrics`)).text());
  return page.get('lintel_gateway_healthy')?.samples[0]?.value;
}

afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

const toolNames = async (raw: RawClient) =>
  (await raw.result<{ tools: { name: string }[] }>('tools/list')).tools.map(tool => tool.name);

describe('a backend that is down', () => {
  test('a gateway serves the other backends while one backend is down, and /status has the cause', async () => {
    const up = await server(['x']);
    const gateway = await gatewayOf({
      backends: [backendPlan('down', NOWHERE), backendPlan('up', up.url)],
      // More attempts than there can be until its status is read, on any machine.
      operational: { health: { intervalMs: 30_000, timeoutMs: 60_000, unhealthyThreshold: 100 } },
    });
    const raw = new RawClient(gateway.url);
    await raw.open();
    expect(await toolNames(raw)).toContain('up_x');
    // On a busy machine, a probe of it may fail first.
    const status = await eventually(async () => {
      const found = await gateway.status();
      return found.backends[1]?.status === 'ready' ? found : undefined;
    });
    expect([status.healthy, await healthyOf(gateway)]).toEqual([true, 1]);
    expect(status.backends.map(({ name, status: is }) => `${name} ${is}`)).toEqual(['down unknown', 'up ready']);
    expect(status.backends[0]?.message).toContain('backend "down"');
    expect((await fetch(`${gateway.internalUrl}/readyz`)).status).toBe(200);
  });

  test.each([
    ['says by name', [], { count: 1, names: ['down'] }],
    [
      'says only by a number, for callers with policies,',
      ['permit (principal, action, resource);'],
      { count: 1, names: [] },
    ],
  ] as const)(
    'each list %s that a backend is unavailable, until the backend is available',
    async (_, policies, unavailable) => {
      const up = await server(['x']);
      const authorization = policies.length === 0 ? {} : { authorization: cedarPlan(policies) };
      const gateway = await gatewayOf({
        ...authorization,
        backends: [backendPlan('down', NOWHERE), backendPlan('up', up.url)],
      });
      const session = new RawClient(gateway.url);
      await session.open();
      const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
      for (const method of lists)
        expect(await session.result(method), method).toMatchObject({
          _meta: { [UNAVAILABLE_BACKENDS_META]: unavailable },
        });
      const stateless = await statelessTools(gateway);
      expect(stateless._meta).toMatchObject({
        [UNAVAILABLE_BACKENDS_META]: unavailable,
        'io.modelcontextprotocol/serverInfo': { name: expect.any(String) },
      });
      await gateway.replace({ ...authorization, backends: [backendPlan('up', up.url)] });
      await eventually(async () => (await gateway.status()).backends.length === 1);
      for (const method of lists) expect(await session.result(method), method).not.toHaveProperty('_meta');
      expect((await statelessTools(gateway))._meta).not.toHaveProperty([UNAVAILABLE_BACKENDS_META]);
    },
  );

  test('every request by name fails with partialFailureMode fail until all backends are available', async () => {
    const up = await server(['x']);
    const gateway = await gatewayOf({
      backends: [backendPlan('down', NOWHERE), backendPlan('up', up.url)],
      operational: { partialFailure: 'fail' },
    });
    const raw = new RawClient(gateway.url);
    await raw.open();
    const ofDown = { code: -32603, message: 'unavailable: "down" (partialFailureMode is fail)' };
    for (const [method, params] of REQUESTS_OF_UP) {
      const { text } = await raw.request(method, params);
      expect(JSON.parse(text), method).toMatchObject({ error: ofDown });
    }
    const unknown = await raw.request('tools/call', { name: 'up_y', arguments: {} });
    expect(JSON.parse(unknown.text)).toMatchObject({ error: { code: -32602 } });
    expect([(await gateway.status()).healthy, await healthyOf(gateway)]).toEqual([false, 0]);
    await gateway.replace({ backends: [backendPlan('up', up.url)], operational: { partialFailure: 'fail' } });
    await eventually(async () => (await gateway.status()).healthy);
    expect(await healthyOf(gateway)).toBe(1);
    for (const [method, params] of REQUESTS_OF_UP) {
      const { text } = await raw.request(method, params);
      expect(JSON.parse(text), method).not.toHaveProperty('error.message', ofDown.message);
    }
  });

  test('while a backend is down, its tools leave the lists after the threshold, its calls fail with the reason, and later the tools return', async () => {
    const first = await server(['x']);
    const gateway = await gatewayOf({
      backends: [backendPlan('a', first.url)],
      operational: { health: fastHealth },
    });
    const raw = new RawClient(gateway.url);
    await raw.open();
    expect(await toolNames(raw)).toContain('a_x');
    const { port } = first;
    await first.close();
    await eventually(async () => (await toolNames(raw)).length === 0);
    const answer = JSON.parse((await raw.request('tools/call', { name: 'a_x' })).text) as {
      error: { code: number; message: string };
    };
    expect(answer.error.code).toBe(-32603);
    expect(answer.error.message).toMatch(/^backend "a": /);
    expect((await gateway.status()).backends[0]?.status).toBe('unavailable');
    const again = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'x' }], port });
    open.push(again);
    await eventually(async () => (await toolNames(raw)).includes('a_x'));
    expect(await raw.result('tools/call', { name: 'a_x', arguments: {} })).toHaveProperty('content');
    await eventually(async () => (await gateway.status()).backends[0]?.status === 'ready');
  });

  test('the gateway probes a backend as soon as a call finds no connection, long before the next regular probe', async () => {
    const first = await server(['x']);
    const gateway = await gatewayOf({ backends: [backendPlan('a', first.url)] });
    const raw = new RawClient(gateway.url);
    await raw.open();
    expect(await toolNames(raw)).toContain('a_x');
    await first.close();
    const { text } = await raw.request('tools/call', { name: 'a_x', arguments: {} });
    expect(JSON.parse(text)).toMatchObject({ error: { data: { reason: 'connection_failed' } } });
    await eventually(async () => (await gateway.status()).backends.some(backend => backend.consecutiveFailures > 0));
  });
});

describe('a new bundle', () => {
  test('the gateway serves a new bundle without dropping sessions, and notifies clients of what changed', async () => {
    const a = await server(['x']);
    const b = await server(['y']);
    const gateway = await gatewayOf({ backends: [backendPlan('a', a.url)] });
    const client = await gateway.connect();
    expect((await client.listTools()).tools.map(tool => tool.name)).toContain('a_x');
    const initializations = a.initializations;
    await client.callTool({ name: 'a_x', arguments: {} });
    await gateway.replace({ backends: [backendPlan('a', a.url), backendPlan('b', b.url)] });
    await eventually(async () => (await client.listTools()).tools.some(tool => tool.name === 'b_y'));
    await client.callTool({ name: 'b_y', arguments: {} });
    await client.callTool({ name: 'a_x', arguments: {} });
    expect(a.initializations, 'the session with the unchanged backend is kept').toBe(initializations + 1);
    expect((await gateway.status()).sessions).toBe(1);
  });

  test.each([
    ['a syntax error', '{'],
    ['an unknown format version', '{"formatVersion":99}'],
    ['a missing field', '{"formatVersion":1,"kind":"gateway"}'],
    ['an unknown required feature', TIME_TRAVEL],
  ])('the gateway refuses a new bundle with %s and keeps the served bundle', async (_, text) => {
    const a = await server(['x']);
    const gateway = await gatewayOf({ backends: [backendPlan('a', a.url)] });
    const raw = new RawClient(gateway.url);
    await raw.open();
    const before = (await gateway.status()).bundle.digest;
    await gateway.replaceBy(text);
    const refused = await eventually(async () => (await gateway.status()).bundle.refused);
    expect(refused).toContain('bundle.json: ');
    expect((await gateway.status()).bundle.digest).toBe(before);
    expect(await toolNames(raw)).toContain('a_x');
  });
});
