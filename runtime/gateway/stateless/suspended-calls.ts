import { randomBytes } from 'node:crypto';
import type { Logger } from '../../observe/log.ts';
import { openText, sealText } from '../../sealed-text.ts';
import type { SealKeys } from '../../shared-sessions/seal-keys.ts';
import type { SharedSessions } from '../../shared-sessions/store.ts';
import type { BridgedCall, CallTraits } from './bridged-call.ts';
import { BufferedResponses } from './buffered-responses.ts';
import { Rounds } from './rounds/rounds.ts';

/** How long a client may take for the answers to a backend's questions, in milliseconds: people are asked. */
const HOLD_MS = 10 * 60_000;

/** Calls that wait for their clients; each holds a session with a backend. */
const MAX_HELD = 1_000;

/** The most calls of one caller; of one address, where callers have no names. */
const MAX_HELD_OF_ONE = 200;

/** How `requestState` begins that is one of a held call. */
const PREFIX = 'lintel-c.';

interface SuspendedCall {
  readonly call: BridgedCall;
  readonly share: string;
  readonly timer: NodeJS.Timeout;
}

/** What a `requestState` says, sealed for the caller and the call. */
export interface SuspendedCallLocation {
  /** Which replica holds the call; 0 where there is one alone. */
  readonly replica: number;
  /** By which that one finds it. */
  readonly secret: string;
}

/**
 * Calls whose clients were asked for input. They are found again by `requestState`, which no other client can make or use and which is good for
 * one attempt. It names the replica that holds the call: any other can read that.
 */
export class SuspendedCalls {
  /** By which states are sealed. */
  readonly seals: SealKeys;
  /** The way to calls that other replicas hold; undefined where there are none. */
  readonly rounds: Rounds | undefined;
  readonly #replica: number;
  /** The responses of backends that do not wait for their clients. */
  readonly answers: BufferedResponses = new BufferedResponses();
  /** By their secrets. */
  readonly #calls = new Map<string, SuspendedCall>();

  /** @param shared where other replicas are found; undefined where there are none */
  constructor({ seals, log }: { readonly seals: SealKeys; readonly log: Logger }, shared?: SharedSessions) {
    this.seals = seals;
    this.#replica = shared?.replica ?? 0;
    this.rounds = shared && new Rounds(shared, this, log);
  }

  /**
   * Keeps a call until its client comes back; the `requestState`, or undefined when too many wait already.
   *
   * @param traits of the call
   * @param share The share key of the client
   */
  hold(call: BridgedCall, traits: CallTraits, share: string): string | undefined {
    if (this.#calls.size >= MAX_HELD || this.#countCalls(share) >= MAX_HELD_OF_ONE) return undefined;
    const secret = randomBytes(24).toString('base64url');
    const timer = setTimeout(() => {
      this.#calls.delete(secret);
      call.giveUp('the client has not come back');
    }, HOLD_MS).unref();
    this.#calls.set(secret, { call, share, timer });
    const [key] = this.seals.of('held calls');
    const location: SuspendedCallLocation = { replica: this.#replica, secret };
    return PREFIX + sealText(JSON.stringify(location), key, formatPurpose(traits));
  }

  /** Whether a `requestState` has the form of a suspended call's. */
  static names(requestState: string): boolean {
    return requestState.startsWith(PREFIX);
  }

  /** Where the call is that an attempt goes on with; undefined when the state was not sealed for it. */
  place(requestState: string, attempt: CallTraits): SuspendedCallLocation | undefined {
    const sealed = requestState.slice(PREFIX.length);
    for (const key of this.seals.of('held calls')) {
      const text = openText(sealed, key, formatPurpose(attempt));
      if (text !== undefined) return JSON.parse(text) as SuspendedCallLocation;
    }
    return undefined;
  }

  isHere({ replica }: SuspendedCallLocation): boolean {
    return replica === this.#replica;
  }

  /** The call that an attempt goes on with, which is held no longer; undefined when it is not of this secret. */
  take(secret: string, attempt: CallTraits): BridgedCall | undefined {
    const held = this.#calls.get(secret);
    if (held === undefined || !held.call.fits(attempt)) return undefined;
    clearTimeout(held.timer);
    this.#calls.delete(secret);
    return held.call;
  }

  #countCalls(share: string): number {
    let count = 0;
    for (const held of this.#calls.values()) if (held.share === share) count++;
    return count;
  }
}

function formatPurpose({ method, name, owner, about }: CallTraits): string {
  return JSON.stringify([owner, method, name, about]);
}
