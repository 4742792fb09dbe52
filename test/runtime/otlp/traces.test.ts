/** The spans of real clients' requests at a collector, and the trace context at backends. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { ask } from '../stateless-edge/requests.ts';
import { telemetryPlan } from './plans.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const OTHER_TRACE = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const parentOf = (trace = TRACE, flags = '01') => `00-${trace}-${SPAN}-${flags}`;

async function start(protocol: 'http/protobuf' | 'grpc' = 'http/protobuf', more: object = {}, samplingRate = 1) {
  const receiver = await startOtlpReceiver({ protocol });
  const sessions = await startSdkServer({ transport: 'streamable-http', json: true });
  const stateless = await startStatelessServer();
  const { endpoint } = receiver;
  const { telemetry, ...others } = more as { telemetry?: object };
  const gateway = await startGateway({
    backends: [backendPlan('s', sessions.url), backendPlan('m', stateless.url)],
    telemetry: telemetryPlan({ endpoint, protocol, samplingRate }, telemetry),
    ...others,
  });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await gateway.stop();
    isStopped = true;
  };
  closing.push(
    () => receiver.close(),
    () => sessions.close(),
    () => stateless.close(),
    stop,
  );
  await gateway.ready();
  /** All spans; the last ones are sent when the gateway stops. */
  const spans = async () => {
    await stop();
    return receiver.spans;
  };
  return { gateway, receiver, spans };
}

const named = (spans: readonly ReceivedSpan[], name: string, kind: number) =>
  spans.find(span => span.name === name && span.kind === kind);

describe.each(['http/protobuf', 'grpc'] as const)('over %s', protocol => {
  test('a call is a server span that contains a client span for the backend', async () => {
    const { gateway, spans, receiver } = await start(protocol);
    const client = await gateway.connect();
    await client.callTool({ name: 's_echo', arguments: {} });
    await expect(client.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow();
    const all = await spans();
    const served = named(all, 'tools/call s_echo', 2);
    const sent = named(all, 'tools/call echo', 3);
    expect(served?.attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2025-11-25',
      'mcp.server.name': 'test',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 's_echo',
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'url.path': '/mcp',
      'network.transport': 'tcp',
      'client.address': '127.0.0.1',
      'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
      'mcp.session.id': expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(served?.attributes, 'no former names').not.toHaveProperty('mcp.method');
    expect(sent).toMatchObject({ traceId: served?.traceId, parentSpanId: served?.spanId });
    expect(sent?.attributes).toMatchObject({
      'gen_ai.tool.name': 'echo',
      'target.workload_name': 's',
      'server.address': '127.0.0.1',
      'target.transport_type': 'streamable-http',
    });
    expect(served?.resource).toMatchObject({ 'service.name': 'gateway', 'service.namespace': 'default' });
    const failed = all.find(span => span.attributes['error.type'] === '-32602');
    expect(failed).toMatchObject({ name: 'tools/call', status: 2, statusMessage: 'unknown tool "nothing"' });
    expect(receiver.metrics.find(({ name }) => name === 'mcp.server.operation.duration')).toMatchObject({
      unit: 's',
      type: 'histogram',
    });
  });
});

test('the collector gets the same metrics as the metrics page', async () => {
  const { gateway, spans, receiver } = await start();
  const client = await gateway.connect();
  for (let call = 0; call < 3; call++) await client.callTool({ name: 's_echo', arguments: {} });
  await spans();
  const metric = (name: string) => receiver.metrics.findLast(one => one.name === name);
  expect(metric('lintel_mcp_tool_calls')).toMatchObject({ type: 'sum' });
  const calls = metric('lintel_mcp_tool_calls')?.points.find(({ attributes }) => attributes.tool === 's_echo');
  expect(calls?.value).toBe(3);
  const durations = metric('mcp.client.operation.duration')?.points.find(
    ({ attributes }) => attributes['gen_ai.tool.name'] === 's_echo',
  );
  expect(durations?.count).toBe(3);
  expect(durations?.value).toBeGreaterThan(0);
});

test('spans have the legacy attribute names and additional attributes as long as the bundle asks for them', async () => {
  vi.stubEnv('LINTEL_TEST_REGION', 'north');
  const { gateway, spans } = await start('http/protobuf', {
    telemetry: {
      useLegacyAttributes: true,
      attributes: { team: 'search' },
      serviceVersion: '7',
      environmentVariables: ['LINTEL_TEST_REGION', 'LINTEL_TEST_UNSET'],
    },
  });
  const client = await gateway.connect();
  await client.callTool({ name: 's_echo', arguments: {} });
  const served = named(await spans(), 'tools/call s_echo', 2);
  vi.unstubAllEnvs();
  expect(served?.attributes).toMatchObject({
    'mcp.method.name': 'tools/call',
    'mcp.method': 'tools/call',
    'rpc.system': 'jsonrpc',
    'http.status_code': 200,
    'mcp.transport': 'streamable-http',
    'environment.LINTEL_TEST_REGION': 'north',
  });
  expect(served?.attributes).not.toHaveProperty('environment.LINTEL_TEST_UNSET');
  expect(served?.resource).toMatchObject({ team: 'search', 'service.version': '7' });
});

test('the gateway records the share of calls that samplingRate sets, each with its request to the backend', async () => {
  const { gateway, spans } = await start('http/protobuf', {}, 0.25);
  const client = await gateway.connect();
  for (let call = 0; call < 200; call++) await client.callTool({ name: 's_echo', arguments: {} });
  const all = await spans();
  const recorded = all.filter(({ name, kind }) => name === 'tools/call s_echo' && kind === 2);
  // Fifty are expected; five standard deviations are thirty.
  expect(recorded.length).toBeGreaterThan(20);
  expect(recorded.length).toBeLessThan(80);
  const sent = all.filter(({ name, kind }) => name === 'tools/call echo' && kind === 3);
  expect(sent.map(({ traceId }) => traceId).sort()).toEqual(recorded.map(({ traceId }) => traceId).sort());
});

describe('the trace of a client', () => {
  const call = (gateway: { url: string }, tool: string, trace: { meta?: object; headers?: Record<string, string> }) =>
    ask(gateway.url, {
      method: 'tools/call',
      params: { name: tool, arguments: {} },
      ...(trace.headers && { headers: trace.headers }),
      ...(trace.meta && {
        meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
          ...trace.meta,
        },
      }),
    });

  test.each([
    ['from _meta', { meta: { traceparent: parentOf(), tracestate: 'a=1' } }],
    ['from headers', { headers: { traceparent: parentOf(), tracestate: 'a=1' } }],
  ])('the gateway continues the trace of a client %s', async (_, trace) => {
    const { gateway, spans } = await start();
    await call(gateway, 's_echo', trace);
    await call(gateway, 'm_echo', trace);
    const all = await spans();
    for (const tool of ['s_echo', 'm_echo']) {
      expect(named(all, `tools/call ${tool}`, 2)).toMatchObject({
        traceId: TRACE,
        parentSpanId: SPAN,
        traceState: 'a=1',
      });
    }
  });

  test('the gateway continues the trace in _meta, and links the trace in the HTTP headers', async () => {
    const { gateway, spans } = await start();
    await call(gateway, 's_echo', {
      meta: { traceparent: parentOf() },
      headers: { traceparent: parentOf(OTHER_TRACE) },
    });
    expect(named(await spans(), 'tools/call s_echo', 2)).toMatchObject({ traceId: TRACE, links: [OTHER_TRACE] });
  });

  test('the gateway does not record a call whose trace is not sampled', async () => {
    const { gateway, spans } = await start();
    await call(gateway, 's_echo', { meta: { traceparent: parentOf(TRACE, '00') } });
    expect((await spans()).filter(({ name }) => !name.startsWith('aggregator.'))).toEqual([]);
  });
});
