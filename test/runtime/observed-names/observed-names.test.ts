/**
 * Every audit event, metric and span of the other implementation: one gateway with workflows and the optimizer produces all of them when clients
 * use it in each way. Other tests show when each occurs, and with which values.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { AUDIT_EVENTS, METRIC_PREFIX } from '#schemas';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { readPrometheus } from '../../support/prometheus.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startAudited } from '../audit/audited-gateway.ts';
import { telemetryPlan } from '../otlp/plans.ts';
import { servesWorkflows, workflow } from '../workflows/support.ts';

const EVENTS = [
  ...['mcp_initialize', 'mcp_ping', 'mcp_logging', 'mcp_completion', 'mcp_notification', 'mcp_roots_list_changed'],
  ...['mcp_tool_call', 'mcp_tools_list', 'mcp_resource_read', 'mcp_resources_list', 'mcp_prompt_get'],
  ...['mcp_prompts_list', 'mcp_request', 'http_request', 'sse_connection'],
  ...['started', 'completed', 'failed', 'timed_out'].map(end => `vmcp_workflow_${end}`),
  ...['started', 'completed', 'failed', 'skipped'].map(end => `vmcp_workflow_step_${end}`),
];

/** Metric names before exporters append suffixes; Lintel's have their own prefix. */
const METRICS: readonly (readonly [name: string, kind: 'counter' | 'gauge' | 'histogram', unit?: 'seconds'])[] = [
  ['mcp_requests', 'counter'],
  ['mcp_request_duration', 'histogram', 'seconds'],
  ['mcp_active_connections', 'gauge'],
  ['mcp_tool_calls', 'counter'],
  ['vmcp_backends_discovered', 'gauge'],
  ['vmcp_backend_requests', 'counter'],
  ['vmcp_backend_errors', 'counter'],
  ['vmcp_backend_requests_duration', 'histogram', 'seconds'],
  ['vmcp_backend_revision_reclassifications', 'counter'],
  ['vmcp_workflow_executions', 'counter'],
  ['vmcp_workflow_errors', 'counter'],
  ['vmcp_workflow_duration', 'histogram', 'seconds'],
  ['vmcp_optimizer_find_tool_requests', 'counter'],
  ['vmcp_optimizer_find_tool_errors', 'counter'],
  ['vmcp_optimizer_find_tool_duration', 'histogram', 'seconds'],
  ['vmcp_optimizer_find_tool_results', 'histogram'],
  ['vmcp_optimizer_token_savings_percent', 'histogram'],
  ['vmcp_optimizer_call_tool_requests', 'counter'],
  ['vmcp_optimizer_call_tool_errors', 'counter'],
  ['vmcp_optimizer_call_tool_not_found', 'counter'],
  ['vmcp_optimizer_call_tool_duration', 'histogram', 'seconds'],
  ['rate_limit_decisions', 'counter'],
  ['rate_limit_redis_errors', 'counter'],
  ['rate_limit_fail_open', 'counter'],
  ['rate_limit_check_latency', 'histogram', 'seconds'],
];

const CONVENTIONS = ['mcp_server_operation_duration_seconds', 'mcp_client_operation_duration_seconds'];

/** Requests of clients, requests to backends, and the gateway's own work. */
const SPANS = [
  ...['tools/call one_echo', 'tools/call fine', 'tools/call echo', 'tools/call fail'],
  ...[
    'QueryCapabilities',
    'QueryAllCapabilities',
    'ResolveConflicts',
    'MergeCapabilities',
    'AggregateCapabilities',
  ].map(name => `aggregator.${name}`),
  ...['core.ExecuteWorkflow', 'optimizer.FindTool', 'optimizer.CallTool'],
];

const WORKFLOWS = [
  `
name: fine
description: Calls, and leaves out
steps:
  - { id: first, tool: one_echo }
  - { id: out, tool: one_echo, dependsOn: [first], condition: "false" }
`,
  `
name: broken
description: Fails
steps:
  - { id: first, tool: one_fail }
`,
  `
name: late
description: Takes too long
timeout: 300ms
steps:
  - { id: first, tool: one_slow }
`,
].map(workflow);

const ONCE = { maxTokens: 1, refillPeriodMs: 3_600_000 };
const LIMITS = { store: null, shared: null, perUser: null, tools: [{ name: 'one_echo', shared: ONCE, perUser: null }] };

test('the audit log, the metrics and the traces have every name that the documentation lists', async () => {
  const receiver = await startOtlpReceiver({ protocol: 'http/protobuf' });
  onTestFinished(() => receiver.close());
  const one = await startSdkServer({ transport: 'streamable-http' });
  onTestFinished(() => one.close());
  const { gateway, records } = await startAudited({
    backends: [backendPlan('one', one.url)],
    workflows: WORKFLOWS,
    optimizer: { maxTools: 3, semanticRatio: 0, distanceThreshold: 1 },
    rateLimiting: LIMITS,
    telemetry: telemetryPlan({ endpoint: receiver.endpoint }, { useLegacyAttributes: true }),
  });
  await servesWorkflows(gateway);
  await useInEachWay(gateway.url);
  const page = readPrometheus(await (await fetch(`${gateway.internalUrl}/metrics`)).text());
  await gateway.stop();

  expect([...AUDIT_EVENTS].sort()).toEqual([...EVENTS].sort());
  expect([...new Set((await records()).map(({ type }) => type))].sort()).toEqual([...EVENTS].sort());

  const expected = METRICS.map(([name, kind, unit]) => [
    `${METRIC_PREFIX}${name}${kind === 'counter' ? '_total' : ''}${unit === undefined ? '' : `_${unit}`}`,
    kind,
  ]);
  expect(expected.map(([name = '']) => [name, page.get(name)?.type])).toEqual(expected);
  expect(CONVENTIONS.map(name => page.get(name)?.type)).toEqual(['histogram', 'histogram']);
  // The attributes that distinguish them.
  for (const [name, labels] of [
    ['vmcp_workflow_executions_total', ['workflow_name']],
    ['vmcp_workflow_errors_total', ['workflow_name']],
    ['vmcp_optimizer_call_tool_requests_total', ['tool_name']],
    ['vmcp_optimizer_call_tool_not_found_total', ['tool_name']],
    ['rate_limit_decisions_total', ['namespace', 'server', 'decision', 'scope', 'operation_type']],
  ] as const) {
    const samples = page.get(`${METRIC_PREFIX}${name}`)?.samples ?? [];
    expect(samples.map(sample => Object.keys(sample.labels))).toContainEqual(expect.arrayContaining([...labels]));
  }

  await eventually(() => SPANS.every(name => receiver.spans.some(span => span.name === name)));
});

async function useInEachWay(url: string): Promise<void> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: { listChanged: true } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await client.ping();
  await client.setLoggingLevel('error');
  await client.sendRootsListChanged();
  await client.listTools();
  await client.listPrompts();
  const { resources } = await client.listResources();
  await client.listResourceTemplates();
  await client.readResource({ uri: resources[0]?.uri ?? '' });
  const { prompts } = await client.listPrompts();
  await client.getPrompt({ name: prompts[0]?.name ?? '', arguments: { topic: 'x' } }).catch(() => {});
  await client
    .complete({ ref: { type: 'ref/prompt', name: prompts[0]?.name ?? '' }, argument: { name: 'topic', value: 'x' } })
    .catch(() => {});
  await client.request({ method: 'no/such/method' }, EmptyResultSchema).catch(() => {});
  const use = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  const call = (tool_name: string) => use('call_tool', { tool_name, parameters: {} });
  await use('find_tool', { tool_description: 'echo' });
  await use('find_tool', {});
  for (const tool of ['one_echo', 'one_echo', 'one_fail', 'one_none', 'fine', 'broken', 'late']) await call(tool);
  await fetch(new URL('/nothing', url)).then(response => response.text());
  await client.close();
}
