import { describe, expect, test } from 'vitest';
import {
  describeLeader,
  type ElectionEvent,
  type KubeClient,
  KubeError,
  type KubeObject,
  LeaderElection,
} from '../../../controller/kube/index.ts';
import { settle, TestClock } from '../../support/test-clock.ts';

type LeaseClient = Pick<KubeClient, 'get' | 'create' | 'replace'>;

/** An API server with one Lease: with optimistic locking, and failures on demand. */
class LeaseServer {
  lease: KubeObject | undefined;
  /** Called before each request: resolves, rejects, or hangs. */
  trouble: (call: string, signal: AbortSignal | undefined) => Promise<void> = async () => {};
  calls = 0;
  #version = 0;

  readonly client: LeaseClient = {
    get: async (_key, signal) => {
      await this.#enter('get', signal);
      return this.lease;
    },
    create: async (object, signal) => {
      await this.#enter('create', signal);
      if (this.lease !== undefined) throw refused('alreadyExists');
      return this.#store({ ...object, metadata: { ...object.metadata, uid: `u${this.#version}` } });
    },
    replace: async (object, _options, signal) => {
      await this.#enter('replace', signal);
      if (this.lease === undefined) throw refused('notFound');
      if (object.metadata.resourceVersion !== this.lease.metadata.resourceVersion) throw refused('conflict');
      return this.#store(object);
    },
  };

  get spec(): Record<string, unknown> {
    return (this.lease?.spec ?? {}) as Record<string, unknown>;
  }

  async #enter(call: string, signal: AbortSignal | undefined): Promise<void> {
    this.calls++;
    signal?.throwIfAborted();
    await this.trouble(call, signal);
    signal?.throwIfAborted();
  }

  #store(object: KubeObject): KubeObject {
    this.lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    return this.lease;
  }
}

function refused(failure: 'alreadyExists' | 'conflict' | 'notFound' | 'unavailable'): KubeError {
  return new KubeError(failure, { failure, call: 'test' });
}

/** Waits until the caller aborts. */
function hang(_call: string, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
}

function candidate(server: LeaseServer, identity: string, clock: TestClock, client: LeaseClient = server.client) {
  const events: ElectionEvent[] = [];
  const stop = new AbortController();
  const election = new LeaderElection({
    client,
    namespace: 'lintel-system',
    name: 'lintel-controller',
    identity,
    clock,
    random: () => 0.5,
    onEvent: event => events.push(event),
  });
  const acquired = election.acquire(stop.signal).catch(error => error);
  return { election, events, stop, acquired };
}

test.each([
  ['pod-a_1', 'this replica leads'],
  ['pod-a_0', 'an earlier process of this replica holds the Lease: this process waits until the Lease expires'],
  ['pod-b_1', 'another replica leads'],
  ['without a random part', 'another replica leads'],
])('the controller with identity pod-a_1 describes the holder "%s" of the Lease as: %s', (leader, text) => {
  expect(describeLeader(leader, 'pod-a_1')).toBe(text);
});

describe('leader election', () => {
  test('one of two controller replicas leads, and the Lease names it', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    const a = candidate(server, 'a', clock);
    const b = candidate(server, 'b', clock);
    await clock.pass(120_000);
    expect([a.election.isLeader, b.election.isLeader]).toEqual([true, false]);
    expect(server.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:02:00.000000Z',
      leaseTransitions: 0,
    });
    expect(b.events).toEqual([{ type: 'leader', identity: 'a' }]);
  });

  test('two controller replicas that start at the same time never both lead', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    // Both have read that the Lease does not exist before either writes.
    let reads = 0;
    const both = Promise.withResolvers<void>();
    server.trouble = async call => {
      if (call !== 'get' || reads >= 2) return;
      if (++reads === 2) both.resolve();
      await both.promise;
    };
    const a = candidate(server, 'a', clock);
    const b = candidate(server, 'b', clock);
    await clock.pass(60_000);
    expect([a.election.isLeader, b.election.isLeader].filter(Boolean)).toHaveLength(1);
  });

  test('a replica takes over the Lease of a killed leader only after the duration of the Lease', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    // A process that was killed sends nothing more: its calls hang.
    let isKilled = false;
    const dying: LeaseClient = {
      get: (key, signal) => (isKilled ? hang('', signal).then(() => undefined) : server.client.get(key, signal)),
      create: server.client.create,
      replace: server.client.replace,
    };
    candidate(server, 'a', clock, dying);
    await settle();
    const b = candidate(server, 'b', clock);
    await clock.pass(60_000);
    isKilled = true;
    await clock.pass(12_900);
    expect(b.election.isLeader).toBe(false);
    await clock.pass(6_000);
    expect(b.election.isLeader).toBe(true);
    expect(server.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  test('a leader that cannot reach the API server stops leading before another replica leads', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    let isCut = false;
    const cut: LeaseClient = {
      get: (key, signal) => (isCut ? hang('', signal).then(() => undefined) : server.client.get(key, signal)),
      create: server.client.create,
      replace: server.client.replace,
    };
    const a = candidate(server, 'a', clock, cut);
    await settle();
    const b = candidate(server, 'b', clock);
    await clock.pass(30_000);
    isCut = true;
    for (let ms = 0; ms < 40_000; ms += 100) {
      await clock.pass(100);
      expect(a.election.isLeader && b.election.isLeader).toBe(false);
      expect(a.election.lost.aborted).toBe(!a.election.isLeader);
    }
    expect(b.election.isLeader).toBe(true);
    expect(a.events.at(-1)).toEqual({ type: 'lost' });
  });

  test.each([
    ['an hour forward', 3_600_000],
    ['a day back', -86_400_000],
  ])('a clock that jumps does not change which replica leads: %s', async (_name, jumpMs) => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    const a = candidate(server, 'a', clock);
    await settle();
    const b = candidate(server, 'b', clock);
    await clock.pass(30_000);
    clock.dateOffsetMs += jumpMs;
    await clock.pass(60_000);
    expect([a.election.isLeader, b.election.isLeader]).toEqual([true, false]);
  });

  test('a replica does not take over a Lease whose renew time is years old as long as the leader updates the Lease', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    const old = new TestClock();
    old.dateOffsetMs = 0;
    const a = candidate(server, 'a', old);
    await settle();
    const b = candidate(server, 'b', clock);
    for (let seconds = 0; seconds < 120; seconds++) {
      await old.pass(1_000);
      await clock.pass(1_000);
    }
    expect([a.election.isLeader, b.election.isLeader]).toEqual([true, false]);
  });

  test('a replica takes over a Lease that is not renewed, even if its renew time is in the future', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    await server.client.create({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'lintel-controller', namespace: 'lintel-system' },
      spec: {
        holderIdentity: 'gone',
        leaseDurationSeconds: 15,
        renewTime: '2999-01-01T00:00:00.000000Z',
        leaseTransitions: 4,
      },
    });
    const a = candidate(server, 'a', clock);
    await clock.pass(14_999);
    expect(a.election.isLeader).toBe(false);
    await clock.pass(4_000);
    expect(a.election.isLeader).toBe(true);
    expect(server.spec.leaseTransitions).toBe(5);
  });

  test('a leader keeps leading when errors end before the renew deadline', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    const a = candidate(server, 'a', clock);
    await clock.pass(10_000);
    server.trouble = async () => {
      throw refused('unavailable');
    };
    await clock.pass(7_000);
    server.trouble = async () => {};
    await clock.pass(60_000);
    expect(a.election.isLeader).toBe(true);
    expect(a.events.some(({ type }) => type === 'failed')).toBe(true);
  });

  test.each([
    ['errors', () => Promise.reject(refused('unavailable'))],
    ['silence', hang],
  ])('a leader stops leading after %s of the API server until the renew deadline', async (_name, trouble) => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    const a = candidate(server, 'a', clock);
    await clock.pass(10_000);
    server.trouble = trouble;
    await clock.pass(7_900);
    expect(a.election.lost.aborted).toBe(false);
    await clock.pass(2_200);
    expect(a.election.lost.aborted).toBe(true);
    expect(a.election.isLeader).toBe(false);
  });

  test('a leader whose Lease was taken by another candidate stops at its next renewal', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    const a = candidate(server, 'a', clock);
    await clock.pass(10_000);
    const lease = server.lease as KubeObject;
    await server.client.replace({ ...lease, spec: { ...server.spec, holderIdentity: 'usurper' } });
    await clock.pass(2_000);
    expect(a.election.lost.aborted).toBe(true);
    expect(server.spec.holderIdentity).toBe('usurper');
  });

  test('the leading replica creates a deleted Lease again', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    const a = candidate(server, 'a', clock);
    await clock.pass(10_000);
    server.lease = undefined;
    await clock.pass(2_000);
    expect(server.spec.holderIdentity).toBe('a');
    expect(a.election.isLeader).toBe(true);
  });

  test('another replica leads soon after the leader releases the Lease, before the duration has passed', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    const a = candidate(server, 'a', clock);
    await settle();
    const b = candidate(server, 'b', clock);
    await clock.pass(30_000);
    await a.election.release();
    expect(a.election.isLeader).toBe(false);
    expect(a.election.lost.aborted).toBe(false);
    expect(server.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await clock.pass(3_100);
    expect(b.election.isLeader).toBe(true);
  });

  test('a replica that does not lead leaves the Lease of the leader unchanged when it stops', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    candidate(server, 'a', clock);
    await settle();
    const b = candidate(server, 'b', clock);
    await clock.pass(5_000);
    b.stop.abort(new Error('stopped'));
    expect(await b.acquired).toEqual(new Error('stopped'));
    await b.election.release();
    expect(server.spec.holderIdentity).toBe('a');
  });

  test('a replica that has released the Lease sends no further request', async () => {
    const [server, clock] = [new LeaseServer(), new TestClock()];
    const a = candidate(server, 'a', clock);
    await clock.pass(5_000);
    await a.election.release();
    const { calls } = server;
    await clock.pass(100_000);
    expect(server.calls).toBe(calls);
    expect(clock.pending).toBe(0);
  });
});
