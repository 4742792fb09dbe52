/** Telemetry of work without a client's request: discovery at backends, and building one set of lists from it. */
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { telemetryPlan } from './plans.ts';

async function spansOf(samplingRate: number) {
  const receiver = await startOtlpReceiver({ protocol: 'http/protobuf' });
  onTestFinished(() => receiver.close());
  const server = await startSdkServer({ transport: 'streamable-http', json: true });
  onTestFinished(() => server.close());
  const { endpoint } = receiver;
  const gateway = await startGateway({
    backends: [backendPlan('there', server.url), backendPlan('away', 'http://127.0.0.1:9/mcp')],
    telemetry: telemetryPlan({ endpoint, samplingRate }),
  });
  onTestFinished(() => gateway.stop());
  await eventually(async () => (await gateway.status()).backends[0]?.status === 'ready');
  await gateway.ready();
  await gateway.stop();
  return receiver.spans;
}

test('the gateway records a trace each time it reads the lists of a backend, and each time it builds its own lists', async () => {
  const spans = await spansOf(1);
  const traits = spans.map(({ name, status, attributes }) => [
    name,
    attributes['target.workload_name'],
    status === 2 ? attributes['error.type'] : 'well',
  ]);
  expect(traits).toContainEqual(['aggregator.QueryCapabilities', 'there', 'well']);
  expect(traits).toContainEqual(['aggregator.QueryCapabilities', 'away', 'connection_failed']);
  expect(traits).toContainEqual(['aggregator.QueryAllCapabilities', undefined, 'well']);
  const built = spans.filter(({ name }) => name === 'aggregator.AggregateCapabilities');
  expect(built.length).toBeGreaterThan(0);
  for (const { spanId, parentSpanId } of built) {
    expect(parentSpanId).toBe('');
    const parts = spans.filter(span => span.parentSpanId === spanId).map(({ name }) => name);
    expect(parts).toEqual(['aggregator.ResolveConflicts', 'aggregator.MergeCapabilities']);
  }
});

test('the sampling ratio also applies to the traces of reading the lists of backends and of building the lists of the gateway', async () => {
  expect(await spansOf(0)).toEqual([]);
});
