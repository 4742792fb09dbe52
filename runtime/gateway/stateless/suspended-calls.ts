import { randomBytes } from 'node:crypto';
import type { Logger } from '../../observe/log.ts';
import { openText, sealText } from '../../sealed-text.ts';
import type { SealKeys } from '../../shared-sessions/seal-keys.ts';
import type { SharedSessions } from '../../shared-sessions/store.ts';
import { onlyReads } from '../routing/only-reads.ts';
import type { RoutingTable } from '../routing/table.ts';
import type { BridgedCall } from './bridged-call.ts';
import { BufferedResponses } from './buffered-responses.ts';
import type { CallTraits } from './rounds/next-attempt.ts';
import { Rounds } from './rounds/rounds.ts';

/** How long a client may take to answer a backend's questions, in milliseconds: people answer. */
const HOLD_MS = 10 * 60_000;

/** Maximum number of calls that wait for their clients; each occupies a session with a backend. */
const MAX_HELD = 1_000;

/** Maximum number of waiting calls of one caller, or of one address if callers are anonymous. */
const MAX_HELD_OF_ONE = 200;

/** Prefix of the `requestState` of a call that waits for its client. */
const PREFIX = 'lintel-c.';

interface SuspendedCall {
  readonly call: BridgedCall;
  readonly share: string;
  readonly timer: NodeJS.Timeout;
}

/** The content of a `requestState`, sealed for the caller and the call. */
export interface SuspendedCallLocation {
  /** The number of the replica with the call; 0 when there is only one replica. */
  readonly replica: number;
  /** The secret by which that replica finds the call. */
  readonly secret: string;
}

/** The members of the gateway that waiting calls need. */
interface CallsOfGateway {
  readonly seals: SealKeys;
  readonly log: Logger;
  /** The current routing table. A changed table replaces it. */
  readonly table: Pick<RoutingTable, 'tools'>;
}

/**
 * Calls that wait for their clients' input. They are found by `requestState`, which no other client can create or use and which is valid for one
 * attempt. It names the replica with the call, and any replica can read that name.
 */
export class SuspendedCalls {
  /** The keys that seal the states. */
  readonly seals: SealKeys;
  /** Access to calls that are at other replicas; undefined when there are no other replicas. */
  readonly rounds: Rounds | undefined;
  readonly #gateway: CallsOfGateway;
  readonly #replica: number;
  /** Answers of backends that did not wait for their clients. */
  readonly answers: BufferedResponses = new BufferedResponses();
  /** Waiting calls, by their secret. */
  readonly #calls = new Map<string, SuspendedCall>();

  /** @param shared where the other replicas are found; undefined when there are none */
  constructor(gateway: CallsOfGateway, shared?: SharedSessions) {
    const { seals, log } = gateway;
    this.#gateway = gateway;
    this.seals = seals;
    this.#replica = shared?.replica ?? 0;
    this.rounds = shared && new Rounds(shared, this, log);
  }

  /** Whether a call has no effect. */
  onlyReads({ method, name }: CallTraits): boolean {
    return onlyReads(this.#gateway.table, method, name);
  }

  /**
   * Stores a call until its client returns; returns the `requestState`, or undefined when too many calls wait already.
   * @param traits the call's traits
   * @param share a key for the limits that the client shares with its other requests
   */
  hold(call: BridgedCall, traits: CallTraits, share: string): string | undefined {
    if (this.#calls.size >= MAX_HELD || this.#countCalls(share) >= MAX_HELD_OF_ONE) return undefined;
    const secret = randomBytes(24).toString('base64url');
    const timer = setTimeout(() => {
      this.#calls.delete(secret);
      call.giveUp('the client has not come back');
    }, HOLD_MS).unref();
    this.#calls.set(secret, { call, share, timer });
    const [key] = this.seals.get('held calls');
    const location: SuspendedCallLocation = { replica: this.#replica, secret };
    return PREFIX + sealText(JSON.stringify(location), key, formatPurpose(traits));
  }

  /** Whether a `requestState` has the form of a suspended call's. */
  static isSuspended(requestState: string): boolean {
    return requestState.startsWith(PREFIX);
  }

  /** Where the call is that an attempt continues; undefined when its `requestState` was not sealed for that call. */
  locate(requestState: string, attempt: CallTraits): SuspendedCallLocation | undefined {
    const sealed = requestState.slice(PREFIX.length);
    for (const key of this.seals.get('held calls')) {
      const text = openText(sealed, key, formatPurpose(attempt));
      if (text !== undefined) return JSON.parse(text) as SuspendedCallLocation;
    }
    return undefined;
  }

  isHere({ replica }: SuspendedCallLocation): boolean {
    return replica === this.#replica;
  }

  /** Removes and returns the call that an attempt continues; undefined when no call has this secret. */
  take(secret: string, attempt: CallTraits): BridgedCall | undefined {
    const suspendedCall = this.#calls.get(secret);
    if (suspendedCall === undefined || !suspendedCall.call.fits(attempt)) return undefined;
    clearTimeout(suspendedCall.timer);
    this.#calls.delete(secret);
    return suspendedCall.call;
  }

  #countCalls(share: string): number {
    let count = 0;
    for (const suspendedCall of this.#calls.values()) if (suspendedCall.share === share) count++;
    return count;
  }
}

function formatPurpose({ method, name, owner, about }: CallTraits): string {
  return JSON.stringify([owner, method, name, about]);
}
