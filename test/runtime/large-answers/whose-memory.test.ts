/**
 * Released memory belongs to a single response: a read that contains parts of several responses is not released by any while another still needs
 * it, to buffer it or to write it to a slow client.
 */
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { BackendSession } from '../../../runtime/gateway/backends/backend.ts';
import { BackendEra } from '../../../runtime/gateway/backends/era/era.ts';
import { isRestOfMemory } from '../../../runtime/tuning/release-buffer.ts';
import { IDENTITY, openEvents, sendJson, startRawServer } from '../../support/raw-server.ts';
import { Edge, planFor, RecordingSink, send } from '../backend-edge/harness.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

const WIRES = ['json', 'events', 'sse', 'sse-batch'] as const;
type Wire = (typeof WIRES)[number];

/** Lengths of responses, around the size of a read (64 KiB), of the buffer (256 KiB) and of what is worth releasing (16 KiB). */
const SIZES = [10, 17_000, 40_000, 300, 65_536, 16_384, 700_000, 1_000, 20_000, 600_000, 5, 64_000];

/** A small linear congruential generator: the same numbers for each seed. */
function* numbers(seed: number): Generator<number, never> {
  for (let n = seed; ; yield n >> 8) n = (Math.imul(n, 1_103_515_245) + 12_345) & 0x7fffffff;
}

const answerTo = (id: number) =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${String(id).padStart(SIZES[id] ?? 0, '.')}"}]}}`;

/** Writes a text in pieces, each of which is likely to be read on its own, or with the next. */
async function writePieces(response: ServerResponse, text: string, seed: number): Promise<void> {
  const random = numbers(seed);
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + (random.next().value % 90_000);
    if (!response.write(text.slice(at, end))) await new Promise(resolve => response.once('drain', resolve));
    if (random.next().value % 2 === 0) await setImmediate();
    at = end;
  }
}

/** A backend that answers all calls together, in order, or each over its own POST. */
async function startAnswering(wire: Wire, seed: number): Promise<BackendSession> {
  const isShared = wire.startsWith('sse');
  const protocolVersion = wire === 'sse-batch' ? '2025-03-26' : '2025-11-25';
  let stream: ServerResponse | undefined;
  const asked: number[] = [];
  const server = await edge.server(
    startRawServer(async ({ method, message }, response) => {
      const initialized = JSON.stringify({ jsonrpc: '2.0', id: message?.id, result: { ...IDENTITY, protocolVersion } });
      if (method === 'GET' && isShared) {
        stream = response;
        openEvents(response);
        response.write('event: endpoint\ndata: /messages\n\n');
      } else if (method !== 'POST') response.writeHead(405).end();
      else if (isShared) {
        response.writeHead(202).end();
        if (message.method === 'initialize') stream?.write(`data: ${initialized}\n\n`);
        else if (message.id !== undefined && asked.push(message.id) === SIZES.length && stream !== undefined) {
          await writePieces(stream, wire === 'sse' ? eventsOf(asked) : batchesOf(asked), seed);
        }
      } else if (message.id === undefined) response.writeHead(202).end();
      else if (message.method === 'initialize') sendJson(response, initialized);
      else {
        const type = wire === 'json' ? 'application/json' : 'text/event-stream';
        response.writeHead(200, { 'content-type': type });
        await writePieces(response, wire === 'json' ? answerTo(message.id) : eventsOf([message.id]), seed);
        response.end();
      }
    }),
  );
  // One connection for all calls, in sequence.
  const client = edge.client({ connections: 1 });
  const era = new BackendEra({ known: isShared ? 'sse' : 'session' });
  return edge.session(planFor(`${server.origin}/${isShared ? 'sse' : 'mcp'}`, 'streamable-http'), client, { era });
}

const eventsOf = (ids: readonly number[]) => ids.map(id => `data: ${answerTo(id)}\n\n`).join('');

/** The responses to these calls as event-stream text, three in each event. */
function batchesOf(ids: readonly number[]): string {
  const batches = ids.flatMap((_, at) => (at % 3 === 0 ? [ids.slice(at, at + 3)] : []));
  return batches.map(batch => `data: [${batch.map(answerTo).join(',')}]\n\n`).join('');
}

/** Releases memory as `writeAndRelease` does, as soon as possible. */
class GivingBack extends RecordingSink {
  givenBack = 0;

  override data(chunk: Uint8Array): boolean {
    if (isRestOfMemory(chunk)) {
      this.givenBack++;
      queueMicrotask(() => void (chunk.buffer as ArrayBuffer).transfer(0));
    }
    return super.data(chunk);
  }
}

/** Holds chunks longer than its response lasts, like code that buffers them or writes to a slow client. */
class Keeping extends RecordingSink {
  readonly kept: Uint8Array[] = [];

  override data(chunk: Uint8Array): boolean {
    this.kept.push(chunk);
    return super.data(chunk);
  }
}

test.each(WIRES.flatMap(wire => [1, 2, 3, 4].map(seed => [wire, seed] as const)))(
  'a large answer stays unchanged whether its receiver keeps or releases the memory of the answer: over %s, seed %i',
  async (wire, seed) => {
    const session = await startAnswering(wire, seed);
    const sinks = SIZES.map((_, id) => (id % 2 === seed % 2 ? new GivingBack() : new Keeping()));
    await Promise.all(sinks.map((sink, id) => send(session, 'tools/call', {}, { id: String(id), sink })));
    for (const [id, sink] of sinks.entries()) {
      expect(sink.error).toBeUndefined();
      expect(sink.text === answerTo(id)).toBe(true);
      if (sink instanceof Keeping) expect(Buffer.concat(sink.kept).toString() === answerTo(id)).toBe(true);
    }
    // Otherwise nothing was tested: events on a shared stream end before the read that contains them.
    const givenBack = sinks.reduce((sum, sink) => sum + (sink instanceof GivingBack ? sink.givenBack : 0), 0);
    if (wire === 'json' || wire === 'events') expect(givenBack).toBeGreaterThan(0);
  },
);
