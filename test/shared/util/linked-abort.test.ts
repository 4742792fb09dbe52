import { getEventListeners } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LinkedAbort } from '#shared/util';

test('a linked signal is aborted with its source, for the same reason', () => {
  const other = new AbortController();
  using limit = new LinkedAbort([other.signal], 60_000);
  expect(limit.signal.aborted).toBe(false);
  const reason = new Error('the controller stops');
  other.abort(reason);
  expect([limit.signal.reason, limit.isLate]).toEqual([reason, false]);
});

test('a linked signal is aborted from the start if its source is already aborted', () => {
  const reason = new Error('stopped');
  using limit = new LinkedAbort([AbortSignal.abort(reason)]);
  expect(limit.signal.reason).toBe(reason);
});

test('a linked signal is aborted after its time limit', async () => {
  using limit = new LinkedAbort([], 1);
  while (!limit.signal.aborted) await after(1);
  expect(limit.isLate).toBe(true);
  expect((limit.signal.reason as Error).name).toBe('TimeoutError');
});

test('a manual abort of a linked signal is not a timeout', () => {
  using limit = new LinkedAbort([undefined]);
  limit.abort(new Error('no sign of life'));
  expect([limit.signal.aborted, limit.isLate]).toEqual([true, false]);
});

test('a disposed linked signal leaves no listener at its source', () => {
  const other = new AbortController();
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
  const before = timers();
  for (let call = 0; call < 100; call++) {
    using limit = new LinkedAbort([other.signal], 60_000);
    expect(limit.signal.aborted).toBe(false);
  }
  expect(getEventListeners(other.signal, 'abort')).toEqual([]);
  expect(timers()).toBe(before);
  // `AbortSignal.any` stores dependent signals under symbols of its own.
  const kept = Object.getOwnPropertySymbols(other.signal).map(symbol => Reflect.get(other.signal, symbol));
  expect(kept.filter(value => value instanceof Set && value.size > 0)).toEqual([]);
});

function sources() {
  const [first, second] = [new AbortController(), new AbortController()];
  const listeners = () => [first, second].map(({ signal }) => getEventListeners(signal, 'abort').length);
  return { first, second, listeners };
}

test('a linked signal of two sources is aborted when either source is aborted, and then listens at neither source', () => {
  for (const which of ['first', 'second'] as const) {
    const all = sources();
    const linked = new LinkedAbort([all.first.signal, all.second.signal]);
    expect(linked.signal.aborted).toBe(false);
    expect(all.listeners()).toEqual([1, 1]);
    all[which].abort();
    expect(linked.signal.aborted).toBe(true);
    expect(all.listeners()).toEqual([0, 0]);
  }
});

test('a linked signal of two sources is aborted from the start when one source is aborted', () => {
  const { first, second, listeners } = sources();
  second.abort();
  expect(new LinkedAbort([first.signal, second.signal]).signal.aborted).toBe(true);
  expect(listeners()).toEqual([0, 0]);
});

test('a linked signal of two sources can be aborted by itself, without aborting its sources', () => {
  const { first, second, listeners } = sources();
  const linked = new LinkedAbort([first.signal, second.signal]);
  linked.abort();
  expect(linked.signal.aborted).toBe(true);
  expect(first.signal.aborted || second.signal.aborted).toBe(false);
  expect(listeners()).toEqual([0, 0]);
});

test('a disposed linked signal of two sources leaves no listener, and its sources no longer abort it', () => {
  const { first, second, listeners } = sources();
  const linked = new LinkedAbort([first.signal, second.signal]);
  linked[Symbol.dispose]();
  expect(listeners()).toEqual([0, 0]);
  first.abort();
  expect(linked.signal.aborted).toBe(false);
});
