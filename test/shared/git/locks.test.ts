/** A lock with a given name has one holder at a time. */
import { expect, test } from 'vitest';
import { Locks } from '../../../shared/git/locks.ts';

const never = new AbortController().signal;

test('requests for one lock get it in their order, and a request for a lock with another key gets that lock at once', async () => {
  const locks = new Locks();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = locks.with('a', never, async () => {
    await gate.promise;
    order.push('first');
  });
  const second = locks.with('a', never, async () => void order.push('second'));
  await locks.with('b', never, async () => void order.push('other'));
  expect(locks.isHeld('a')).toBe(true);
  gate.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['other', 'first', 'second']);
});

test('when a waiting request for a lock is aborted, the request after it still waits until the lock is free', async () => {
  const locks = new Locks();
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const first = locks.with('a', never, async () => {
    await gate.promise;
    order.push('first');
  });
  const caller = new AbortController();
  const second = locks.with('a', caller.signal, async () => void order.push('second'));
  const third = locks.with('a', never, async () => void order.push('third'));
  const reason = new Error('given up');
  caller.abort(reason);
  await expect(second).rejects.toBe(reason);
  gate.resolve();
  await Promise.all([first, third]);
  expect(order).toEqual(['first', 'third']);
});

test('a lock is free again after the work under it has failed, and a free lock takes no memory', async () => {
  const locks = new Locks();
  await expect(locks.with('a', never, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await locks.with('a', never, async () => 1)).toBe(1);
  await Promise.resolve();
  expect(locks.isHeld('a')).toBe(false);
});
