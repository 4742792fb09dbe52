import { expect, test, vi } from 'vitest';
import { type EndedStream, EndedStreams, MAX_ENDED_BYTES } from '../../../runtime/mcp/ended-streams.ts';
import { ReplayBuffer } from '../../../runtime/mcp/replay-buffer.ts';

/** A session with one ended stream of one event. */
function endedStream(all: EndedStreams, text: string) {
  const buffer = new ReplayBuffer(() => false);
  buffer.add(1, 1, text);
  const keeper = {
    forgotten: false,
    forgetEnded(stream: EndedStream): void {
      keeper.forgotten = true;
      all.delete(stream);
    },
  };
  return { keeper, stream: all.add({ number: 1, name: '1.1', request: '1', events: buffer.after(1, 0), keeper }) };
}

test('all sessions together keep so many bytes, and the oldest make room', () => {
  const all = new EndedStreams(60_000);
  const text = 'x'.repeat(1024 * 1024 - 2048);
  const fitting = MAX_ENDED_BYTES / (1024 * 1024);
  const streams = Array.from({ length: fitting + 2 }, () => endedStream(all, text));
  expect(streams.map(({ keeper }) => keeper.forgotten)).toEqual(streams.map((_, index) => index < 2));
  expect(all.size).toBe(fitting);
});

test('small ones count for what they take beside their text', () => {
  const all = new EndedStreams(60_000);
  for (let n = 0; n < 50_000; n++) endedStream(all, 'x');
  expect(all.size).toBeGreaterThan(10_000);
  expect(all.size).toBeLessThan(MAX_ENDED_BYTES / 1000);
});

test('what its keeper forgets makes room at once', () => {
  const all = new EndedStreams(60_000);
  const { keeper, stream } = endedStream(all, 'x');
  keeper.forgetEnded(stream);
  keeper.forgetEnded(stream);
  expect(all.size).toBe(0);
});

test('none stays longer than the window, and the next one begins another', async () => {
  const all = new EndedStreams(20);
  for (let round = 0; round < 2; round++) {
    const { keeper } = endedStream(all, 'x');
    expect(keeper.forgotten).toBe(false);
    await vi.waitFor(() => expect(all.size).toBe(0));
    expect(keeper.forgotten).toBe(true);
  }
});
