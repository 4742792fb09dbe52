/** What a collector gets from a gateway with several processes. */
import { expect, test } from 'vitest';
import { backendPlan } from '../../support/gateway.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { telemetryPlan } from '../otlp/plans.ts';
import { disposable } from '../scale-out/wire.ts';
import { startTree } from './worker-tree.ts';

const CALLS = 12;

test('each worker exports the spans and counts of its own requests, also those that are not yet exported when the worker stops', async () => {
  await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
  await using receiver = await disposable(startOtlpReceiver({ protocol: 'http/protobuf' }));
  const { endpoint } = receiver.peer;
  const telemetry = telemetryPlan({ endpoint, protocol: 'http/protobuf' });
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)], telemetry });
  const client = await tree.connect();
  for (let at = 0; at < CALLS; at++) await client.callTool({ name: 'one_echo', arguments: { at } });
  await client.close();
  tree.program.kill('SIGTERM');
  await tree.program.ending;
  const spans = receiver.peer.spans.filter(({ name, kind }) => name === 'tools/call one_echo' && kind === 2);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(CALLS);
  const instances = new Set(spans.map(({ resource }) => resource['service.instance.id']));
  expect(instances.size, 'both workers have served calls').toBe(2);
  // Counts are cumulative, so each worker's latest one is used.
  const latest = new Map<unknown, number>();
  for (const { name, points, resource } of receiver.peer.metrics) {
    if (name !== 'mcp.server.operation.duration') continue;
    const calls = points.filter(({ attributes }) => attributes['gen_ai.tool.name'] === 'one_echo');
    latest.set(
      resource['service.instance.id'],
      calls.reduce((sum, { count }) => sum + count, 0),
    );
  }
  expect([...latest.values()].reduce((sum, count) => sum + count, 0)).toBe(CALLS);
});
