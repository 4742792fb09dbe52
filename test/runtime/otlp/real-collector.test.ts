/** A real collector accepts a gateway's traces, metrics and audit records. */
import { afterEach, expect, test } from 'vitest';
import { backendPlan } from '../../support/gateway.ts';
import { startCollector, withCollector } from '../../support/otel-collector.ts';
import { eventually } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startAudited, withEnvironment } from '../audit/audited-gateway.ts';
import { telemetryPlan } from './plans.ts';

const closing: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

withCollector('a collector', () => {
  test.each(['http/protobuf', 'grpc'] as const)(
    'an OpenTelemetry Collector accepts the traces, metrics and logs of the runtime over %s',
    async protocol => {
      const collector = await startCollector();
      closing.push(() => collector[Symbol.asyncDispose]());
      const endpoint = collector.endpoints[protocol];
      withEnvironment({ OTEL_METRIC_EXPORT_INTERVAL: '200', LINTEL_AUDIT_OTLP_ENDPOINT: endpoint });
      const backend = await startSdkServer({ transport: 'streamable-http', json: true });
      closing.push(() => backend.close());
      const telemetry = telemetryPlan({ endpoint, protocol });
      const log = await startAudited({ backends: [backendPlan('s', backend.url)], telemetry });
      const client = await log.gateway.connect();
      await client.callTool({ name: 's_echo', arguments: {} });
      const { audit_id: id } = await log.recordOf('mcp_tool_call');
      const arrived = (...texts: readonly (string | RegExp)[]) =>
        eventually(() => texts.every(text => collector.text.search(text) !== -1));
      await arrived(/LogRecord #0/, new RegExp(`Body: Str\\(\\{.*"audit_id":"${id}"`), /SeverityText: AUDIT/);
      await arrived(/Name +: tools\/call s_echo\n/, /Name +: tools\/call echo\n/, /Kind +: Client\n/);
      await arrived(/-> Name: mcp\.server\.operation\.duration\n/, /-> Name: lintel_mcp_tool_calls\n/);
      const counted = await (await fetch(`${log.gateway.internalUrl}/metrics`)).text();
      expect(counted).not.toMatch(/lintel_telemetry_(?:failed|dropped)_items_total\{[^}]*\} [1-9]/);
      expect(collector.text).toMatch(/service\.name: Str\(gateway\)/);
    },
  );
});
