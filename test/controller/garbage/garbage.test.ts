import { afterEach, expect, test, vi } from 'vitest';
import { collectGarbage } from '#shared/util';
import { IdleGc } from '../../../controller/tuning/idle-gc.ts';

afterEach(() => vi.useRealTimers());

test('the garbage collection of the controller frees unreferenced memory, and `globalThis.gc` stays hidden', () => {
  const gone = new WeakRef(new Array(1_000_000).fill(0));
  expect(gone.deref()).toHaveLength(1_000_000);
  return new Promise<void>((resolve, reject) =>
    // V8 keeps the target of a dereferenced WeakRef until the end of the task.
    setImmediate(() => {
      try {
        collectGarbage();
        expect(gone.deref()).toBeUndefined();
        expect(globalThis).not.toHaveProperty('gc');
        resolve();
      } catch (error) {
        reject(error);
      }
    }),
  );
});

test('the controller collects garbage once after a burst of work', () => {
  vi.useFakeTimers();
  let collections = 0;
  using garbage = new IdleGc(1_000, () => {
    collections += 1;
  });
  for (let step = 0; step < 5; step++) {
    garbage.worked();
    vi.advanceTimersByTime(999);
  }
  expect(collections).toBe(0);
  vi.advanceTimersByTime(1);
  expect(collections).toBe(1);
  vi.advanceTimersByTime(10_000);
  expect(collections).toBe(1);
});

test('the controller collects no garbage after it is shut down', () => {
  vi.useFakeTimers();
  let collections = 0;
  {
    using garbage = new IdleGc(1_000, () => {
      collections += 1;
    });
    garbage.worked();
  }
  vi.advanceTimersByTime(10_000);
  expect(collections).toBe(0);
});
