/** The spans of the optimizer's two tools at a collector, and the trace context that backends get. */
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { telemetryPlan } from '../otlp/plans.ts';
import { servesWorkflows, workflow } from '../workflows/support.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

const TWICE = workflow(`
name: twice
description: Calls in a row
steps:
  - { id: first, tool: m_echo }
`);

/** Kind, parent and outcome of each span. */
function treeOf(spans: readonly ReceivedSpan[], parent: string, indent = ''): readonly string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .flatMap(span => [
      `${indent}${span.name}${span.status === 2 ? ` (${span.attributes['error.type']})` : ''}`,
      ...treeOf(spans, span.spanId, `${indent}  `),
    ]);
}

const find = { name: 'find_tool', arguments: { tool_description: 'private words' } };
const call = (tool_name: string) => ({
  name: 'call_tool',
  arguments: { tool_name, parameters: { a: 'private words' } },
});

test.each<[what: string, request: { name: string; arguments: Record<string, unknown> }, tree: readonly string[]]>([
  ['a search', find, ['tools/call find_tool', '  optimizer.FindTool']],
  [
    'a search that fails',
    { name: 'find_tool', arguments: {} },
    ['tools/call find_tool (tool_error)', '  optimizer.FindTool (tool_error)'],
  ],
  ['a call', call('m_echo'), ['tools/call m_echo', '  optimizer.CallTool', '    tools/call echo']],
  [
    'a call that fails',
    call('m_fail'),
    ['tools/call m_fail (tool_error)', '  optimizer.CallTool (tool_error)', '    tools/call fail (tool_error)'],
  ],
  [
    'a call of an unknown tool',
    call('m_none'),
    ['tools/call call_tool (tool_error)', '  optimizer.CallTool (tool_error)'],
  ],
  [
    'a call of a workflow',
    call('twice'),
    [
      'tools/call twice',
      '  optimizer.CallTool',
      '    core.ExecuteWorkflow',
      '      step first',
      '        tools/call echo',
    ],
  ],
])('the optimizer records the spans of %s', async (_, request, tree) => {
  const receiver = await startOtlpReceiver({ protocol: 'http/protobuf' });
  onTestFinished(() => receiver.close());
  const backend = await startStatelessServer();
  onTestFinished(() => backend.close());
  const gateway = await startGateway({
    backends: [backendPlan('m', backend.url)],
    workflows: [TWICE],
    optimizer: { maxTools: 3, semanticRatio: 0, distanceThreshold: 1 },
    telemetry: telemetryPlan({ endpoint: receiver.endpoint, samplingRate: 1 }, {}),
  });
  onTestFinished(() => gateway.stop());
  await servesWorkflows(gateway);
  const client = await gateway.connect();
  await client.callTool({ ...request, _meta: { traceparent: `00-${TRACE}-${SPAN}-01` } });
  await gateway.stop();
  expect(treeOf(receiver.spans, SPAN)).toEqual(tree);
  expect(JSON.stringify(receiver.spans)).not.toContain('private words');
  const sent = backend.requests.find(({ method }) => method === 'tools/call');
  const atBackend = receiver.spans.find(({ kind, name }) => kind === 3 && name.startsWith('tools/call'));
  expect(sent && JSON.parse(sent.body).params._meta.traceparent).toBe(
    atBackend && `00-${TRACE}-${atBackend.spanId}-01`,
  );
});
