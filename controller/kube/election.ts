/**
 * Leader election with a Lease, with the rules and times of controller-runtime.
 *
 * No candidate compares its clock with the times in the Lease: a Lease is taken over when it has not changed for its duration in local time, so that
 * clock jumps and differences between machines do not matter. Election does not prevent late writes: a leader that was paused and resumes only
 * notices at its next renewal that it lost the Lease. What it writes until that renewal must be harmless, which is true for server-side apply of the
 * same revision.
 *
 * @see https://kubernetes.io/docs/concepts/architecture/leases/
 */
import { LinkedAbort } from '#shared/util';
import { type Clock, sleep, systemClock } from './clock.ts';
import { KubeError } from './kube-error.ts';
import type { KubeClient, KubeObject, ObjectKey } from './types.ts';

const LEASE_DURATION_MS = 15_000;
const RENEW_DEADLINE_MS = 10_000;
const RETRY_MS = 2_000;

/** Timeout of one attempt: if the API server hangs, another attempt fits before the deadline. */
const TRY_TIMEOUT_MS: number = RENEW_DEADLINE_MS / 2;

export interface ElectionOptions {
  /** The client for the Lease. It has its own rate limit, if any: a renewal must not wait behind other calls. */
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process, such as the pod's name with a random part. */
  readonly identity: string;
  /** Failed attempts, and the current leader. */
  readonly onEvent?: (event: ElectionEvent) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}

export type ElectionEvent =
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'leader'; readonly identity: string }
  | { readonly type: 'lost' };

/** Who leads, as one sentence. @param own identity of this process: a name, `_` and a random part */
export function describeLeader(leader: string, own: string): string {
  if (leader === own) return 'this replica leads';
  const nameOf = (identity: string) => identity.slice(0, identity.lastIndexOf('_'));
  return nameOf(leader) !== '' && nameOf(leader) === nameOf(own)
    ? 'an earlier process of this replica holds the Lease: this process waits until the Lease expires'
    : 'another replica leads';
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export class LeaderElection {
  readonly #options: ElectionOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #key: ObjectKey;
  readonly #lost = new AbortController();
  readonly #stop = new AbortController();
  /** The Lease as last seen, and when it was first seen in this state. */
  #seen: { readonly text: string; readonly spec: LeaseSpec; readonly since: number } | undefined;
  /** The start of the attempt by which this process last became or stayed leader. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #isLeader = false;
  #leader = '';
  #renewing: Promise<void> | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    const { namespace, name } = options;
    this.#key = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Aborted when leadership is lost: all of the leader's work stops immediately, and the process ends. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Resolves when this process is the leader; from then on it renews the Lease.
   * @throws the reason of the signal
   */
  async acquire(signal: AbortSignal): Promise<void> {
    while (!(await this.#attempt(signal))) {
      await sleep(this.#clock, RETRY_MS * (1 + this.#random()), signal);
    }
    this.#isLeader = true;
    this.#renewing = this.#renew();
  }

  /** Lets another process lead immediately rather than after the Lease's duration. */
  async release(): Promise<void> {
    this.#stop.abort();
    await this.#renewing;
    if (!this.#isLeader) return;
    this.#isLeader = false;
    try {
      await this.#limitTime(TRY_TIMEOUT_MS, undefined, signal => this.#giveBack(signal));
    } catch (error) {
      this.#options.onEvent?.({ type: 'failed', error });
    }
  }

  async #giveBack(signal: AbortSignal): Promise<void> {
    const { client, identity } = this.#options;
    const lease = await client.get(this.#key, signal);
    const spec = (lease?.spec ?? {}) as LeaseSpec;
    if (lease === undefined || spec.holderIdentity !== identity) return;
    const now = this.#formatMicroTime();
    const free = { ...spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
    await client.replace({ ...lease, spec: free }, {}, signal);
  }

  async #renew(): Promise<void> {
    const { signal } = this.#stop;
    try {
      for (;;) {
        await sleep(this.#clock, Math.min(RETRY_MS, this.#untilDeadlineMs), signal);
        const isRenewed = this.#untilDeadlineMs > 0 && (await this.#attempt(signal, this.#untilDeadlineMs));
        if (isRenewed) continue;
        const hasOtherHolder = this.#leader !== '' && this.#leader !== this.#options.identity;
        if (hasOtherHolder || this.#untilDeadlineMs === 0) break;
      }
    } catch {
      // The signal was aborted, so the Lease was released.
      return;
    }
    this.#isLeader = false;
    this.#options.onEvent?.({ type: 'lost' });
    this.#lost.abort(new Error('leadership is lost'));
  }

  get #untilDeadlineMs(): number {
    return Math.max(0, this.#renewedAt + RENEW_DEADLINE_MS - this.#clock.now());
  }

  /**
   * Tries once to get or renew the Lease. True when this process has it.
   * @throws the reason of the signal only
   */
  async #attempt(signal: AbortSignal, limitMs: number = TRY_TIMEOUT_MS): Promise<boolean> {
    const start = this.#clock.now();
    try {
      await this.#limitTime(Math.min(limitMs, TRY_TIMEOUT_MS), signal, async limit => {
        const isHeld = await this.#tryOnce(limit);
        if (isHeld) this.#renewedAt = start;
      });
      return this.#renewedAt === start;
    } catch (error) {
      signal.throwIfAborted();
      // Another candidate was faster, which is no error.
      const isRace = error instanceof KubeError && (error.failure === 'conflict' || error.failure === 'alreadyExists');
      if (!isRace) this.#options.onEvent?.({ type: 'failed', error });
      return false;
    }
  }

  async #tryOnce(signal: AbortSignal): Promise<boolean> {
    const { client, identity } = this.#options;
    const lease = await client.get(this.#key, signal);
    const now = this.#formatMicroTime();
    const mine: LeaseSpec = {
      holderIdentity: identity,
      leaseDurationSeconds: LEASE_DURATION_MS / 1_000,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: 0,
    };
    if (lease === undefined) {
      const { apiVersion, kind, namespace = '', name } = this.#key;
      this.#observe(await client.create({ apiVersion, kind, metadata: { name, namespace }, spec: mine }, signal));
      return true;
    }
    this.#observe(lease);
    const spec = (lease.spec ?? {}) as LeaseSpec;
    const isMine = spec.holderIdentity === identity;
    if (!isMine && this.#isHeldByOther()) return false;
    const transitions = spec.leaseTransitions ?? 0;
    const next: LeaseSpec = {
      ...mine,
      acquireTime: isMine ? (spec.acquireTime ?? now) : now,
      leaseTransitions: isMine ? transitions : transitions + 1,
    };
    // With the resourceVersion that was read, one of two concurrent attempts fails.
    this.#observe(await client.replace({ ...lease, spec: next }, {}, signal));
    return true;
  }

  #isHeldByOther(): boolean {
    const { spec, since } = this.#seen ?? { spec: {}, since: 0 };
    if (spec.holderIdentity === undefined || spec.holderIdentity === '') return false;
    return since + (spec.leaseDurationSeconds ?? 0) * 1_000 > this.#clock.now();
  }

  #observe(lease: KubeObject): void {
    const spec = (lease.spec ?? {}) as LeaseSpec;
    const text = JSON.stringify([lease.metadata.uid, spec]);
    if (text !== this.#seen?.text) this.#seen = { text, spec, since: this.#clock.now() };
    const identity = spec.holderIdentity ?? '';
    if (identity === this.#leader) return;
    this.#leader = identity;
    if (identity !== '') this.#options.onEvent?.({ type: 'leader', identity });
  }

  async #limitTime(
    ms: number,
    signal: AbortSignal | undefined,
    call: (limit: AbortSignal) => Promise<void>,
  ): Promise<void> {
    using limit = new LinkedAbort([signal]);
    const cancel = this.#clock.after(ms, () => limit.abort(new Error(`no answer within ${ms} ms`)));
    try {
      await call(limit.signal);
    } finally {
      cancel();
    }
  }

  /** `MicroTime`: six decimals. */
  #formatMicroTime(): string {
    return this.#clock.date().toISOString().replace('Z', '000Z');
  }
}
