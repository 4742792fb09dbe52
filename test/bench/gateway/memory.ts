/** What idle sessions and large answers take. */
import { sessionHead } from './calls.ts';
import { forgetPeak, memoryMb, type Server, startBackend, startBareHttp, startGateway } from './processes.ts';
import { openSession } from './throughput.ts';

const NAMES = new Map([
  ['json', 'json/mcp'],
  ['sse', 'sse/mcp'],
]);

export interface Memory {
  readonly restMb: number;
  readonly bareMb: number;
  readonly sessionsMb: number;
  readonly bigJsonMb: number;
  readonly bigSseMb: number;
}

/** @param sessions how many are opened, at most the gateway's ceiling less a few */
export async function measureMemory(folder: string, sessions: number): Promise<Memory> {
  await using backend = await startBackend();
  await using bare = await startBareHttp();
  await fetch(bare.url).then(response => response.text());
  await using gateway = await startGateway(folder, backend, NAMES);
  const head = sessionHead(await openSession(gateway.url));
  const restMb = await settledMb(gateway);
  const bareMb = await settledMb(bare);
  const bigJsonMb = await extraOfBigMb(gateway, head, 'json_big');
  const bigSseMb = await extraOfBigMb(gateway, head, 'sse_big');
  await using fresh = await startGateway(folder, backend, NAMES);
  await openSession(fresh.url);
  const before = await settledMb(fresh);
  for (let open = 1; open < sessions; open += 50) {
    await Promise.all(Array.from({ length: Math.min(50, sessions - open) }, () => openSession(fresh.url)));
  }
  return { restMb, bareMb, sessionsMb: (await settledMb(fresh)) - before, bigJsonMb, bigSseMb };
}

async function settledMb({ pid }: Server): Promise<number> {
  await new Promise(done => setTimeout(done, 1_000));
  return (await memoryMb(pid)).now;
}

/** The peak while a 50 MB answer passes, over what the process had before. */
async function extraOfBigMb({ url, pid }: Server, head: string, name: string): Promise<number> {
  await forgetPeak(pid);
  const { now } = await memoryMb(pid);
  const headers = Object.fromEntries(
    head
      .trimEnd()
      .split('\r\n')
      .map(line => line.split(': ') as [string, string]),
  );
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  if (bytes < 50 * 1024 * 1024) throw new Error(`${name}: ${bytes} bytes came`);
  return (await memoryMb(pid)).peak - now;
}
