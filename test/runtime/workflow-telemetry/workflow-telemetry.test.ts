/** What a collector and `/metrics` get of workflows: the run, its steps, and their calls, which count at backends like those of clients. */
import { expect, onTestFinished, test } from 'vitest';
import type { TelemetryPlan } from '../../../schemas/index.ts';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { telemetryPlan } from '../otlp/plans.ts';
import { ask } from '../stateless-edge/requests.ts';
import { StatelessClient } from '../workflows/stateless-client.ts';
import { servesWorkflows, workflow } from '../workflows/support.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const traceparent = (flags: '00' | '01') => `00-${TRACE}-${SPAN}-${flags}`;

const STORY = workflow(`
name: story
description: Calls in a row and for each, leaves out, fails
parameters: { type: object, properties: { word: { type: string } } }
steps:
  - { id: first, tool: s_read, arguments: { word: "{{ .params.word }}" } }
  - { id: out, tool: s_read, dependsOn: [first], condition: "false" }
  - { id: each, type: forEach, dependsOn: [out], collection: "[1, 2]", step: { id: inner, type: tool, tool: m_echo } }
  - { id: broken, tool: s_fail, dependsOn: [each], onError: { action: retry, retryCount: 1, retryDelay: 1ms } }
`);

const QUESTION = workflow(`
name: question
description: Asks
steps:
  - { id: ask, type: elicitation, message: "Sure?", schema: { type: object, properties: {} } }
  - { id: then, tool: s_read, dependsOn: [ask] }
`);

const RESULTS: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } },
  'tools/list': {
    tools: [
      { name: 'read', inputSchema: { type: 'object' } },
      { name: 'fail', inputSchema: { type: 'object' } },
    ],
  },
};

async function start(telemetry: Partial<TelemetryPlan> | undefined, samplingRate = 1) {
  const receiver = await startOtlpReceiver({ protocol: 'http/protobuf' });
  onTestFinished(() => receiver.close());
  const sessions = await startRawServer(({ message }, response) => {
    const { method, id, params } = message ?? {};
    const result =
      method === 'tools/call'
        ? { content: [{ type: 'text', text: 'private words' }], isError: params.name === 'fail' }
        : RESULTS[method];
    if (result !== undefined) response.setHeader('content-type', 'application/json');
    response.statusCode = id === undefined ? 202 : result === undefined ? 404 : 200;
    response.end(result && JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  onTestFinished(() => sessions.close());
  const stateless = await startStatelessServer();
  onTestFinished(() => stateless.close());
  const gateway = await startGateway({
    backends: [backendPlan('s', `${sessions.origin}/mcp`), backendPlan('m', stateless.url)],
    workflows: [STORY, QUESTION],
    ...(telemetry && { telemetry: telemetryPlan({ endpoint: receiver.endpoint, samplingRate }, telemetry) }),
  });
  onTestFinished(() => gateway.stop());
  await servesWorkflows(gateway);
  const called = () =>
    sessions.requests
      .filter(({ message }) => message?.method === 'tools/call')
      .map(({ message, headers }) => ({
        tool: message.params.name as string,
        inMeta: message.params._meta?.traceparent as string | undefined,
        inHeader: headers.traceparent,
      }));
  const spans = async () => {
    await gateway.stop();
    return receiver.spans;
  };
  return { gateway, called, spans, receiver };
}

const isOfRequests = ({ name }: ReceivedSpan) => !name.startsWith('aggregator.');

/** Names of the spans by parent, indented, in the order of their starts: exports send parents after their children. */
function treeOf(spans: readonly ReceivedSpan[], parent: string, indent = ''): readonly string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .flatMap(span => [
      `${indent}${span.name}${span.status === 2 ? ` (${span.attributes['error.type']})` : ''}`,
      ...treeOf(spans, span.spanId, `${indent}  `),
    ]);
}

test('a workflow run is a span that contains a span for each step and its calls, and backends continue the trace', async () => {
  const { gateway, called, spans } = await start({});
  const client = await gateway.connect();
  await client.callTool({
    name: 'story',
    arguments: { word: 'of-a-person' },
    _meta: { traceparent: traceparent('01') },
  });
  const all = await spans();
  expect(treeOf(all, SPAN)).toEqual([
    'tools/call story (tool_error)',
    '  core.ExecuteWorkflow (tool_error)',
    '    step first',
    '      tools/call read',
    '    step out',
    '    step each',
    '      tools/call echo',
    '      tools/call echo',
    '    step broken (tool_error)',
    '      tools/call fail (tool_error)',
    '      tools/call fail (tool_error)',
  ]);
  const spanOf = (name: string) => all.find(span => span.name === name);
  expect(spanOf('tools/call story')?.attributes).toMatchObject({
    'gen_ai.tool.name': 'story',
    'gen_ai.operation.name': 'execute_tool',
  });
  expect(spanOf('core.ExecuteWorkflow')?.attributes).toEqual({
    'workflow.name': 'story',
    'workflow.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'workflow.status': 'failed',
    'error.type': 'tool_error',
  });
  expect(spanOf('step out')?.attributes).toMatchObject({ 'workflow.step.status': 'skipped' });
  expect(spanOf('step each')?.attributes).toMatchObject({
    'workflow.step.id': 'each',
    'workflow.step.type': 'forEach',
    'workflow.step.status': 'completed',
  });
  const read = spanOf('tools/call read');
  expect(read).toMatchObject({ kind: 3, traceId: TRACE, attributes: { 'target.workload_name': 's' } });
  expect(called()[0]?.inMeta).toBe(`00-${TRACE}-${read?.spanId}-01`);
  expect(called().every(({ inMeta, inHeader }) => inMeta !== undefined && inMeta === inHeader)).toBe(true);
  expect(JSON.stringify(all)).not.toMatch(/of-a-person|private words/);
});

test('a workflow run that waits for the answer of a stateless client has a span in each request of this client', async () => {
  const { gateway, spans } = await start({});
  const client = new StatelessClient(gateway.url);
  const asked = await client.call('question', {});
  await client.call(
    'question',
    {},
    { requestState: asked.result?.requestState, inputResponses: { ask: { action: 'accept', content: {} } } },
  );
  const all = await spans();
  expect(treeOf(all.filter(isOfRequests), '')).toEqual([
    'tools/call question',
    '  core.ExecuteWorkflow',
    '    step ask',
    'tools/call question',
    '  core.ExecuteWorkflow',
    '    step ask',
    '    step then',
    '      tools/call read',
  ]);
  const runs = all.filter(({ name }) => name === 'core.ExecuteWorkflow');
  expect(runs.map(({ attributes }) => attributes['workflow.status'])).toEqual(['waiting', 'completed']);
  expect(new Set(runs.map(({ attributes }) => attributes['workflow.id'])).size).toBe(1);
});

test.each([
  ['that is not sampled', {}],
  ['of a client while tracing is off', undefined],
])('the calls of workflow steps pass on to backends the trace context of a trace %s', async (_, telemetry) => {
  const { gateway, called, spans } = await start(telemetry);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    traceparent: traceparent('00'),
  };
  await ask(gateway.url, { method: 'tools/call', params: { name: 'story', arguments: {} }, meta });
  expect(called().map(({ tool, inMeta }) => [tool, inMeta])).toEqual(
    ['read', 'fail', 'fail'].map(tool => [tool, traceparent('00')]),
  );
  expect((await spans()).filter(isOfRequests)).toEqual([]);
});

test('all calls of a workflow run share an unsampled trace that begins at the gateway', async () => {
  const { gateway, called } = await start({}, 0);
  const client = await gateway.connect();
  await client.callTool({ name: 'story', arguments: {} });
  const traces = called().map(({ inMeta }) => inMeta);
  expect(traces[0]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  expect(new Set(traces).size).toBe(1);
});

test('metrics count the calls of steps at backends like direct calls, and only the workflow at the gateway', async () => {
  const { gateway, receiver, spans } = await start({});
  const client = await gateway.connect();
  await client.callTool({ name: 's_read', arguments: {} });
  await client.callTool({ name: 'story', arguments: {} });
  await spans();
  const points = (name: string, value: 'value' | 'count' = 'value') =>
    Object.fromEntries(
      (receiver.metrics.findLast(metric => metric.name === name)?.points ?? []).flatMap(point => {
        const { attributes } = point;
        const tool = attributes.tool ?? attributes['gen_ai.tool.name'];
        const type = attributes['error.type'] ?? (attributes.status === 'error' ? 'error' : undefined);
        return tool === undefined ? [] : [[type === undefined ? tool : `${tool} ${type}`, point[value]]];
      }),
    );
  expect(points('lintel_vmcp_backend_requests')).toEqual({ s_read: 2, m_echo: 2, s_fail: 2 });
  expect(points('lintel_vmcp_backend_errors')).toEqual({ 's_fail tool_error': 2 });
  expect(points('mcp.client.operation.duration', 'count')).toEqual({ s_read: 2, m_echo: 2, 's_fail tool_error': 2 });
  expect(points('lintel_mcp_tool_calls')).toEqual({ s_read: 1, 'story error': 1 });
  expect(points('mcp.server.operation.duration', 'count')).toEqual({ s_read: 1, 'story tool_error': 1 });
});
