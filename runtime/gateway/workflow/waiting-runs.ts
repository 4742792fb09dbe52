/** Runs that wait for clients to return with people's answers: in memory, or in the store of replicas that share sessions. */
import type { SharedSessions } from '../../shared-sessions/store.ts';
import { createSecret, type StateOwner, seal, unseal } from './sealed-state.ts';

/** Maximum numbers of waiting runs: of all callers together, and of one caller, or of one address if callers are anonymous. */
const MAX_WAITING = 2_000;
const MAX_WAITING_OF_ONE = 1_000;

/** Limits on stored states, in characters: of one run, and of all runs in the memory of this process. */
const MAX_LENGTH = 1024 * 1024;
const MAX_LENGTH_OF_ALL = 64 * 1024 * 1024;

/** How much longer the store has a run than its replica, in milliseconds: the replica must see the run expire before the store forgets it. */
const STORED_LONGER_MS = 10_000;

/** Prefix of a workflow's `requestState`. */
const PREFIX = 'lintel-w.';

interface WaitingRun {
  readonly workflow: string;
  readonly share: string;
  /** The sealed state; undefined when the shared store has it. */
  readonly sealed: string | undefined;
  readonly timer: NodeJS.Timeout;
}

export class WaitingRuns {
  /** The store in which other replicas find waiting runs; undefined when there are no other replicas. */
  store: SharedSessions | undefined;
  /** Waiting runs, by their secret; with a store, the runs that this replica has stored, until they expire. */
  readonly #runs = new Map<string, WaitingRun>();
  #length = 0;

  /** The numbers of waiting runs, by the names of their workflows. */
  get figures(): ReadonlyMap<string, number> {
    const figures = new Map<string, number>();
    for (const { workflow } of this.#runs.values()) figures.set(workflow, (figures.get(workflow) ?? 0) + 1);
    return figures;
  }

  /**
   * Stores the state of a run. Resolves with its `requestState`, or undefined when there is no room.
   * @param share the share of its caller, which limits its waiting runs
   * @param onExpired called when the client has returned neither to this process nor to another one
   */
  async hold(
    state: string,
    owner: StateOwner,
    { share, ttlMs, onExpired }: { readonly share: string; readonly ttlMs: number; readonly onExpired: () => void },
  ): Promise<string | undefined> {
    const isFull = this.#runs.size >= MAX_WAITING || this.#countHeld(share) >= MAX_WAITING_OF_ONE;
    if (isFull || state.length > MAX_LENGTH) return undefined;
    const secret = createSecret();
    const sealed = seal(state, secret, owner);
    if (this.store === undefined && this.#length + sealed.length > MAX_LENGTH_OF_ALL) return undefined;
    const timer = setTimeout(() => void this.#expire(secret, onExpired), ttlMs).unref();
    const isOurs = this.store === undefined;
    this.#runs.set(secret, { workflow: owner.workflow, share, sealed: isOurs ? sealed : undefined, timer });
    if (isOurs) this.#length += sealed.length;
    try {
      await this.store?.create(computeKey(secret), { state: sealed }, ttlMs + STORED_LONGER_MS);
    } catch {
      this.#forget(secret);
      return undefined;
    }
    return PREFIX + secret;
  }

  /** Removes and returns the state for a returning client; undefined unless it belongs to this call. */
  async take(requestState: string, owner: StateOwner): Promise<string | undefined> {
    if (!requestState.startsWith(PREFIX)) return undefined;
    const secret = requestState.slice(PREFIX.length);
    const key = computeKey(secret);
    const sealed = this.store === undefined ? this.#runs.get(secret)?.sealed : (await this.store.load(key, 0))?.state;
    const state = sealed === undefined ? undefined : unseal(sealed, secret, owner);
    // An attempt of another caller, or one with other arguments, does not remove the run.
    if (state === undefined) return undefined;
    // Of two concurrent requests, only one gets the run.
    const isFirst = this.store === undefined ? this.#runs.has(secret) : await this.store.end(key);
    this.#forget(secret);
    return isFirst ? state : undefined;
  }

  close(): void {
    for (const secret of [...this.#runs.keys()]) this.#forget(secret);
  }

  async #expire(secret: string, onExpired: () => void): Promise<void> {
    this.#forget(secret);
    try {
      // The run may have continued at another replica, which then removed it from the store.
      if (this.store === undefined || (await this.store.end(computeKey(secret)))) onExpired();
    } catch {
      // If the store is unavailable, it forgets the run by itself.
    }
  }

  #forget(secret: string): void {
    const waitingRun = this.#runs.get(secret);
    if (waitingRun === undefined) return;
    clearTimeout(waitingRun.timer);
    this.#runs.delete(secret);
    this.#length -= waitingRun.sealed?.length ?? 0;
  }

  #countHeld(share: string): number {
    let count = 0;
    for (const waitingRun of this.#runs.values()) count += Number(waitingRun.share === share);
    return count;
  }
}

/** The key of a run in the store; it differs from the id of every session. */
function computeKey(secret: string): string {
  return `workflow ${secret}`;
}
