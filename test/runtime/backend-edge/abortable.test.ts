import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { untilAborted } from '../../../runtime/gateway/backends/until-aborted.ts';

const stop = new AbortController();

test.each([
  ['succeeded', () => Promise.resolve(1)],
  ['failed', () => Promise.reject(new Error('no'))],
])('untilAborted removes its listener from the abort signal when the work has %s', async (_name, work) => {
  await untilAborted<unknown>(work(), stop.signal).catch(() => {});
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('untilAborted rejects with the reason of an abort, and work that fails after the abort causes no unhandled rejection', async () => {
  const stop = new AbortController();
  const work = Promise.withResolvers<never>();
  const waiting = untilAborted(work.promise, stop.signal);
  stop.abort('why');
  await expect(waiting).rejects.toBe('why');
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  work.reject(new Error('late'));
  await expect(untilAborted(Promise.reject(new Error('late')), stop.signal)).rejects.toBe('why');
});
