/** Sessions in which a backend waits for its client, or the client for a task: each wait may occupy a connection to a backend. */

/** Maximum number of waits of all sessions together. */
const MAX_WAITS = 1_000;

/** Maximum number of waits in the sessions of one caller, or of one address if callers are anonymous. */
const MAX_WAITS_OF_ONE = 200;

export interface WaitingSession {
  /** A key for the limits that the session's caller shares, see `getShareKey`. */
  readonly share: string;
  /** The number of waits in the session at this time. */
  readonly waits: number;
  /** Ends the oldest wait that blocks nothing. Returns false when there is none. */
  makeRoom(): boolean;
}

export class WaitingSessions {
  readonly #sessions = new Set<WaitingSession>();

  /**
   * Whether there is room for one more wait in a session. Call it before each wait: it forgets waits that have ended, and ends waits that block
   * nothing: those of the same caller, or those of the caller with the most waits when all sessions together have too many.
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

  /** Ends waits that block nothing, those of the caller with the most waits first, so that other callers keep theirs. */
  #makeRoomIn(ofShares: ReadonlyMap<string, number>): boolean {
    const byWaits = [...ofShares].sort(([, a], [, b]) => b - a);
    return byWaits.some(([share]) => this.#makeRoom(share));
  }

  #makeRoom(share: string): boolean {
    for (const waiting of this.#sessions) if (waiting.share === share && waiting.makeRoom()) return true;
    return false;
  }
}
