import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { type Gateway, initialize, open, startGateway } from './fake-gateway.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const note = (n: number): string =>
  `{"jsonrpc":"2.0","method":"notifications/message","params":{"n":${n},"pad":"${'é'.repeat(n * 7)}"}}`;

/** Reads a number of bytes, then closes the connection; returns the complete events. */
async function readTorn(res: IncomingMessage, limit: number): Promise<{ events: string[]; hasEnded: boolean }> {
  let read = Buffer.alloc(0);
  const hasEnded = await new Promise<boolean>(resolve => {
    res.on('error', () => resolve(false)).on('close', () => resolve(res.complete && read.length < limit));
    res.on('data', (chunk: Buffer) => {
      read = Buffer.concat([read, chunk]);
      if (read.length >= limit) res.destroy();
    });
  });
  const text = read.subarray(0, limit).toString();
  return { events: text.split('\n\n').slice(0, -1), hasEnded };
}

interface Tearing {
  /** Number of messages before the response. */
  readonly messages: number;
  /** How many messages are sent before the client begins to read; if there are fewer, the response is included. */
  readonly early: number;
  /** Bytes of each part of the response; none for one that is sent whole. */
  readonly parts: readonly number[];
  /** Number of bytes after which each connection breaks; the last one does not. */
  readonly cuts: readonly number[];
}

/** A client that reconnects after each break; returns the messages that it received, in order. */
async function converse({ url }: Gateway, session: string, answers: ClientResponder[], tearing: Tearing) {
  const { messages, early, parts, cuts } = tearing;
  const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': session };
  let res = await open(url, 'POST', headers, '{"jsonrpc":"2.0","id":"x","method":"slow"}');
  await vi.waitFor(() => expect(answers).toHaveLength(1), { interval: 1 });
  const answer = answers.shift();
  const text = parts.map((size, part) => String(part % 10).repeat(size)).join('');
  const steps = [
    ...Array.from({ length: messages }, (_, index) => () => void answer?.message(note(index + 1))),
    ...(parts.length === 0
      ? [() => answer?.result('""')]
      : [
          () => answer?.start(undefined),
          () => void answer?.data(bytes('{"jsonrpc":"2.0","id":"x",\n"result":"')),
          ...parts.map((size, part) => () => void answer?.data(bytes(String(part % 10).repeat(size)))),
          () => void answer?.data(bytes('"}')),
          () => answer?.end(),
        ]),
  ];
  for (const step of steps.splice(0, early)) step();
  /** The rest is sent both while the client reads and while it is disconnected. */
  const next = (): void => {
    steps.shift()?.();
    if (steps.length > 0) setImmediate(next);
  };
  setImmediate(next);
  const got: unknown[] = [];
  let lastId: string | undefined;
  for (const cut of [...cuts, Number.MAX_SAFE_INTEGER]) {
    const { events, hasEnded } = await readTorn(res, lastId === undefined ? Math.max(cut, 100) : cut);
    for (const event of events) {
      lastId = /^id: (.*)$/m.exec(event)?.[1] ?? lastId;
      const data = /^data: (.+)$/m.exec(event)?.[1];
      if (data !== undefined) got.push(JSON.parse(data));
    }
    if (hasEnded) return { got, text };
    const again = { Accept: 'text/event-stream', 'Mcp-Session-Id': session, 'Last-Event-ID': lastId };
    res = await open(url, 'GET', again);
    if (res.statusCode === 405) return { got, text };
  }
  return { got, text };
}

const tearings: fc.Arbitrary<Tearing> = fc.record({
  messages: fc.integer({ min: 1, max: 12 }),
  early: fc.nat(20),
  parts: fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 5 }),
  cuts: fc.array(fc.oneof(fc.nat(300), fc.nat(100_000)), { maxLength: 8 }),
});

test('a client whose connections break at any points gets every message once and in order, and then the answer', async () => {
  const answers: ClientResponder[] = [];
  const gateway = await startGateway({
    slow: answer => {
      answers.push(answer);
      answer.hold();
    },
  });
  await fc.assert(
    fc.asyncProperty(tearings, async tearing => {
      const session = await initialize(gateway.url);
      const { got, text } = await converse(gateway, session, answers, tearing);
      const messages = Array.from({ length: tearing.messages }, (_, index) => JSON.parse(note(index + 1)));
      expect(got).toEqual([...messages, { jsonrpc: '2.0', id: 'x', result: text }]);
    }),
    { seed: 20261123, numRuns: 150 },
  );
});
