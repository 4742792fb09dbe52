/**
 * Measures the first call in a session whose client has an open notification stream: the gateway then waits until the backend's notification
 * stream is open, if the backend has one.
 */
import { RawClient } from '../../support/raw-client.ts';
import { sessionCall } from './calls.ts';
import { median } from './median.ts';
import { startBackend, startGateway } from './processes.ts';

/** Duration of a first call; milliseconds, medians. */
export interface FirstCall {
  /** The client has no open stream, so the gateway does not wait. */
  readonly unheardMs: number;
  readonly listeningMs: number;
}

export interface FirstCalls {
  readonly withStream: FirstCall;
  readonly withoutStream: FirstCall;
}

/** Measures first calls alternately in sessions with and without a client's stream. */
export async function measureFirstCalls(folder: string, rounds: number): Promise<FirstCalls> {
  await using backend = await startBackend();
  const names = new Map([
    ['plain', 'plain/mcp'],
    ['standing', 'standing/mcp'],
  ]);
  await using gateway = await startGateway(folder, backend, names);
  const measure = async (name: string): Promise<FirstCall> => {
    const unheard: number[] = [];
    const listening: number[] = [];
    await firstCall(gateway.url, name, false); // The gateway may still be starting.
    for (let round = 0; round < rounds; round++) {
      unheard.push(await firstCall(gateway.url, name, false));
      listening.push(await firstCall(gateway.url, name, true));
    }
    return { unheardMs: median(unheard), listeningMs: median(listening) };
  };
  return { withStream: await measure('standing'), withoutStream: await measure('plain') };
}

async function firstCall(url: string, backend: string, listens: boolean): Promise<number> {
  const client = new RawClient(url);
  await client.open();
  const stop = new AbortController();
  if (listens) {
    const headers = { accept: 'text/event-stream', 'mcp-session-id': client.sessionId ?? '' };
    await fetch(url, { headers, signal: stop.signal });
  }
  const { params } = JSON.parse(sessionCall(`${backend}_tool_0`)) as { params: unknown };
  const begin = performance.now();
  await client.result('tools/call', params);
  const tookMs = performance.now() - begin;
  stop.abort();
  await client.end();
  return tookMs;
}
