/** What a gateway's `/metrics` reports of calls with real clients and backends. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { RateLimitPlan } from '../../../schemas/index.ts';
import { optimizerBy, startEmbeddingService } from '../../support/embedding-service.ts';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { eventually } from '../../support/process.ts';
import { type ReadMetric, readPrometheus } from '../../support/prometheus.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { startBreakingBackend } from '../circuit-breaker/breaking-backend.ts';
import { ask } from '../stateless-edge/requests.ts';
import { workflow } from '../workflows/support.ts';

const LIMITED: RateLimitPlan = {
  store: null,
  shared: { maxTokens: 1, refillPeriodMs: 3_600_000 },
  perUser: null,
  tools: [],
};

/** A circuit breaker that opens after one failure and then stays open. */
const BREAKING = { circuitBreaker: { failureThreshold: 1, timeoutMs: 600_000 } };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(more: object = {}) {
  const server = await startSdkServer({ transport: 'streamable-http', json: true });
  const stateless = await startStatelessServer();
  const options = { backends: [backendPlan('s', server.url), backendPlan('m', stateless.url)], ...more };
  const gateway = await startGateway(options);
  closing.push(
    () => server.close(),
    () => stateless.close(),
    () => gateway.stop(),
  );
  await gateway.ready();
  return { gateway, server, options };
}

async function metricsOf({ internalUrl }: TestGateway): Promise<ReadonlyMap<string, ReadMetric>> {
  const response = await fetch(`${internalUrl}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return readPrometheus(await response.text());
}

/** The sum of the samples with these labels. */
function sumOf(metrics: ReadonlyMap<string, ReadMetric>, name: string, labels: Record<string, string> = {}): number {
  const { samples } = metrics.get(name) ?? { samples: [] };
  const wanted = Object.entries(labels);
  return samples
    .filter(sample => wanted.every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

test('the metrics count calls by tool, backend and outcome, for clients in sessions and for stateless clients', async () => {
  const { gateway } = await start();
  const client = await gateway.connect();
  await client.listTools();
  for (let call = 0; call < 3; call++) await client.callTool({ name: 's_echo', arguments: {} });
  expect((await client.callTool({ name: 's_fail', arguments: {} }).catch(() => undefined))?.isError ?? true).toBe(true);
  await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  await ask(gateway.url, { method: 'tools/call', params: { name: 's_echo', arguments: {} } });
  await ask(gateway.url, { method: 'tools/call', params: { name: 'm_echo', arguments: {} } });

  const metrics = await metricsOf(gateway);
  const value = (name: string, labels: Record<string, string>) => sumOf(metrics, name, labels);
  const echo = { gen_ai_tool_name: 's_echo', '': 'count' };
  expect(value('lintel_mcp_tool_calls_total', { tool: 's_echo', status: 'success' })).toBe(4);
  expect(value('lintel_mcp_tool_calls_total', { tool: 's_fail', status: 'error' })).toBe(1);
  expect(value('lintel_mcp_requests_total', { mcp_method_name: 'tools/call', error_type: '-32602' })).toBe(1);
  expect(value('lintel_mcp_requests_total', { mcp_method_name: 'tools/list', status: 'success' })).toBe(1);
  expect(value('lintel_mcp_requests_total', { mcp_method_name: 'initialize', status: 'success' })).toBe(1);
  expect(value('mcp_server_operation_duration_seconds', { ...echo, mcp_protocol_version: '2025-11-25' })).toBe(3);
  expect(value('mcp_server_operation_duration_seconds', { ...echo, mcp_protocol_version: '2026-07-28' })).toBe(1);
  expect(value('mcp_client_operation_duration_seconds', { ...echo, target_workload_name: 's' })).toBe(4);
  expect(value('mcp_client_operation_duration_seconds', { '': 'count', target_workload_name: 'm' })).toBe(1);
  expect(value('lintel_vmcp_backend_requests_total', { target_workload_name: 's', action: 'call_tool' })).toBe(5);
  expect(value('lintel_vmcp_backend_errors_total', { target_workload_name: 's' })).toBe(1);
  expect(value('lintel_mcp_active_connections', { connection_type: 'session', transport: 'streamable-http' })).toBe(1);
  expect(value('lintel_gateway_backend_status', { target_workload_name: 's', status: 'ready' })).toBe(1);
  expect(value('lintel_gateway_items', { kind: 'tool' })).toBeGreaterThan(9);
  const served = metrics.get('lintel_mcp_requests_total')?.samples[0]?.labels;
  expect(served).toMatchObject({ server: 'test', namespace: 'default' });
  expect(value('process_resident_memory_bytes', {})).toBeGreaterThan(1e6);
});

test('the metrics count refused, denied and rate-limited calls', async () => {
  const policy = 'permit(principal, action, resource) unless { resource == Tool::"s_slow" };';
  const { gateway } = await start({ rateLimiting: LIMITED, authorization: cedarPlan([policy]) });
  const client = await gateway.connect();
  await client.callTool({ name: 's_echo', arguments: {} });
  await client.callTool({ name: 's_echo', arguments: {} });
  await client.callTool({ name: 's_slow', arguments: {} }).catch(() => {});
  expect((await fetch(gateway.url, { method: 'PUT' })).status).toBe(405);
  expect((await fetch(gateway.url, { method: 'POST', body: 'x' })).status).toBe(415);

  const metrics = await metricsOf(gateway);
  const value = (name: string, labels: Record<string, string>) => sumOf(metrics, name, labels);
  expect(value('lintel_rate_limit_decisions_total', { decision: 'allowed' })).toBe(1);
  const rejected = { decision: 'rejected', scope: 'shared', operation_type: 'server' };
  expect(value('lintel_rate_limit_decisions_total', rejected)).toBe(1);
  expect(value('lintel_gateway_authorization_denials_total', { action: 'call_tool' })).toBe(1);
  expect(value('lintel_gateway_http_refusals_total', { http_response_status_code: '405' })).toBe(1);
  expect(value('lintel_gateway_http_refusals_total', { http_response_status_code: '415' })).toBe(1);
});

test('the metrics show the calls that wait for a hanging backend, and the circuit of a failing backend', async () => {
  const [hung, failing] = [await startBreakingBackend(), await startBreakingBackend()];
  closing.push(
    () => hung.close(),
    () => failing.close(),
  );
  const plans = [backendPlan('h', hung.url, { timeoutMs: 600_000 }), backendPlan('f', failing.url)];
  const { gateway } = await start({ backends: plans, operational: BREAKING });
  const call = (name: string) => ask(gateway.url, { method: 'tools/call', params: { name, arguments: {} } });
  await call('h_x');
  hung.calls = 'hang';
  failing.calls = 503;
  await call('f_x');
  for (let turn = 0; turn < 3; turn++) call('h_x').catch(() => {});
  await eventually(() => hung.underWay === 3);
  const metrics = await metricsOf(gateway);
  const of = (name: string, target: string, labels: Record<string, string> = {}) =>
    sumOf(metrics, `lintel_gateway_backend_${name}`, { target_workload_name: target, ...labels });
  expect([of('calls_open', 'h'), of('calls_open', 'h', { state: 'running' }), of('calls_open', 'f')]).toEqual([
    3, 3, 0,
  ]);
  expect(of('calls_refused_total', 'h')).toBe(0);
  const circuit = (target: string) =>
    ['closed', 'open', 'half-open'].map(state => of('circuit_state', target, { state }));
  expect([circuit('h'), circuit('f')]).toEqual([
    [1, 0, 0],
    [0, 1, 0],
  ]);
});

test('the metrics count a call whose client disconnects as cancelled', async () => {
  const { gateway, server } = await start();
  const client = await gateway.connect();
  const abort = new AbortController();
  const call = client.callTool({ name: 's_slow', arguments: {} }, undefined, { signal: abort.signal });
  await eventually(() => server.slowCalls === 1);
  abort.abort();
  await expect(call).rejects.toThrow();
  await eventually(async () => {
    const metrics = await metricsOf(gateway);
    return sumOf(metrics, 'lintel_mcp_requests_total', { error_type: 'cancelled' }) === 1;
  });
});

test('the metrics count new and refused bundles, and a new bundle does not reset the counters', async () => {
  const { gateway, options } = await start();
  const client = await gateway.connect();
  await client.callTool({ name: 's_echo', arguments: {} });
  await gateway.replace({ ...options, backends: options.backends.slice(0, 1) });
  await eventually(async () => sumOf(await metricsOf(gateway), 'lintel_vmcp_backends_discovered') === 1);
  await gateway.replaceBy('{}');
  await eventually(async () => sumOf(await metricsOf(gateway), 'lintel_gateway_bundle_refused') === 1);
  const metrics = await metricsOf(gateway);
  expect(sumOf(metrics, 'lintel_gateway_bundle_swaps_total', { result: 'served' })).toBe(1);
  expect(sumOf(metrics, 'lintel_gateway_bundle_swaps_total', { result: 'refused' })).toBeGreaterThan(0);
  expect(sumOf(metrics, 'lintel_mcp_tool_calls_total', { tool: 's_echo' })).toBe(1);
});

test('metric names have the form of Prometheus, with units, with _total for counters, and with a help text', async () => {
  const { gateway } = await start();
  for (const [name, { type, help }] of await metricsOf(gateway)) {
    expect(name).toMatch(/^(?:lintel|mcp|process|nodejs)_[a-z_]+$/);
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
    expect([name, help]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
  }
});

test('the README lists exactly the metrics of the runtime, with their types and labels', async () => {
  const { gateway } = await start({
    rateLimiting: LIMITED,
    operational: BREAKING,
    workflows: [workflow('{ name: twice, description: Calls, steps: [{ id: a, tool: s_echo }] }')],
  });
  const client = await gateway.connect();
  await client.callTool({ name: 's_echo', arguments: {} });
  await client.callTool({ name: 'twice', arguments: {} });
  await client.getPrompt({ name: 's_greet' }).catch(() => {});
  await client.callTool({ name: 's_fail', arguments: {} }).catch(() => {});
  await client.callTool({ name: 's_echo', arguments: {} });
  await fetch(gateway.url, { method: 'PUT' });
  const readme = await readFile(join(import.meta.dirname, '../../../runtime/observe/README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| `((?:lintel|mcp)_\w+)` \| (\w+) \|([^|]*)\|/gm)];
  const documented = new Map(rows.map(([, name, type, labels]) => [name, { type, labels }]));
  const labelsOf = (name: string): string[] => {
    const text = documented.get(name)?.labels ?? '';
    const also = /(?:the same,|^the same|as `(\w+)`)/.exec(text);
    const own = [...text.matchAll(/`(\w+)`/g)].map(([, label]) => label as string);
    if (also === null) return own;
    const above = rows[rows.findIndex(([, row]) => row === name) - 1]?.[1] as string;
    return [...labelsOf(also[1] ?? above), ...own];
  };
  const service = await startEmbeddingService();
  onTestFinished(() => service.close());
  const { gateway: optimized } = await start({ optimizer: optimizerBy(service) });
  const agent = await optimized.connect();
  await agent.callTool({ name: 'find_tool', arguments: { tool_description: 'echo' } });
  await agent.callTool({ name: 'call_tool', arguments: { tool_name: 's_echo', parameters: {} } });
  const all = new Map([...(await metricsOf(gateway)), ...(await metricsOf(optimized))]);
  const found = [...all].filter(([name]) => /^(?:lintel|mcp)_/.test(name));
  expect(found.map(([name, { type }]) => `${name} ${type}`).sort()).toEqual(
    [...documented].map(([name, { type }]) => `${name} ${type}`).sort(),
  );
  for (const [name, { samples }] of found) {
    const labels = new Set(samples.flatMap(sample => Object.keys(sample.labels)));
    for (const label of ['', 'le', 'namespace', 'server', ...labelsOf(name)]) labels.delete(label);
    expect([name, ...labels]).toEqual([name]);
  }
});

test('a scraper that asks for OpenMetrics gets OpenMetrics', async () => {
  const { gateway } = await start();
  const headers = { accept: 'application/openmetrics-text; version=1.0.0' };
  const response = await fetch(`${gateway.internalUrl}/metrics`, { headers });
  expect(response.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(await response.text()).toMatch(/\n# EOF\n$/);
});

withPeers('promtool').describe('promtool', () => {
  const findPage = async (accept: string) => {
    const { gateway } = await start();
    const client = await gateway.connect();
    await client.callTool({ name: 's_echo', arguments: {} });
    return await (await fetch(`${gateway.internalUrl}/metrics`, { headers: { accept } })).text();
  };

  test('promtool accepts the metrics page', async () => {
    const input = await findPage('text/plain');
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    expect([`${stdout}${stderr}`, status]).toEqual(['', 0]);
  });

  test('Prometheus reads the metrics page as OpenMetrics', async () => {
    const page = await findPage('application/openmetrics-text');
    const folder = await mkdtemp(join(tmpdir(), 'lintel-open-metrics-'));
    closing.push(() => rm(folder, { recursive: true }));
    // The collector's samples have times, those of a page do not.
    const timed = page.replace(/^([a-z][^ {]*(?:\{.*?\})?) (\S+)/gm, '$1 $2 1700000000');
    await writeFile(join(folder, 'page.txt'), timed);
    const create = ['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'page.txt'), join(folder, 'blocks')];
    const { status, stdout, stderr } = spawnSync('promtool', create, { encoding: 'utf8' });
    expect([stderr, status]).toEqual(['', 0]);
    const [, , , , series = ''] = stdout.trim().split('\n').at(-1)?.split(/ {2,}/) ?? [];
    expect([stdout, Number(series)]).toEqual([stdout, page.match(/^[a-z]/gm)?.length]);
  });
});
