/** Sessions in which a backend waits for its client, or the client for a task: each wait may hold a connection to a backend. */

/** Waits in all sessions together. */
const MAX_WAITS = 1_000;

/** Waits in the sessions of one caller; of one address, where callers have no names. */
const MAX_WAITS_OF_ONE = 200;

export interface WaitingSession {
  /** The share of the caller that it belongs to, see `getShareKey`. */
  readonly share: string;
  /** Waits there are in it at this time. */
  readonly waits: number;
  /** Ends the oldest wait that nothing is held up by. Returns false when there is none. */
  makeRoom(): boolean;
}

export class WaitingSessions {
  readonly #sessions = new Set<WaitingSession>();

  /**
   * Whether there is room for one more wait in a session. Ask before each: those that have ended are found out here, and what holds
   * nothing up makes room for others of its share, or for all where all have too many: of the largest share then.
   */
  hasRoom(session: WaitingSession): boolean {
    let all = 0;
    const ofShares = new Map<string, number>();
    for (const waiting of this.#sessions) {
      const { waits, share } = waiting;
      if (waits === 0) this.#sessions.delete(waiting);
      all += waits;
      ofShares.set(share, (ofShares.get(share) ?? 0) + waits);
    }
    const { share } = session;
    const isShareFull = (ofShares.get(share) ?? 0) >= MAX_WAITS_OF_ONE;
    if (isShareFull ? !this.#makeRoom(share) : all >= MAX_WAITS && !this.#makeRoomIn(ofShares)) return false;
    this.#sessions.add(session);
    return true;
  }

  /** Sessions of the caller with the most sessions are dropped first: an honest caller must not pay for others. */
  #makeRoomIn(ofShares: ReadonlyMap<string, number>): boolean {
    const byWaits = [...ofShares].sort(([, a], [, b]) => b - a);
    return byWaits.some(([share]) => this.#makeRoom(share));
  }

  #makeRoom(share: string): boolean {
    for (const waiting of this.#sessions) if (waiting.share === share && waiting.makeRoom()) return true;
    return false;
  }
}
