import { randomBytes } from 'node:crypto';
import type { BridgedCall, CallTraits } from './bridged-call.ts';
import { KeptAnswers } from './kept-answers.ts';

/** How long a client may take for the answers to a backend's questions, in milliseconds: people are asked. */
const HOLD_MS = 10 * 60_000;

/** Calls that wait for their clients; each holds a session with a backend. */
const MAX_HELD = 1_000;

/** Those of one caller; of one address, where callers have no names. */
const MAX_HELD_OF_ONE = 200;

interface HeldCall {
  readonly call: BridgedCall;
  readonly share: string;
  readonly timer: NodeJS.Timeout;
}

/**
 * Calls whose clients were asked for input. They are found again by `requestState`, which nobody can guess and which is good
 * for one attempt. It names state of this process: a client of several replicas must come back to the same one.
 */
export class HeldCalls {
  /** Of backends that do not wait for their clients. */
  readonly answers: KeptAnswers = new KeptAnswers();
  readonly #calls = new Map<string, HeldCall>();

  /**
   * Keeps a call until its client comes back; the `requestState`, or undefined when too many wait already.
   *
   * @param share `shareOf` the client
   */
  hold(call: BridgedCall, share: string): string | undefined {
    if (this.#calls.size >= MAX_HELD || this.#countOf(share) >= MAX_HELD_OF_ONE) return undefined;
    const state = randomBytes(24).toString('base64url');
    const timer = setTimeout(() => {
      this.#calls.delete(state);
      call.giveUp('the client has not come back');
    }, HOLD_MS).unref();
    this.#calls.set(state, { call, share, timer });
    return state;
  }

  /** Whether a call waits under this state. */
  has(state: string): boolean {
    return this.#calls.has(state);
  }

  /** The call that an attempt goes on with, which is held no longer; undefined when it is not of this state. */
  take(state: string, attempt: CallTraits): BridgedCall | undefined {
    const held = this.#calls.get(state);
    if (held === undefined || !held.call.fits(attempt)) return undefined;
    clearTimeout(held.timer);
    this.#calls.delete(state);
    return held.call;
  }

  #countOf(share: string): number {
    let count = 0;
    for (const held of this.#calls.values()) if (held.share === share) count++;
    return count;
  }
}
