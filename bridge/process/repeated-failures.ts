/** Decides which of many consecutive failures are logged. */

export type FailureChange =
  /** The reason differs from that of the previous failure. */
  | 'reason'
  /** The reason is the same; the number of failures has doubled, and with it the delay until the next start. */
  | 'count'
  /** The reason is the same, and nothing else has changed. */
  | 'none';

export class RepeatedFailures {
  #reason: string | undefined;

  /** @param count of consecutive failures, including this one */
  add(reason: string, count: number): FailureChange {
    // Process ids and times differ each time, so numbers are removed.
    const kind = reason.replace(/\d+/g, '0');
    const isSame = count > 1 && kind === this.#reason;
    this.#reason = kind;
    if (!isSame) return 'reason';
    return (count & (count - 1)) === 0 ? 'count' : 'none';
  }
}
