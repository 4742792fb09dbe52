/** Runs that wait for clients to come back with answers of people: in memory, or where replicas share their sessions. */
import type { SharedSessions } from '../../shared-sessions/store.ts';
import { newSecret, type StateOwner, seal, unseal } from './sealed-state.ts';

/** What waits at a time; of one caller; of one address, where callers have no names. */
const MAX_WAITING = 2_000;
const MAX_WAITING_OF_ONE = 1_000;

/** Limits on what is kept, in characters: of one run, and of all in the memory of this process. */
const MAX_LENGTH = 1024 * 1024;
const MAX_LENGTH_OF_ALL = 64 * 1024 * 1024;

/** So that the replica that has asked sees it expire before the store forgets it, in milliseconds. */
const STORED_LONGER_MS = 10_000;

/** How `requestState` begins that is one of a workflow. */
const PREFIX = 'lintel-w.';

interface WaitingRun {
  readonly workflow: string;
  readonly share: string;
  /** Undefined where the shared store has it. */
  readonly sealed: string | undefined;
  readonly timer: NodeJS.Timeout;
}

export class WaitingRuns {
  /** Where other replicas find them; undefined where there are none. */
  store: SharedSessions | undefined;
  /** By their secrets; with a store, those that this replica has put there, until they expire. */
  readonly #held = new Map<string, WaitingRun>();
  #length = 0;

  /** How many wait, by the names of their workflows. */
  get figures(): ReadonlyMap<string, number> {
    const figures = new Map<string, number>();
    for (const { workflow } of this.#held.values()) figures.set(workflow, (figures.get(workflow) ?? 0) + 1);
    return figures;
  }

  /**
   * Keeps the state of a run. Resolves with the `requestState` that it comes back by, or undefined when there is no room.
   *
   * @param share whose share of what may wait it takes
   * @param onExpired called when the client has not come back, to this process or another one
   */
  async hold(
    state: string,
    owner: StateOwner,
    { share, ttlMs, onExpired }: { readonly share: string; readonly ttlMs: number; readonly onExpired: () => void },
  ): Promise<string | undefined> {
    const isFull = this.#held.size >= MAX_WAITING || this.#countHeld(share) >= MAX_WAITING_OF_ONE;
    if (isFull || state.length > MAX_LENGTH) return undefined;
    const secret = newSecret();
    const sealed = seal(state, secret, owner);
    if (this.store === undefined && this.#length + sealed.length > MAX_LENGTH_OF_ALL) return undefined;
    const timer = setTimeout(() => void this.#expire(secret, onExpired), ttlMs).unref();
    const isOurs = this.store === undefined;
    this.#held.set(secret, { workflow: owner.workflow, share, sealed: isOurs ? sealed : undefined, timer });
    if (isOurs) this.#length += sealed.length;
    try {
      await this.store?.create(computeKey(secret), { state: sealed }, ttlMs + STORED_LONGER_MS);
    } catch {
      this.#forget(secret);
      return undefined;
    }
    return PREFIX + secret;
  }

  /** The state that a client comes back to, which is here no longer; undefined unless it is of this very call. */
  async take(requestState: string, owner: StateOwner): Promise<string | undefined> {
    if (!requestState.startsWith(PREFIX)) return undefined;
    const secret = requestState.slice(PREFIX.length);
    const key = computeKey(secret);
    const sealed = this.store === undefined ? this.#held.get(secret)?.sealed : (await this.store.load(key, 0))?.state;
    const state = sealed === undefined ? undefined : unseal(sealed, secret, owner);
    // An attempt of another caller, or with other arguments, takes nothing away.
    if (state === undefined) return undefined;
    // When two requests come at once, one of them takes the run.
    const isFirst = this.store === undefined ? this.#held.has(secret) : await this.store.end(key);
    this.#forget(secret);
    return isFirst ? state : undefined;
  }

  close(): void {
    for (const secret of [...this.#held.keys()]) this.#forget(secret);
  }

  async #expire(secret: string, onExpired: () => void): Promise<void> {
    this.#forget(secret);
    try {
      // It may have gone on at another replica, which took it out of the store.
      if (this.store === undefined || (await this.store.end(computeKey(secret)))) onExpired();
    } catch {
      // The store is away, and forgets it by itself.
    }
  }

  #forget(secret: string): void {
    const held = this.#held.get(secret);
    if (held === undefined) return;
    clearTimeout(held.timer);
    this.#held.delete(secret);
    this.#length -= held.sealed?.length ?? 0;
  }

  #countHeld(share: string): number {
    let count = 0;
    for (const held of this.#held.values()) count += Number(held.share === share);
    return count;
  }
}

/** No id of a session is like it. */
function computeKey(secret: string): string {
  return `workflow ${secret}`;
}
