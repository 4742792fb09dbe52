/** Measures the memory that a gateway needs for idle sessions and for large responses. */
import {
  forgetPeak,
  memoryMb,
  type Server,
  startBackend,
  startBareHttp,
  startBareProxy,
  startGateway,
} from './processes.ts';
import { type Framing, openSession } from './throughput.ts';

const NAMES = new Map([
  ['json', 'json/mcp'],
  ['sse', 'sse/mcp'],
]);

export interface Memory {
  readonly restMb: number;
  readonly bareMb: number;
  readonly sessionsMb: number;
  /** The additional memory while the process forwards a large response, in a process that has handled only small ones. */
  readonly big: Readonly<Record<Framing, { readonly mb: number; readonly bareMb: number }>>;
}

/** @param sessions number of sessions to open, a few fewer than the gateway's limit */
export async function measureMemory(folder: string, sessions: number): Promise<Memory> {
  await using backend = await startBackend();
  await using bare = await startBareHttp();
  await fetch(bare.url).then(response => response.text());
  await using gateway = await startGateway(folder, backend, NAMES);
  await openSession(gateway.url);
  const restMb = await settledMb(gateway);
  const bareMb = await settledMb(bare);
  for (let open = 1; open < sessions; open += 50) {
    await Promise.all(Array.from({ length: Math.min(50, sessions - open) }, () => openSession(gateway.url)));
  }
  const sessionsMb = (await settledMb(gateway)) - restMb;
  const bigOf = async (framing: Framing) => ({
    mb: await extraOfBigMb(await startGateway(folder, backend, NAMES), framing, true),
    bareMb: await extraOfBigMb(await startBareProxy(backend), framing, false),
  });
  return { restMb, bareMb, sessionsMb, big: { json: await bigOf('json'), sse: await bigOf('sse') } };
}

async function settledMb({ pid }: Server): Promise<number> {
  await new Promise(done => setTimeout(done, 2_500));
  return (await memoryMb(pid)).now;
}

/** The peak of memory during a response of 50 MB, minus the memory before. Ends the process. */
async function extraOfBigMb(server: Server, framing: Framing, opensSession: boolean): Promise<number> {
  await using proxy = server;
  const session = opensSession ? await openSession(proxy.url) : undefined;
  await answerBytes(proxy.url, session, `${framing}_tool_0`);
  const before = await settledMb(proxy);
  await forgetPeak(proxy.pid);
  const bytes = await answerBytes(proxy.url, session, `${framing}_big`);
  if (bytes < 50 * 1024 * 1024) throw new Error(`${framing}: ${bytes} bytes came`);
  return (await memoryMb(proxy.pid)).peak - before;
}

async function answerBytes(url: string, session: string | undefined, name: string): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return bytes;
}
