import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { LinkedAbort } from '../../../runtime/gateway/backend/linked-abort.ts';

function sources() {
  const [first, second] = [new AbortController(), new AbortController()];
  const listeners = () => [first, second].map(({ signal }) => getEventListeners(signal, 'abort').length);
  return { first, second, listeners };
}

test('aborts with either source, and leaves both', () => {
  for (const which of ['first', 'second'] as const) {
    const all = sources();
    const linked = new LinkedAbort(all.first.signal, all.second.signal);
    expect(linked.signal.aborted).toBe(false);
    expect(all.listeners()).toEqual([1, 1]);
    all[which].abort();
    expect(linked.signal.aborted).toBe(true);
    expect(all.listeners()).toEqual([0, 0]);
  }
});

test('is aborted from the start when a source is', () => {
  const { first, second, listeners } = sources();
  second.abort();
  expect(new LinkedAbort(first.signal, second.signal).signal.aborted).toBe(true);
  expect(listeners()).toEqual([0, 0]);
});

test('aborts of its own, and its sources do not', () => {
  const { first, second, listeners } = sources();
  const linked = new LinkedAbort(first.signal, second.signal);
  linked.abort();
  expect(linked.signal.aborted).toBe(true);
  expect(first.signal.aborted || second.signal.aborted).toBe(false);
  expect(listeners()).toEqual([0, 0]);
});

test('once released, nothing is left at its sources, and they abort it no more', () => {
  const { first, second, listeners } = sources();
  const linked = new LinkedAbort(first.signal, second.signal);
  linked.release();
  expect(listeners()).toEqual([0, 0]);
  first.abort();
  expect(linked.signal.aborted).toBe(false);
});
