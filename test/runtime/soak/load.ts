/** Clients of every kind, which all make calls in sequence at the same time. */
import { type CallKind, callKindAt } from './calls.ts';
import type { SoakClient } from './clients/ending.ts';
import { SdkV1Client, SdkV2Client } from './clients/sdk-clients.ts';
import { SessionClient } from './clients/session-client.ts';
import { StatelessClient } from './clients/stateless-client.ts';
import { Wire } from './clients/wire.ts';
import type { Tally } from './tally.ts';

export interface LoadOptions {
  readonly url: string;
  /** Half of them have sessions, half are stateless. */
  readonly clients: number;
  /** How many of them are made with the official SDKs. */
  readonly sdkClients: number;
  /** The client stops when this returns false; `calls` is the number of its calls so far. */
  readonly goesOn: (calls: number) => boolean;
  /** No more calls begin after this time; milliseconds. */
  readonly limitMs: number;
  /** Which call is made for a number between 0 and 1. By default any kind, by its share. */
  readonly kindAt?: (place: number) => CallKind;
}

/** How long running calls may take to end: much longer than any backend's time limit. A call that takes longer is lost. */
const END_MS = 90_000;

/** In addition to one connection for each client, because answers to elicitations are sent while the call still holds one. */
const SPARE_CONNECTIONS = 64;

/** Opens the clients, lets them call, and closes them. */
export async function load(options: LoadOptions, tally: Tally): Promise<void> {
  const wire = new Wire(options.url, options.clients + SPARE_CONNECTIONS);
  const clients = Array.from({ length: options.clients }, (_, index) => clientOf(options, wire, index));
  /** Pending calls, by client. */
  const running = new Map<SoakClient, { readonly kind: CallKind; readonly nonce: string }>();
  const deadline = performance.now() + options.limitMs;
  const conversations = clients.map(async (client, index) => {
    const random = randomFrom(index + 1);
    try {
      await client.open();
      for (let n = 0; options.goesOn(n) && performance.now() < deadline; n++) {
        const kind = (options.kindAt ?? callKindAt)(random());
        const nonce = `${client.name}/${n}`;
        running.set(client, { kind, nonce });
        const ending = await client.call(`${kind.backend}_echo`, { mood: kind.mood, nonce });
        running.delete(client);
        tally.add(kind, { client: client.name, nonce }, ending);
      }
      await client.close();
    } catch (error) {
      tally.wrong(`client ${client.name} could not be opened or ended: ${(error as Error).message}`);
    }
  });
  const { promise: timeUp, resolve } = Promise.withResolvers<'time up'>();
  const timer = setTimeout(() => resolve('time up'), options.limitMs + END_MS);
  const outcome = await Promise.race([Promise.all(conversations), timeUp]);
  clearTimeout(timer);
  if (outcome === 'time up') {
    for (const [{ name }, { kind, nonce }] of running) {
      tally.add(
        kind,
        { client: name, nonce },
        { kind: 'violation', message: `has not ended ${END_MS} ms after the last call began` },
      );
    }
    if (running.size === 0) tally.wrong(`clients were not opened or ended in ${options.limitMs + END_MS} ms`);
  }
  await wire.close();
}

function clientOf({ url, sdkClients }: LoadOptions, wire: Wire, index: number): SoakClient {
  if (index < sdkClients) {
    switch (index % 3) {
      case 0:
        return new SdkV1Client(`sdk1-${index}`, url);
      case 1:
        return new SdkV2Client(`sdk2-stateless-${index}`, url, 'auto');
      default:
        return new SdkV2Client(`sdk2-session-${index}`, url, 'legacy');
    }
  }
  return index % 2 === 0
    ? new SessionClient(`session-${index}`, wire)
    : new StatelessClient(`stateless-${index}`, wire);
}

/** Pseudorandom numbers between 0 and 1 from a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
