/** From a slow call on the Prometheus page to its trace at the collector. */
import { afterEach, expect, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { telemetryPlan } from './plans.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The header of a Prometheus with exemplars enabled. */
const ACCEPT =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';

const EXEMPLAR =
  /^(\w+)_bucket\{(.*)\} \d+ # \{trace_id="([0-9a-f]{32})",span_id="([0-9a-f]{16})"\} [\d.e-]+ [\d.]+$/gm;

async function start(samplingRate: number) {
  const receiver = await startOtlpReceiver({ protocol: 'http/protobuf' });
  const backend = await startSdkServer({ transport: 'streamable-http', json: true });
  const telemetry = telemetryPlan({ endpoint: receiver.endpoint, samplingRate });
  const gateway = await startGateway({ backends: [backendPlan('s', backend.url)], telemetry });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await gateway.stop();
    isStopped = true;
  };
  closing.push(
    () => receiver.close(),
    () => backend.close(),
    stop,
  );
  await gateway.ready();
  const page = async (accept: string) => {
    const response = await fetch(`${gateway.internalUrl}/metrics`, { headers: { accept } });
    return { type: response.headers.get('content-type') ?? '', text: await response.text() };
  };
  return { gateway, receiver, page, stop };
}

test('a sampled call is the exemplar of its histogram buckets, with the same trace and span id that the collector gets', async () => {
  const { gateway, receiver, page, stop } = await start(1);
  const client = await gateway.connect();
  await client.callTool({ name: 's_echo', arguments: {} });
  const { type, text } = await page(ACCEPT);
  expect(type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  const found = [...text.matchAll(EXEMPLAR)].filter(([, , labels]) => labels?.includes('gen_ai_tool_name="s_echo"'));
  await stop();
  const served = receiver.spans.find(({ name }) => name === 'tools/call s_echo');
  expect(found.map(([, metric, , trace, span]) => [metric, trace, span])).toEqual(
    ['mcp_server_operation_duration_seconds', 'mcp_client_operation_duration_seconds'].map(metric => [
      metric,
      served?.traceId,
      served?.spanId,
    ]),
  );
});

test('the metrics page has no exemplars in the Prometheus format, and none for calls that are not sampled', async () => {
  const sampled = await start(1);
  const unsampled = await start(0);
  for (const { gateway } of [sampled, unsampled]) {
    const client = await gateway.connect();
    await client.callTool({ name: 's_echo', arguments: {} });
  }
  const plain = await sampled.page('text/plain;version=0.0.4');
  expect(plain.type).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(plain.text).toContain('gen_ai_tool_name="s_echo"');
  expect(plain.text).not.toContain('trace_id');
  const open = await unsampled.page(ACCEPT);
  expect(open.text).toContain('gen_ai_tool_name="s_echo"');
  expect(open.text).not.toContain('trace_id');
});
