/** What becomes of running requests when the gateway's bundle is replaced, when it stops, or when a backend stalls. */
import { afterEach, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type RawHandler, type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { StatelessClient } from '../workflows/stateless-client.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

async function rawBackend(call: RawHandler, wrap = withHandshake): Promise<RawServer> {
  const server = await startRawServer(
    wrap((request, response) => {
      const { id, method } = request.message;
      if (method === 'tools/call') return call(request, response);
      sendJson(
        response,
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}`,
      );
    }, 's-1'),
  );
  open.push(server);
  return server;
}

async function gatewayOf(...args: Parameters<typeof startGateway>): Promise<TestGateway> {
  const gateway = await startGateway(...args);
  open.push({ close: () => gateway.stop() });
  return gateway;
}

async function clientOf(gateway: TestGateway): Promise<RawClient> {
  const raw = new RawClient(gateway.url);
  await raw.open();
  return raw;
}

test('a running call ends well although a new bundle changes the connection to its backend', async () => {
  const held: (() => void)[] = [];
  const server = await rawBackend((request, response) => {
    held.push(() => sendJson(response, `{"jsonrpc":"2.0","id":${request.message.id},"result":{"late":true}}`));
  });
  const gateway = await gatewayOf({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  const raw = await clientOf(gateway);
  await raw.request('tools/list');
  const call = raw.result('tools/call', { name: 'a_t' });
  await server.waitFor(({ message }) => message?.method === 'tools/call');
  const { digest } = (await gateway.status()).bundle;
  await gateway.replace({ backends: [backendPlan('a', `${server.origin}/mcp`, { timeoutMs: 9_000 })] });
  await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  held[0]?.();
  expect(await call).toEqual({ late: true });
  await server.waitFor(({ method }) => method === 'DELETE');
});

test('long calls get their results over a connection that two new bundles have replaced', async () => {
  const held: (() => void)[] = [];
  const server = await rawBackend((request, response) => {
    held.push(() =>
      sendJson(response, `{"jsonrpc":"2.0","id":${JSON.stringify(request.message.id)},"result":{"late":true}}`),
    );
  });
  const reachedIn = (timeoutMs: number) => ({ backends: [backendPlan('a', `${server.origin}/mcp`, { timeoutMs })] });
  const gateway = await gatewayOf(reachedIn(60_000));
  const raw = await clientOf(gateway);
  await raw.request('tools/list');
  const inSession = raw.result('tools/call', { name: 'a_t' });
  const stateless = new StatelessClient(gateway.url).call('a_t', {});
  await eventually(() => held.length === 2);
  for (const timeoutMs of [59_000, 58_000]) {
    const { digest } = (await gateway.status()).bundle;
    await gateway.replace(reachedIn(timeoutMs));
    await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  }
  // Longer than the time that sessions without a call get to end.
  await new Promise(resolve => setTimeout(resolve, 11_000));
  for (const answer of held) answer();
  expect(await inSession).toEqual({ late: true });
  expect(await stateless).toMatchObject({ result: { late: true } });
});

test('a gateway that stops waits for a call over a connection of the former bundle as long as for any other call', async () => {
  const server = await rawBackend(() => {});
  const reachedIn = (timeoutMs: number) => ({ backends: [backendPlan('a', `${server.origin}/mcp`, { timeoutMs })] });
  const gateway = await startGateway(reachedIn(60_000));
  const raw = await clientOf(gateway);
  await raw.request('tools/list');
  const call = raw.request('tools/call', { name: 'a_t' }).catch(() => undefined);
  await server.waitFor(({ message }) => message?.method === 'tools/call');
  const { digest } = (await gateway.status()).bundle;
  await gateway.replace(reachedIn(59_000));
  await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  const begin = performance.now();
  await gateway.stop();
  expect(performance.now() - begin).toBeLessThan(30_000);
  await call;
});

test('the gateway still lists the tools of a backend while the backend has not answered over its new connection', async () => {
  let isSlow = false;
  const server = await startRawServer((request, response) => {
    const answer = withHandshake(({ message }, r) => {
      const result =
        message.method === 'tools/list'
          ? '{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}'
          : '{"called":true}';
      sendJson(r, `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
    }, 's-1');
    setTimeout(() => void answer(request, response), isSlow ? 400 : 0);
  });
  open.push(server);
  const gateway = await gatewayOf({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  const raw = await clientOf(gateway);
  await raw.request('tools/list');
  isSlow = true;
  const { digest } = (await gateway.status()).bundle;
  await gateway.replace({ backends: [backendPlan('a', `${server.origin}/mcp`, { timeoutMs: 9_000 })] });
  await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  expect(await raw.result('tools/list')).toEqual({ tools: [{ name: 'a_t', inputSchema: { type: 'object' } }] });
  expect(await raw.result('tools/call', { name: 'a_t' })).toEqual({ called: true });
});

test('a call succeeds although a new bundle arrives while the gateway first reads the tools of its backend', async () => {
  const server = await startRawServer((request, response) => {
    const answer = withHandshake(({ message }, r) => {
      const result =
        message.method === 'tools/list'
          ? '{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}'
          : '{"called":true}';
      sendJson(r, `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`);
    }, 's-1');
    setTimeout(() => void answer(request, response), 400);
  });
  open.push(server);
  const gateway = await gatewayOf({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  const { digest } = (await gateway.status()).bundle;
  await gateway.replace({ backends: [backendPlan('a', `${server.origin}/mcp`, { timeoutMs: 9_000 })] });
  await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  const raw = await clientOf(gateway);
  expect(await raw.result('tools/call', { name: 'a_t' })).toEqual({ called: true });
});

test('a new bundle with another health interval keeps the sessions with backends', async () => {
  const server = await startSdkServer({ transport: 'streamable-http' });
  open.push(server);
  const gateway = await gatewayOf({ backends: [backendPlan('a', server.url)] });
  const raw = await clientOf(gateway);
  await raw.request('tools/list');
  await raw.result('tools/call', { name: 'a_echo', arguments: {} });
  const { initializations } = server;
  const health = { intervalMs: 100, timeoutMs: 1_000, unhealthyThreshold: 2 };
  await gateway.replace({ backends: [backendPlan('a', server.url)], operational: { health } });
  const first = (await gateway.status()).backends[0]?.lastHealthCheck;
  await eventually(async () => (await gateway.status()).backends[0]?.lastHealthCheck !== first);
  await raw.result('tools/call', { name: 'a_echo', arguments: {} });
  expect(server.initializations).toBe(initializations);
});

test('a removed backend that does not answer delays neither the bundle that removes it nor the next bundle', async () => {
  const stuck = await rawBackend(
    () => {},
    (rest, id) => (request, response) => {
      if (request.method !== 'DELETE') return withHandshake(rest, id)(request, response);
    },
  );
  const gateway = await gatewayOf({ backends: [backendPlan('a', `${stuck.origin}/mcp`)] });
  const raw = await clientOf(gateway);
  expect(await raw.result('tools/list')).toEqual({ tools: [{ name: 'a_t', inputSchema: { type: 'object' } }] });
  const swap = async (strategy: 'prefix' | 'manual') => {
    const { digest } = (await gateway.status()).bundle;
    await gateway.replace({ backends: [], aggregation: { strategy, priorityOrder: [] } });
    await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  };
  await swap('manual');
  await swap('prefix');
  await stuck.close();
});

test('a gateway that stops ends every session with backends', async () => {
  const server = await startSdkServer({ transport: 'streamable-http' });
  open.push(server);
  const gateway = await startGateway({ backends: [backendPlan('a', server.url)] });
  const clients = await Promise.all(Array.from({ length: 80 }, () => clientOf(gateway)));
  await Promise.all(clients.map(raw => raw.result('tools/list')));
  await Promise.all(clients.map(raw => raw.result('tools/call', { name: 'a_echo', arguments: {} })));
  expect(server.openSessions).toBe(81);
  await gateway.stop();
  expect(server.openSessions).toBe(0);
});

test('a backend counts as healthy although calls take all connections to it', async () => {
  const server = await rawBackend(() => {});
  const gateway = await gatewayOf({
    backends: [backendPlan('a', `${server.origin}/mcp`)],
    operational: {
      health: { intervalMs: 100, timeoutMs: 60_000, unhealthyThreshold: 1 },
    },
  });
  const raw = await clientOf(gateway);
  await raw.request('tools/list');
  const calls = Array.from({ length: 70 }, () => raw.request('tools/call', { name: 'a_t' }).catch(() => {}));
  await eventually(() => server.requests.filter(({ message }) => message?.method === 'tools/call').length >= 64);
  // Probes are answered, although no call is.
  const probes = () => server.requests.filter(({ message }) => message?.method === 'tools/list').length;
  const before = probes();
  await eventually(() => probes() >= before + 5);
  expect((await gateway.status()).backends[0]).toMatchObject({ status: 'ready', consecutiveFailures: 0 });
  await server.close();
  await Promise.all(calls);
});

test('only the first tools/list waits for a backend that does not answer', async () => {
  const silent = await startRawServer(() => {});
  open.push(silent);
  const server = await rawBackend(() => {});
  const gateway = await gatewayOf({
    backends: [backendPlan('a', `${server.origin}/mcp`), backendPlan('silent', `${silent.origin}/mcp`)],
    operational: {
      health: { intervalMs: 30_000, timeoutMs: 15_000, unhealthyThreshold: 3 },
    },
  });
  const raw = await clientOf(gateway);
  const asked = performance.now();
  await raw.result('tools/list');
  const listed = performance.now();
  const _meta = { 'dev.lintel/unavailableBackends': { count: 1, names: ['silent'] } };
  const tools = [{ name: 'a_t', inputSchema: { type: 'object' } }];
  expect(await raw.result('tools/list')).toEqual({ _meta, tools });
  expect(performance.now() - listed).toBeLessThan((listed - asked) / 2);
});

test('a call that arrives before the backends have listed their tools waits for the lists', async () => {
  const server = await startRawServer(
    withHandshake(({ message }, response) => {
      const answer = (result: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`;
      const result =
        message.method === 'tools/list'
          ? '{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}'
          : '{"called":true}';
      setTimeout(() => sendJson(response, answer(result)), 300);
    }, 's-1'),
  );
  open.push(server);
  const gateway = await gatewayOf({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  const raw = await clientOf(gateway);
  expect(await raw.result('tools/call', { name: 'a_t' })).toEqual({ called: true });
});

test('the gateway reads the tools again when a backend sends list_changed on the stream of a call, and answers the call in JSON', async () => {
  const tool = (name: string) => `{"name":"${name}","inputSchema":{"type":"object"}}`;
  let tools = `[${tool('t')}]`;
  const server = await startRawServer(
    withHandshake(({ message }, response) => {
      const answer = (result: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`;
      if (message.method !== 'tools/call') return sendJson(response, answer(`{"tools":${tools}}`));
      tools = `[${tool('t')},${tool('u')}]`;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
      response.end(`data: ${answer('{}')}\n\n`);
    }, 's-1'),
  );
  open.push(server);
  const gateway = await gatewayOf({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  const raw = await clientOf(gateway);
  await raw.request('tools/list');
  const answer = await raw.request('tools/call', { name: 'a_t' });
  expect(answer.type).toBe('application/json');
  await eventually(async () => (await raw.result<{ tools: unknown[] }>('tools/list')).tools.length === 2);
});
