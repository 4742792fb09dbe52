/**
 * Measures what telemetry costs a call. Traces are compared with the same gateway without them. Metrics, which every gateway has, are measured
 * without a gateway.
 */
import { ObservedResponder } from '../../../runtime/observe/requests/observed-responder.ts';
import { RequestCounts } from '../../../runtime/observe/requests/request-counts.ts';
import { telemetryPlan } from '../../runtime/otlp/plans.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { type CallCost, type CostOptions, measureCost, sessionHeads, type Target } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { median } from './median.ts';
import { ANSWER, CALLS_OF_A_ROUND, NOWHERE } from './nowhere.ts';
import { type Server, startBackend, startGateway } from './processes.ts';

const NAMES = new Map([['json', 'json/mcp']]);

/** Measures the cost of traces of 5 % of all calls, which the gateway sends to a collector. */
export async function measureTraces(options: CostOptions): Promise<readonly CallCost[]> {
  const { folder } = options;
  await using backend = await startBackend();
  const receiver = await startOtlpReceiver({ protocol: 'http/protobuf' });
  try {
    const targetOf = async (name: string, gateway: Server): Promise<Target> => ({
      name,
      gateway,
      job: { url: gateway.url, heads: await sessionHeads(gateway.url), body: sessionCall('json_tool_0') },
    });
    await using plain = await startGateway(folder, backend, NAMES);
    const telemetry = telemetryPlan({ endpoint: receiver.endpoint, samplingRate: 0.05, metrics: false });
    await using traced = await startGateway(folder, backend, NAMES, { policy: { telemetry } });
    const [baseline, target] = [await targetOf('without', plain), await targetOf('traces of 5 %', traced)];
    // Awaited here, because the processes end with this function.
    const costs = await measureCost(baseline, [target], options);
    return costs;
  } finally {
    await receiver.close();
  }
}

/** The microseconds of processor time that metrics cost each call. */
export function measureMetrics(rounds: number): number {
  const counts = new RequestCounts();
  const request = { method: 'tools/call', revision: '2025-11-25', transport: 'streamable-http' } as const;
  const sent = { backend: 'b', kind: 'tool', name: 'b_t', originalName: 't' } as const;
  const costs = [];
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    for (let call = 0; call < CALLS_OF_A_ROUND; call++) {
      const answer = new ObservedResponder(NOWHERE, request, counts);
      answer.sentTo(sent);
      answer.start(ANSWER.length);
      answer.data(ANSWER);
      answer.end();
    }
    const { user, system } = process.cpuUsage(before);
    // The first round is not counted, because V8 compiles in it.
    if (round > 0) costs.push((user + system) / CALLS_OF_A_ROUND);
  }
  return median(costs);
}
