/** Scheduling of conversations with git servers: which begin, which count, and which are ended in favour of those that wait. */
import { expect, test } from 'vitest';
import { type ConnectionLimits, ConnectionScheduler, type ServerConnection } from '../../../controller/source/index.ts';
import { settle, TestClock } from '../../support/test-clock.ts';

const LIMITS: ConnectionLimits = { moving: 2, all: 4, ofHost: 2, stillMs: 1_000, endMs: 5_000 };

/** Conversations that last until they are ended or complete, by the name of what they read. */
class Conversations {
  readonly clock = new TestClock();
  readonly turns: ConnectionScheduler;
  readonly begun = new Map<string, ServerConnection>();
  readonly over = new Map<string, string>();
  readonly #ends = new Map<string, () => void>();

  constructor(limits: Partial<ConnectionLimits> = {}) {
    this.turns = new ConnectionScheduler({ ...LIMITS, ...limits }, this.clock);
  }

  /** `host/repository`, for the owner. */
  async ask(name: string, { owner = 'team', signal = new AbortController().signal } = {}): Promise<void> {
    const asked = this.turns.take({ owner, url: `https://${name}.git`, signal }, turn => {
      this.begun.set(name, turn);
      return new Promise<void>((resolve, reject) => {
        this.#ends.set(name, resolve);
        turn.signal.addEventListener('abort', () => reject(turn.signal.reason));
      });
    });
    asked.then(
      () => this.over.set(name, 'done'),
      error => this.over.set(name, error.message),
    );
    await settle();
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await settle();
  }
}

test('the controller has a limited number of active Git connections, and the next connection begins when another ends', async () => {
  const all = new Conversations();
  for (const name of ['a/1', 'b/1', 'c/1', 'd/1']) await all.ask(name);
  expect([...all.begun.keys()]).toEqual(['a/1', 'b/1']);
  expect(all.turns.counts).toEqual({ moving: 2, still: 0, waiting: 2 });
  await all.end('a/1');
  expect([...all.begun.keys()]).toEqual(['a/1', 'b/1', 'c/1']);
});

test('a stalled Git connection no longer counts as active, so that a waiting connection begins', async () => {
  const all = new Conversations();
  for (const name of ['a/1', 'b/1', 'c/1']) await all.ask(name);
  await all.clock.pass(900);
  all.begun.get('b/1')?.moved();
  await all.clock.pass(200);
  expect([...all.begun.keys()]).toEqual(['a/1', 'b/1', 'c/1']);
  expect(all.turns.counts).toEqual({ moving: 2, still: 1, waiting: 0 });
});

test('the controller limits the Git connections to each server, so that a connection to a different server begins first', async () => {
  const all = new Conversations();
  for (const name of ['a/1', 'a/2', 'a/3', 'b/1']) await all.ask(name);
  await all.clock.pass(1_500);
  expect([...all.begun.keys()]).toEqual(['a/1', 'a/2', 'b/1']);
});

test('the controller ends the Git connection that stalled longest when too many connections stall', async () => {
  const all = new Conversations();
  await all.ask('a/1');
  await all.clock.pass(100);
  for (const name of ['b/1', 'c/1', 'd/1', 'e/1']) await all.ask(name);
  await all.clock.pass(4_800);
  expect([...all.begun.keys()]).toEqual(['a/1', 'b/1', 'c/1', 'd/1']);
  expect(all.over.size).toBe(0);
  await all.clock.pass(500);
  expect([...all.over]).toEqual([
    ['a/1', 'https://a/1.git: it has sent nothing for 5 s, and other sources wait; check whether the git server hangs'],
  ]);
  expect([...all.begun.keys()]).toContain('e/1');
});

test('the controller ends a stalled Git connection when another connection to the same server waits', async () => {
  const all = new Conversations();
  for (const name of ['a/1', 'a/2', 'a/3']) await all.ask(name);
  await all.clock.pass(2_000);
  all.begun.get('a/1')?.moved();
  await all.clock.pass(3_500);
  expect([...all.over.keys()]).toEqual(['a/2']);
  expect([...all.begun.keys()]).toEqual(['a/1', 'a/2', 'a/3']);
});

test('the controller ends no stalled Git connection while no other connection waits', async () => {
  const all = new Conversations();
  for (const name of ['a/1', 'b/1']) await all.ask(name);
  await all.clock.pass(600_000);
  expect(all.over.size).toBe(0);
  expect(all.clock.pending).toBe(0);
});

test('the waiting Git connection of a namespace with fewer connections begins first', async () => {
  const all = new Conversations({ moving: 1, all: 2 });
  for (const name of ['a/1', 'b/1', 'c/1', 'd/1']) await all.ask(name, { owner: 'many' });
  await all.ask('z/1', { owner: 'one' });
  await all.clock.pass(1_500);
  expect([...all.begun.keys()]).toEqual(['a/1', 'z/1']);
});

test('a Git connection that is cancelled while it waits never begins', async () => {
  const all = new Conversations({ moving: 1 });
  const caller = new AbortController();
  await all.ask('a/1');
  await all.ask('b/1', caller);
  caller.abort(new Error('a newer revision'));
  await settle();
  await all.end('a/1');
  expect([...all.over]).toEqual([
    ['b/1', 'a newer revision'],
    ['a/1', 'done'],
  ]);
  expect(all.turns.counts).toEqual({ moving: 0, still: 0, waiting: 0 });
});
