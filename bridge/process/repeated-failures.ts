/** Which of many failures in a row are worth a line of the log. */

export type FailureChange =
  /** Its reason is another than that of the one before. */
  | 'reason'
  /** The same reason: their number has doubled, and with it the wait until the next start. */
  | 'count'
  /** The same once more. */
  | 'none';

export class RepeatedFailures {
  #reason: string | undefined;

  /** @param count of failures in a row, this one among them */
  add(reason: string, count: number): FailureChange {
    // Processes and times have other numbers each time.
    const kind = reason.replace(/\d+/g, '0');
    const isSame = count > 1 && kind === this.#reason;
    this.#reason = kind;
    if (!isSame) return 'reason';
    return (count & (count - 1)) === 0 ? 'count' : 'none';
  }
}
