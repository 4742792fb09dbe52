/** Measures how long a call to a stdio server takes, with a gateway and a bridge in between and without them. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { call, connect, PEER, plan, startBridge } from '../../bridge/running-bridge.ts';
import { stdioSpec } from '../../bridge/stdio-spec.ts';
import { type Announcement, FREE_PORTS, ready } from '../../e2e/served.ts';
import { eventually, PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { median } from '../gateway/median.ts';
import { startBareHops } from './bare-hops.ts';

/** Medians of one round, in milliseconds. */
export interface CallTimes {
  readonly directMs: number;
  /** With the SDK's HTTP client, which is slower than its stdio client. */
  readonly bridgedMs: number;
  readonly servedMs: number;
  /** Two HTTP hops to the same stdio server without Lintel's programs, with the same client. */
  readonly floorMs: number;
}

const SPECS = stdioSpec({ incomingAuth: 'anonymous' });

/** Measures calls with and without Lintel's programs in between. Client, server and tool are the same in both; calls are sequential. */
export async function measureCalls({ rounds, calls }: { readonly rounds: number; readonly calls: number }) {
  await using folder = await temporaryFolder({ 'gateway.yaml': SPECS });
  await using gateway = start(PROGRAM.lintel, ['serve', 'gateway.yaml', ...FREE_PORTS], { cwd: folder.path });
  const announcement = await gateway.announcement<Announcement>();
  await ready(announcement);
  await using bridge = await startBridge({ peer: plan(PEER) });
  await using hops = await startBareHops(PEER);
  await using bridged = await connect(bridge.urlOf('peer'));
  const client = () => new Client({ name: 'bench', version: '1' });
  const [direct, served, bare] = [client(), client(), client()];
  try {
    await direct.connect(new StdioClientTransport({ command: process.execPath, args: [PEER] }));
    await served.connect(new StreamableHTTPClientTransport(new URL(announcement.url)) as never);
    await bare.connect(new StreamableHTTPClientTransport(new URL(hops.url)) as never);
    await eventually(async () => (await served.listTools()).tools.length > 0);
    const times: CallTimes[] = [];
    // The first round warms up V8 in all processes.
    for (let round = 0; round <= rounds; round++) {
      const directMs = await medianOf(() => call(direct, 'arguments'), calls);
      const bridgedMs = await medianOf(() => call(bridged.client, 'arguments'), calls);
      const servedMs = await medianOf(() => call(served, 'peer_arguments'), calls);
      const floorMs = await medianOf(() => call(bare, 'arguments'), calls);
      if (round > 0) times.push({ directMs, bridgedMs, servedMs, floorMs });
    }
    return times;
  } finally {
    await Promise.all([direct.close(), served.close(), bare.close()]);
  }
}

async function medianOf(make: () => Promise<unknown>, calls: number): Promise<number> {
  const times: number[] = [];
  for (let made = 0; made < calls; made++) {
    const begin = performance.now();
    await make();
    times.push(performance.now() - begin);
  }
  return median(times);
}
