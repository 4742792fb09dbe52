/** Sessions in which a backend waits for its client, or the client for a task: each wait may hold a connection to a backend. */

/** Waits in all sessions together. */
const MAX_WAITS = 1_000;

/** Waits in the sessions of one caller; of one address, where callers have no names. */
const MAX_WAITS_OF_ONE = 200;

export interface WaitingSession {
  /** Whose it is: `shareOf`. */
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
   * nothing up makes room for others of its share, or for all where all have too many.
   */
  hasRoom(session: WaitingSession): boolean {
    let all = 0;
    let own = 0;
    for (const waiting of this.#sessions) {
      const { waits, share } = waiting;
      if (waits === 0) this.#sessions.delete(waiting);
      all += waits;
      if (share === session.share) own += waits;
    }
    const isShareFull = own >= MAX_WAITS_OF_ONE;
    if ((isShareFull || all >= MAX_WAITS) && !this.#makeRoom(isShareFull ? session.share : undefined)) return false;
    this.#sessions.add(session);
    return true;
  }

  /** @param share whose waits make room; undefined for anybody's */
  #makeRoom(share: string | undefined): boolean {
    for (const waiting of this.#sessions) {
      if ((share === undefined || waiting.share === share) && waiting.makeRoom()) return true;
    }
    return false;
  }
}
