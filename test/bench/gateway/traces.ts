/** Measures what traces cost a call, compared with the same gateway without them. */
import { telemetryPlan } from '../../runtime/otlp/plans.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { type CallCost, type CostOptions, measureCost, sessionHeads, type Target } from './call-cost.ts';
import { sessionCall } from './calls.ts';
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
