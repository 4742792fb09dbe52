/**
 * Measures what an audit line, a Redis script and traces cost a bare proxy that uses the usual library for each. The results show the gateway's
 * costs next to these, because microseconds alone describe the machine as much as the code.
 */
import { join } from 'node:path';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { type CallCost, type CostOptions, measureCost, sessionHeads, type Target } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { type Server, startBackend, startBareProxy, startGateway } from './processes.ts';

const NAMES = new Map([['json', 'json/mcp']]);

/** @param hasRedis whether `redis-server` is installed */
export async function measureBareCosts(options: CostOptions, hasRedis: boolean): Promise<readonly CallCost[]> {
  const { folder } = options;
  await using backend = await startBackend();
  await using gateway = await startGateway(folder, backend, NAMES);
  // The bare proxy ignores sessions, but the requests should be the same.
  const heads = await sessionHeads(gateway.url);
  const targetOf = (name: string, server: Server): Target => ({
    name,
    gateway: server,
    job: { url: server.url, heads, body: sessionCall('json_tool_0') },
  });
  const receiver = await startOtlpReceiver({ protocol: 'http/protobuf' });
  try {
    await using plain = await startBareProxy(backend, '--lean');
    await using recording = await startBareProxy(backend, '--lean', `--record=${join(folder, 'bare.jsonl')}`);
    await using traced = await startBareProxy(backend, '--lean', `--traces=${receiver.endpoint}`);
    const targets = [
      targetOf('a line in a file, bare proxy', recording),
      targetOf('traces of 5 % by the OpenTelemetry SDK, bare proxy', traced),
    ];
    if (!hasRedis) return await measureCost(targetOf('bare', plain), targets, options);
    await using redis = await RedisServer.start();
    await using counting = await startBareProxy(backend, '--lean', `--redis=${redis.address}`);
    targets.push(targetOf('a script in Redis by ioredis, bare proxy', counting));
    return await measureCost(targetOf('bare', plain), targets, options);
  } finally {
    await receiver.close();
  }
}
