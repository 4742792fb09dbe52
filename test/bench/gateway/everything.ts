/** Measures what a call costs with every feature that a spec can turn on, compared with a gateway for anonymous callers. */

import { join } from 'node:path';
import { telemetryPlan } from '../../runtime/otlp/plans.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { AUDIT_PLAN } from './audit.ts';
import { type CallCost, type CostOptions, measureCost, sessionHeads, type Target } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { LIMITS } from './limits.ts';
import { PLAIN_POLICIES } from './policies.ts';
import { type Server, startBackend, startGateway } from './processes.ts';
import { waitForStore } from './shared-sessions.ts';
import { startTokenIssuer } from './token-issuer.ts';

const NAMES = new Map([['json', 'json/mcp']]);

/**
 * The gateway has a cached token, 20 policies, sessions in Redis, rate limits in memory, an audit file, metrics, and traces of 5 % of all calls.
 * Needs `redis-server`.
 */
export async function measureEverything(options: CostOptions): Promise<readonly CallCost[]> {
  const { folder } = options;
  await using issuer = await startTokenIssuer();
  await using backend = await startBackend();
  await using redis = await RedisServer.start();
  const receiver = await startOtlpReceiver({ protocol: 'http/protobuf' });
  try {
    await using anonymous = await startGateway(folder, backend, NAMES);
    await using everything = await startGateway(folder, backend, NAMES, {
      policy: {
        incomingAuth: issuer.plan,
        authorization: PLAIN_POLICIES,
        sessionStorage: { redis: redisPlan({ addresses: [redis.address] }), keyPrefix: '' },
        rateLimiting: { store: null, ...LIMITS },
        audit: { ...AUDIT_PLAN, file: join(folder, 'audit-of-everything.jsonl') },
        telemetry: telemetryPlan({ endpoint: receiver.endpoint, samplingRate: 0.05, metrics: true }),
      },
    });
    await waitForStore(everything);
    const targetOf = async (name: string, gateway: Server, token?: string): Promise<Target> => ({
      name,
      gateway,
      job: { url: gateway.url, heads: await sessionHeads(gateway.url, token), body: sessionCall('json_tool_0') },
    });
    const baseline = await targetOf('anonymous', anonymous);
    const target = await targetOf('everything on', everything, await issuer.token('a caller'));
    // Awaited here, because the processes end with this function.
    const costs = await measureCost(baseline, [target], options);
    return costs;
  } finally {
    await receiver.close();
  }
}
