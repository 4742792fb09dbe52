import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ClientStream } from '../../../runtime/mcp/client-stream.ts';
import { type EndedStream, EndedStreams, MAX_ENDED_BYTES } from '../../../runtime/mcp/ended-streams.ts';
import { ReplayBuffer, type ReplayStream } from '../../../runtime/mcp/replay-buffer.ts';
import { ReplayStore } from '../../../runtime/mcp/replay-store.ts';
import { SessionStreams } from '../../../runtime/mcp/session-streams.ts';
import { StreamConnections } from '../../../runtime/mcp/stream-connection.ts';
import { UnreadBytes } from '../../../runtime/mcp/unread-bytes.ts';

/** A session with one ended stream of one event. */
function endedStream(all: EndedStreams, text: string) {
  const buffer = new ReplayBuffer(() => false, new ReplayStore());
  const replayStream: ReplayStream = [];
  buffer.add(replayStream, 1, text);
  const keeper = {
    forgotten: false,
    forgetEnded(stream: EndedStream): void {
      keeper.forgotten = true;
      all.delete(stream);
    },
  };
  return { keeper, stream: all.add(keeper, { number: 1, name: '1.1', request: '1', replayStream }) };
}

test('the gateway stores the ended streams of all sessions up to a total size, and beyond this size drops the oldest', () => {
  const all = new EndedStreams(60_000);
  const text = 'x'.repeat(1024 * 1024 - 2048);
  const fitting = MAX_ENDED_BYTES / (1024 * 1024);
  const streams = Array.from({ length: fitting + 2 }, () => endedStream(all, text));
  expect(streams.map(({ keeper }) => keeper.forgotten)).toEqual(streams.map((_, index) => index < 2));
  expect(all.size).toBe(fitting);
});

test('many small ended streams count toward the total size with more than their text', () => {
  const all = new EndedStreams(60_000);
  for (let n = 0; n < 50_000; n++) endedStream(all, 'x');
  expect(all.size).toBeGreaterThan(10_000);
  expect(all.size).toBeLessThan(MAX_ENDED_BYTES / 1000);
});

test('when a session drops an ended stream, the stream no longer counts toward the total size', () => {
  const all = new EndedStreams(60_000);
  const { keeper, stream } = endedStream(all, 'x');
  keeper.forgetEnded(stream);
  keeper.forgetEnded(stream);
  expect(all.size).toBe(0);
});

test('the gateway stores an ended stream until the resume window is over, and each stream has its own window', async () => {
  const all = new EndedStreams(20);
  for (let round = 0; round < 2; round++) {
    const { keeper } = endedStream(all, 'x');
    expect(keeper.forgotten).toBe(false);
    await vi.waitFor(() => expect(all.size).toBe(0));
    expect(keeper.forgotten).toBe(true);
  }
});

test('the gateway does not store a stream that ends after its session', async () => {
  const ended = new EndedStreams(60_000);
  const replayStore = new ReplayStore();
  const options = {
    protocolVersion: '2025-11-25',
    resumeWindowMs: 60_000,
    ended,
    replayStore,
    onDisconnect: () => {},
  };
  const outlets = new StreamConnections(60_000, new UnreadBytes());
  const sessions = [new SessionStreams(options), new SessionStreams(options)] as const;
  const begun: ClientStream[] = [];
  const server = createServer((_, res) => {
    const session = sessions[begun.length];
    const stream = session?.create({ outlets, request: '1' });
    stream?.open(res);
    if (stream !== undefined) begun.push(stream);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const responses = [await fetch(url), await fetch(url)];
  sessions[0].close();
  for (const stream of begun) stream.answer('{}');
  for (const response of responses) expect(await response.text()).toContain('id: 1.1-end');
  await vi.waitFor(() => expect(ended.size).toBe(1));
  sessions[1].close();
  expect(ended.size).toBe(0);
});
