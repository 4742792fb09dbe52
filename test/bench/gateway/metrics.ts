/** Measures what metrics cost each call, without a gateway, in turn with a few lines that record the same with the OpenTelemetry SDK. */
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { ObservedResponder } from '../../../runtime/observe/requests/observed-responder.ts';
import { RequestCounts } from '../../../runtime/observe/requests/request-counts.ts';
import { median } from './median.ts';
import { ANSWER, CALLS_OF_A_ROUND, NOWHERE } from './nowhere.ts';

const METHOD = 'tools/call';
const SENT = { backend: 'b', kind: 'tool', name: 'b_t', originalName: 't' } as const;

/** Microseconds of processor time for each call. */
export interface MetricsCost {
  readonly us: number;
  readonly bareUs: number;
}

export function measureMetrics(rounds: number): MetricsCost {
  const [observe, observeBare] = [openMetrics(), openBareMetrics()];
  const costs: MetricsCost[] = [];
  for (let round = 0; round <= rounds; round++) {
    const cost = { us: measureCalls(observe), bareUs: measureCalls(observeBare) };
    // The first round is not counted, because V8 compiles in it.
    if (round > 0) costs.push(cost);
  }
  return { us: median(costs.map(({ us }) => us)), bareUs: median(costs.map(({ bareUs }) => bareUs)) };
}

function measureCalls(call: () => void): number {
  const before = process.cpuUsage();
  for (let calls = 0; calls < CALLS_OF_A_ROUND; calls++) call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS_OF_A_ROUND;
}

function openMetrics(): () => void {
  const counts = new RequestCounts();
  const request = { method: METHOD, revision: '2025-11-25', transport: 'streamable-http' } as const;
  return () => {
    const observed = new ObservedResponder(NOWHERE, request, counts);
    observed.sentTo(SENT);
    observed.start(ANSWER.length);
    observed.data(ANSWER);
    observed.end();
  };
}

/** Records the time since a call arrived and the time since its backend got it, by method, tool and whether the call failed. */
function openBareMetrics(): () => void {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meter = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] }).getMeter('bare');
  const total = meter.createHistogram('mcp.server.operation.duration', { unit: 's' });
  const atBackend = meter.createHistogram('mcp.client.operation.duration', { unit: 's' });
  return () => {
    const startedAt = performance.now();
    const sentAt = performance.now();
    const isError = ANSWER.includes('"isError":true') || ANSWER.includes('"error":');
    const now = performance.now();
    const attributes = {
      'mcp.method.name': METHOD,
      'gen_ai.tool.name': SENT.name,
      ...(isError ? { 'error.type': 'tool_error' } : {}),
    };
    total.record((now - startedAt) / 1_000, attributes);
    atBackend.record((now - sentAt) / 1_000, attributes);
  };
}
