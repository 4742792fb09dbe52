/** What metrics and `/status` show operators about the optimizer, and that calls through it are treated like any other. */
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { optimizerBy, startEmbeddingService } from '../../support/embedding-service.ts';
import { type BundleOptions, backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { readPrometheus } from '../../support/prometheus.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { AUDIT } from '../audit/audited-gateway.ts';

const TOOLS = [{ name: 'weather', description: 'Forecast for a city.' }];

async function backend(): Promise<SdkServer> {
  const server = await startSdkServer({ transport: 'streamable-http', tools: TOOLS });
  onTestFinished(() => server.close());
  return server;
}

async function gatewayWith(server: SdkServer, more: Partial<BundleOptions>): Promise<TestGateway> {
  const gateway = await startGateway({ backends: [backendPlan('s', server.url)], ...more });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return gateway;
}

const call = (client: Awaited<ReturnType<TestGateway['connect']>>, tool_name: string, parameters = {}) =>
  client.callTool({ name: 'call_tool', arguments: { tool_name, parameters } });

test('/status and the metrics show how the optimizer searches tools, and why', async () => {
  const service = await startEmbeddingService();
  onTestFinished(() => service.close());
  const gateway = await gatewayWith(await backend(), { optimizer: optimizerBy(service) });
  await eventually(async () => {
    const { ready, embedded, waiting } = (await gateway.status()).optimizer?.embeddings ?? {};
    // Nothing waits, not even before the tools were read.
    return ready === true && waiting === 0 && embedded !== 0;
  });
  expect((await gateway.status()).optimizer?.search).toBe('hybrid');
  const client = await gateway.connect();
  const find = () => client.callTool({ name: 'find_tool', arguments: { tool_description: 'the forecast' } });
  await find();
  await call(client, 's_echo', { a: 1 });
  await call(client, 's_fail');
  await call(client, 'made up');
  service.mood = 500;
  await client.callTool({ name: 'find_tool', arguments: { tool_description: 'another forecast' } });
  const { optimizer } = await gateway.status();
  expect(optimizer).toMatchObject({
    search: 'keyword',
    embeddings: { provider: 'tei', model: 'test-model', ready: false, refused: 0 },
  });
  expect(optimizer?.embeddings?.problem).toMatch('the service answered 500');
  const metrics = readPrometheus(await (await fetch(`${gateway.internalUrl}/metrics`)).text());
  const count = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    (metrics.get(`lintel_${name}`)?.samples ?? [])
      .filter(sample => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  expect(count('vmcp_optimizer_find_tool_requests_total')).toBe(2);
  expect(count('vmcp_optimizer_find_tool_errors_total')).toBe(0);
  expect(count('gateway_optimizer_searches_total', { search: 'hybrid' })).toBe(1);
  expect(count('gateway_optimizer_searches_total', { search: 'keyword' })).toBe(1);
  expect(count('gateway_optimizer_embeddings_ready')).toBe(0);
  expect(count('vmcp_optimizer_call_tool_requests_total', { tool_name: 's_echo' })).toBe(1);
  expect(count('vmcp_optimizer_call_tool_errors_total', { tool_name: 's_fail' })).toBe(1);
  expect(count('vmcp_optimizer_call_tool_not_found_total')).toBe(1);
  expect(count('vmcp_optimizer_call_tool_not_found_total', { tool_name: 'other' })).toBe(1);
  expect(count('mcp_tool_calls_total', { tool: 'find_tool' })).toBe(2);
});

test('clients of the optimizer get all notifications except those about tool lists that they do not read', async () => {
  const server = await backend();
  const gateway = await gatewayWith(server, { optimizer: { maxTools: 3, semanticRatio: 0, distanceThreshold: 1 } });
  const heard: string[] = [];
  const client = await gateway.connect();
  client.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
  const found = async () =>
    JSON.stringify(await client.callTool({ name: 'find_tool', arguments: { tool_description: 'violin' } }));
  await server.setTools([...TOOLS, { name: 'violin', description: 'Plays the violin.' }]);
  await eventually(async () => (await found()).includes('s_violin'));
  expect(heard).toEqual([]);
  await gateway.replace({ backends: [backendPlan('s', server.url)] });
  await eventually(() => heard.includes('notifications/tools/list_changed'));
});

test('a call through call_tool counts toward the rate limit of the tool that it calls, and its audit record names this tool', async () => {
  const file = join(tmpdir(), `lintel-optimizer-${process.pid}.jsonl`);
  onTestFinished(() => rm(file, { force: true }));
  const gateway = await gatewayWith(await backend(), {
    optimizer: { maxTools: 3, semanticRatio: 0, distanceThreshold: 1 },
    rateLimiting: {
      ...{ store: null, shared: null, perUser: null },
      tools: [{ name: 's_echo', shared: { maxTokens: 1, refillPeriodMs: 3_600_000 }, perUser: null }],
    },
    audit: { ...AUDIT, file },
  });
  const client = await gateway.connect();
  await client.callTool({ name: 'find_tool', arguments: { tool_description: 'echo' } });
  expect(await call(client, 's_echo')).not.toMatchObject({ isError: true });
  expect(await call(client, 's_echo')).toMatchObject({ isError: true, structuredContent: { code: 429 } });
  expect(await call(client, 's_progress')).not.toMatchObject({ structuredContent: { code: 429 } });
  await eventually(async () => {
    // Complete lines only: the last one may be incomplete.
    const lines = (await readFile(file, 'utf8'))
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line));
    const names = lines.filter(({ type }) => type === 'mcp_tool_call').map(({ target }) => target.name);
    return JSON.stringify(names) === JSON.stringify(['find_tool', 's_echo', 's_echo', 's_progress']);
  });
});
