import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WorkQueue, type WorkQueueOptions } from '../../../controller/kube/index.ts';
import { settle, TestClock } from '../../support/test-clock.ts';

interface Run {
  readonly key: string;
  readonly at: number;
  readonly signal: AbortSignal;
  finish(againMs?: number): Promise<void>;
  fail(): Promise<void>;
}

/** A queue whose work ends when the test decides. */
function queueOf(options: Partial<WorkQueueOptions> = {}) {
  const clock = new TestClock();
  const runs: Run[] = [];
  const errors: string[] = [];
  const queue = new WorkQueue({
    concurrency: 2,
    clock,
    random: () => 0.5,
    onError: (key, error, retryMs) => errors.push(`${key} ${(error as Error).message} ${retryMs}`),
    work: (key, signal) =>
      new Promise((resolve, reject) => {
        runs.push({
          key,
          at: clock.now(),
          signal,
          async finish(againMs) {
            resolve(againMs);
            await settle();
          },
          async fail() {
            reject(new Error('no'));
            await settle();
          },
        });
      }),
    ...options,
  });
  queue.start();
  return { queue, clock, runs, errors, keys: () => runs.map(({ key }) => key) };
}

describe('a work queue', () => {
  test('the work queue processes a key once if the key is added several times before the work on it starts', () => {
    const { queue, keys } = queueOf({ concurrency: 1 });
    for (const key of ['a', 'b', 'b', 'c', 'b']) queue.add(key);
    expect(keys()).toEqual(['a']);
    expect(queue.depth).toBe(2);
  });

  test('the work queue processes a limited number of keys at the same time, in the order of adding', async () => {
    const { queue, runs, keys } = queueOf();
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    expect(keys()).toEqual(['a', 'b']);
    await runs[1]?.finish();
    expect(keys()).toEqual(['a', 'b', 'c']);
  });

  test('the work queue processes a key again if the key is added during the work on it', async () => {
    const { queue, runs, keys } = queueOf();
    queue.add('a');
    queue.add('a');
    queue.add('a');
    expect(keys()).toEqual(['a']);
    await runs[0]?.finish();
    expect(keys()).toEqual(['a', 'a']);
    await runs[1]?.finish();
    expect(keys()).toEqual(['a', 'a']);
  });

  test('the work queue starts the next key while the work on a key waits, and limits how many keys continue at the same time', async () => {
    const done: string[] = [];
    const answers = new Map<string, () => void>();
    const ends = new Map<string, () => void>();
    const until = (of: Map<string, () => void>, key: string) => new Promise<void>(resolve => of.set(key, resolve));
    const { queue } = queueOf({
      concurrency: 1,
      work: async (key, _, yieldWorker) => {
        await yieldWorker(() => until(answers, key));
        done.push(`${key} goes on`);
        await until(ends, key);
        done.push(`${key} ends`);
        return undefined;
      },
    });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await settle();
    expect([...answers.keys()]).toEqual(['a', 'b', 'c']);
    expect([queue.active, queue.depth]).toEqual([0, 0]);
    queue.add('a');
    for (const key of ['c', 'a']) answers.get(key)?.();
    await settle();
    expect([done, queue.active]).toEqual([['c goes on'], 1]);
    ends.get('c')?.();
    await settle();
    expect(done).toEqual(['c goes on', 'c ends', 'a goes on']);
    answers.delete('a');
    ends.get('a')?.();
    await settle();
    // A key that was added while it was processed is processed again.
    expect([...answers.keys()]).toEqual(['b', 'c', 'a']);
  });

  test('a shutdown of the work queue aborts the work that waits, and afterwards no key counts as active', async () => {
    const { queue, errors, clock } = queueOf({
      concurrency: 1,
      work: (_, signal, yieldWorker) =>
        yieldWorker(
          () =>
            new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
        ),
    });
    for (const key of ['a', 'b']) queue.add(key);
    await settle();
    const down = queue.shutDown(5_000);
    await clock.pass(5_000);
    await down;
    expect(errors.map(text => text.slice(0, 1))).toEqual(['a', 'b']);
    expect(queue.active).toBe(0);
  });

  test('interrupt() aborts the work on a key if this work waits, and the work queue then processes the key again at once', async () => {
    const done: string[] = [];
    const { queue, errors, clock } = queueOf({
      concurrency: 1,
      work: async (key, signal, yieldWorker) => {
        done.push(key);
        await yieldWorker(
          () =>
            new Promise((resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason as Error));
              if (done.length > 1) resolve(undefined);
            }),
        );
        return undefined;
      },
    });
    queue.add('a');
    await settle();
    queue.interrupt('b');
    queue.add('a');
    queue.interrupt('a');
    await settle();
    await clock.pass(60_000);
    expect([done, errors, queue.active]).toEqual([['a', 'a'], [], 0]);
  });

  test('interrupt() has no effect on work of the work queue that does not wait', async () => {
    const { queue, runs } = queueOf();
    queue.add('a');
    queue.interrupt('a');
    expect(runs[0]?.signal.aborted).toBe(false);
    await runs[0]?.finish();
    expect(runs).toHaveLength(1);
  });

  test('the work queue processes no key before it is started', () => {
    const worked: string[] = [];
    const queue = new WorkQueue({
      concurrency: 1,
      clock: new TestClock(),
      onError: () => {},
      work: async key => {
        worked.push(key);
        return undefined;
      },
    });
    queue.add('a');
    expect(worked).toEqual([]);
    queue.start();
    expect(worked).toEqual(['a']);
  });

  test('the work queue processes a key again once the wait that the work on the key returned is over', async () => {
    const { queue, runs, clock } = queueOf();
    queue.add('a');
    await runs[0]?.finish(60_000);
    await clock.pass(59_999);
    expect(runs).toHaveLength(1);
    await clock.pass(1);
    expect(runs).toHaveLength(2);
  });

  test('the work queue pauses before it repeats a key for which the work returned a wait of 0', async () => {
    const clock = new TestClock();
    let runs = 0;
    const queue = new WorkQueue({
      concurrency: 1,
      clock,
      onError: () => {},
      work: async () => (++runs > 100 ? undefined : 0),
    });
    queue.start();
    queue.add('a');
    await clock.pass(1_000);
    expect(runs).toBe(11);
  });

  test('the work queue processes a key once, at the earliest of the times for which it was added', async () => {
    const { queue, runs, clock } = queueOf();
    queue.addAfter('a', 5_000);
    queue.addAfter('a', 2_000);
    queue.addAfter('a', 9_000);
    await clock.pass(20_000);
    expect(runs.map(({ at }) => at)).toEqual([2_000]);
  });

  test('the work queue repeats a key after the wait that the work returned, and not at a time that was added before the work', async () => {
    const { queue, runs, clock } = queueOf();
    queue.addAfter('a', 5_000);
    queue.add('a');
    await runs[0]?.finish(60_000);
    await clock.pass(59_999);
    expect(runs).toHaveLength(1);
  });

  test('the work queue repeats a key at a time that was added during the work, even if the work returned a later time', async () => {
    const { queue, runs, clock } = queueOf();
    queue.add('a');
    queue.addAfter('a', 5_000);
    await runs[0]?.finish(60_000);
    await clock.pass(5_000);
    expect(runs).toHaveLength(2);
  });

  test('the work queue waits longer after each failure of a key, and waits for the shortest time again after a success', async () => {
    const { queue, runs, clock, errors } = queueOf();
    queue.add('a');
    const waits: number[] = [];
    for (let count = 0; count < 14; count++) {
      await runs.at(-1)?.fail();
      waits.push(clock.nextMs ?? Number.NaN);
      await clock.pass(clock.nextMs ?? 0);
    }
    expect(waits.slice(0, 4)).toEqual([750, 1_500, 3_000, 6_000]);
    expect(waits.slice(-3)).toEqual([900_000, 900_000, 900_000]);
    expect(errors[0]).toBe('a no 750');
    await runs.at(-1)?.finish();
    queue.add('a');
    await runs.at(-1)?.fail();
    expect(clock.nextMs).toBe(750);
  });

  test.each([
    ['the waits grow to ten seconds', 10_000, [750, 1_500, 3_000, 6_000, 10_000, 10_000]],
    ['a greatest wait of 0 still waits', 0, [750, 750, 750, 750, 750, 750]],
  ])(
    'the work queue limits its waits to the greatest wait that an error asks for: %s',
    async (_, limitMs, expected) => {
      const { queue, runs, clock } = queueOf({ retryWithinMs: () => limitMs });
      queue.add('a');
      const waits: (number | undefined)[] = [];
      for (let count = 0; count < expected.length; count++) {
        await runs.at(-1)?.fail();
        waits.push(clock.nextMs);
        await clock.pass(clock.nextMs ?? 0);
      }
      expect(waits).toEqual(expected);
    },
  );

  test('the work queue varies its waits at random', async () => {
    const waits: (number | undefined)[] = [];
    for (const random of [0, 0.999]) {
      const { queue, runs, clock } = queueOf({ random: () => random });
      queue.add('a');
      await runs[0]?.fail();
      waits.push(clock.nextMs);
    }
    expect(waits).toEqual([600, 900]);
  });

  test('the work queue processes a key at once if the key is added again while it waits after a failure', async () => {
    const { queue, runs } = queueOf();
    queue.add('a');
    await runs[0]?.fail();
    queue.add('a');
    expect(runs).toHaveLength(2);
  });

  test('the work queue does not repeat a key after a failure if forget() was called for the key', async () => {
    const { queue, runs, clock } = queueOf();
    queue.add('a');
    await runs[0]?.fail();
    queue.forget('a');
    await clock.pass(1_000_000);
    expect(runs).toHaveLength(1);
  });

  test('the hooks of the work queue report how long a key waits, how long the work takes, and how it ends', async () => {
    const seen: string[] = [];
    const { queue, runs, clock } = queueOf({
      concurrency: 1,
      hooks: {
        added: () => seen.push('added'),
        retried: () => seen.push('retried'),
        started: seconds => seen.push(`started ${seconds}`),
        done: (seconds, outcome) => seen.push(`${outcome} ${seconds}`),
      },
    });
    queue.add('a');
    queue.add('b');
    await clock.pass(3_000);
    expect(queue.unfinished).toEqual({ totalSeconds: 3, longestSeconds: 3 });
    await runs[0]?.finish(1_000);
    await runs[1]?.fail();
    expect(seen).toEqual(['added', 'started 0', 'added', 'requeue_after 3', 'started 3', 'retried', 'error 0']);
  });
});

describe('shutting down', () => {
  test('a shutdown lets the current work end, and the work queue starts no other key', async () => {
    const { queue, runs, clock, keys } = queueOf({ concurrency: 1 });
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    let isDown = false;
    const down = queue.shutDown(5_000).then(() => {
      isDown = true;
    });
    queue.add('d');
    await clock.pass(1_000);
    expect(isDown).toBe(false);
    expect(runs[0]?.signal.aborted).toBe(false);
    await runs[0]?.finish(10);
    await down;
    await clock.pass(100_000);
    expect(keys()).toEqual(['a']);
    expect(clock.pending).toBe(0);
  });

  test('a shutdown of the work queue aborts work that takes too long', async () => {
    const { queue, runs, clock } = queueOf();
    queue.add('a');
    const down = queue.shutDown(5_000);
    await clock.pass(5_000);
    expect(runs[0]?.signal.aborted).toBe(true);
    await runs[0]?.fail();
    await down;
  });

  test('a shutdown of the work queue without current work ends at once', async () => {
    await queueOf().queue.shutDown(5_000);
  });
});

test('the work queue never processes a key twice at a time, keeps its limit, and loses no added key in any sequence of events', async () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd');
  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), key }),
    fc.record({ do: fc.constant('addAfter' as const), key, ms: fc.nat(5_000) }),
    fc.record({
      do: fc.constant('finish' as const),
      index: fc.nat(5),
      ms: fc.option(fc.nat(3_000), { nil: undefined }),
    }),
    fc.record({ do: fc.constant('fail' as const), index: fc.nat(5) }),
    fc.record({ do: fc.constant('yield' as const), index: fc.nat(5) }),
    fc.record({ do: fc.constant('answer' as const), index: fc.nat(5) }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.nat(4_000) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 3 }), async (steps, concurrency) => {
      const running = new Map<string, (next: 'yield' | 'fail' | { readonly againMs: number | undefined }) => void>();
      /** Items that have yielded their place, and how each is resumed. */
      const yielded = new Map<string, () => void>();
      /** Keys that were added and not started since. */
      const owed = new Set<string>();
      const clock = new TestClock();
      const queue = new WorkQueue({
        concurrency,
        clock,
        random: () => 0.5,
        onError: () => {},
        work: async (key, _, yieldWorker) => {
          expect(running.has(key) || yielded.has(key)).toBe(false);
          owed.delete(key);
          for (;;) {
            const { promise, resolve } = Promise.withResolvers<'yield' | 'fail' | { againMs: number | undefined }>();
            running.set(key, resolve);
            expect(running.size).toBeLessThanOrEqual(concurrency);
            const next = await promise;
            if (next === 'fail') throw new Error('no');
            if (next !== 'yield') return next.againMs;
            await yieldWorker(() => new Promise<void>(answered => yielded.set(key, answered)));
          }
        },
      });
      queue.start();
      const at = <T>(of: ReadonlyMap<string, T>, index: number) => [...of][index % Math.max(1, of.size)];
      const goOn = async (index: number, next: 'yield' | 'fail' | { readonly againMs: number | undefined }) => {
        const [name, resolve] = at(running, index) ?? [];
        if (name === undefined || resolve === undefined) return;
        running.delete(name);
        if (next === 'fail') owed.add(name);
        resolve(next);
        await settle();
      };
      const answer = async (index: number) => {
        const [name, resolve] = at(yielded, index) ?? [];
        if (name === undefined || resolve === undefined) return;
        yielded.delete(name);
        resolve();
        await settle();
      };
      for (const one of steps) {
        if (one.do === 'add' || one.do === 'addAfter') owed.add(one.key);
        if (one.do === 'add') queue.add(one.key);
        else if (one.do === 'addAfter') queue.addAfter(one.key, one.ms);
        else if (one.do === 'finish') await goOn(one.index, { againMs: one.ms });
        else if (one.do === 'answer') await answer(one.index);
        else if (one.do !== 'pass') await goOn(one.index, one.do);
        else await clock.pass(one.ms);
        expect(queue.active).toBe(running.size);
      }
      for (let round = 0; owed.size > 0 || running.size > 0 || yielded.size > 0; round++) {
        expect(round).toBeLessThan(200);
        while (yielded.size > 0) await answer(0);
        while (running.size > 0) await goOn(0, { againMs: undefined });
        await clock.pass(60_000);
      }
      expect(queue.depth).toBe(0);
    }),
    { seed: 5, numRuns: 200 },
  );
});
