/** A caller with many requests must not delay one with few. */
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CooperativeScheduler } from '../../../runtime/gateway/scheduling/cooperative-scheduler.ts';
import { FairSemaphore } from '../../../runtime/gateway/scheduling/fair-semaphore.ts';

describe('turns of asynchronous work', () => {
  /** Work that records when it begins, and runs until it is ended. */
  function world(most: number) {
    const turns = new FairSemaphore(most);
    const begun: string[] = [];
    const ends = new Map<string, PromiseWithResolvers<void>>();
    const run = (owner: object, name: string) =>
      turns.run(owner, () => {
        begun.push(name);
        const end = Promise.withResolvers<void>();
        ends.set(name, end);
        return end.promise;
      });
    return { turns, begun, ends, run };
  }

  test('the number of concurrent jobs is limited, and waiting jobs of different owners begin in turn', async () => {
    const { begun, ends, run } = world(2);
    const [many, few, other] = [{}, {}, {}];
    const all = ['m1', 'm2', 'm3', 'm4', 'm5'].map(name => run(many, name));
    all.push(run(few, 'f1'), run(other, 'o1'), run(other, 'o2'));
    expect(begun).toEqual(['m1', 'm2']);
    for (let done = 0; done < 8; done++) {
      ends.get(begun[done] as string)?.resolve();
      await setImmediate();
      expect(begun).toHaveLength(Math.min(8, done + 3));
    }
    await Promise.all(all);
    expect(begun).toEqual(['m1', 'm2', 'm3', 'f1', 'o1', 'm4', 'o2', 'm5']);
  });

  test('the next job begins when a job fails', async () => {
    const { begun, ends, run } = world(1);
    const first = run({}, 'first');
    const second = run({}, 'second');
    ends.get('first')?.reject(new Error('it failed'));
    await expect(first).rejects.toThrow('it failed');
    expect(begun).toEqual(['first', 'second']);
    ends.get('second')?.resolve();
    await second;
    void run({}, 'third');
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  test('a job that is dropped while it waits never begins', async () => {
    const { turns, begun, ends, run } = world(1);
    const [gone, stays] = [{}, {}];
    const first = run(gone, 'g1');
    const dropped = [run(gone, 'g2'), run(gone, 'g3')];
    const last = run(stays, 's1');
    turns.drop(gone);
    turns.drop({});
    for (const promise of dropped) await expect(promise).rejects.toThrow('the work is no longer needed');
    ends.get('g1')?.resolve();
    await first;
    expect(begun).toEqual(['g1', 's1']);
    ends.get('s1')?.resolve();
    await last;
  });
});

describe('slices of synchronous work', () => {
  /** Each piece of work advances a clock by `ms`; nothing else does. */
  function world() {
    let now = 0;
    const scheduler = new CooperativeScheduler(() => now);
    const done: string[] = [];
    const run = (owner: object, name: string, ms: number) =>
      scheduler.run(owner, () => {
        now += ms;
        done.push(name);
        return name;
      });
    return { slices: scheduler, done, run };
  }

  test.each([
    ['a slice has one long piece of work', 5, [1, 2, 3, 4]],
    ['a slice has as many short pieces of work as fit', 1, [2, 4, 4, 4]],
    ['a slice has all work that takes no time', 0, [4, 4, 4, 4]],
  ])('the scheduler lets the event loop run between slices: %s', async (_, ms, expected) => {
    const { done, run } = world();
    const owner = {};
    const all = ['1', '2', '3', '4'].map(name => run(owner, name, ms));
    expect(done).toEqual([]);
    const counts: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      await setImmediate();
      counts.push(done.length);
    }
    expect(counts).toEqual(expected);
    expect(await Promise.all(all)).toEqual(['1', '2', '3', '4']);
  });

  test('the scheduler alternates between the owners of work after each slice', async () => {
    const { done, run } = world();
    const [many, few] = [{}, {}];
    await Promise.all([...['m1', 'm2', 'm3'].map(name => run(many, name, 9)), run(few, 'f1', 9)]);
    expect(done).toEqual(['m1', 'f1', 'm2', 'm3']);
  });

  test('the scheduler skips work that was dropped', async () => {
    const { slices: scheduler, done, run } = world();
    const [gone, stays] = [{}, {}];
    const dropped = run(gone, 'g1', 9);
    const kept = run(stays, 's1', 9);
    scheduler.drop(gone);
    await expect(dropped).rejects.toThrow('the work is no longer needed');
    await kept;
    expect(done).toEqual(['s1']);
  });

  test('the scheduler continues with other work after work that fails', async () => {
    const { slices: scheduler, run } = world();
    const failed = scheduler.run({}, () => {
      throw new Error('no way');
    });
    const other = run({}, 'o1', 0);
    await expect(failed).rejects.toThrow('no way');
    expect(await other).toBe('o1');
  });
});
