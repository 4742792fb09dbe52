/** Limit on the unread bytes of all event streams, in bytes. */
export const MAX_ALL_UNREAD_BYTES: number = 64 * 1024 * 1024;

/** What each piece that waits takes in memory besides its bytes. */
export const PIECE_BYTES = 512;

/** A client that has read nothing for so long does not read, in milliseconds; a slow one does. */
const SILENT_MS = 30_000;

/** An event stream on one connection. */
export interface UnreadStream {
  /** What waits for its client, by {@link UnreadBytes}. */
  readonly unreadBytes: number;
  /** Since when its client has read nothing of that, by `performance.now()`. */
  readonly silentSinceMs: number;
  /** Closes its connection and releases the unread bytes. */
  break(): void;
}

/**
 * The unread bytes of one process's event streams. Beyond the limit it closes the connection with the most unread bytes among clients that do
 * not read, otherwise among all. Its client may return for the kept events.
 */
export class UnreadBytes {
  readonly #max: number;
  readonly #now: () => number;
  /** The streams with unread bytes. */
  readonly #streams = new Set<UnreadStream>();
  #bytes = 0;
  #broken = 0;
  #isChecking = false;

  constructor(max: number = MAX_ALL_UNREAD_BYTES, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many streams were broken so far because the limit was reached. */
  get brokenStreams(): number {
    return this.#broken;
  }

  /** Something more waits on a stream. */
  add(stream: UnreadStream, bytes: number): void {
    this.#streams.add(stream);
    this.#bytes += bytes;
    if (this.#bytes <= this.#max || this.#isChecking) return;
    this.#isChecking = true;
    // After this turn of the event loop, when connections have sent what the kernel accepts, so that clients that read lose nothing.
    setImmediate(() => this.#makeRoom());
  }

  /** Something was read, or is given up. `isLast`: nothing waits there any more. */
  remove(stream: UnreadStream, bytes: number, isLast: boolean): void {
    this.#bytes -= bytes;
    if (isLast) this.#streams.delete(stream);
  }

  #makeRoom(): void {
    this.#isChecking = false;
    while (this.#bytes > this.#max) {
      const heaviest = this.#findHeaviest();
      if (heaviest === undefined) return;
      this.#broken++;
      heaviest.break();
    }
  }

  #findHeaviest(): UnreadStream | undefined {
    const silentBefore = this.#now() - SILENT_MS;
    let found: UnreadStream | undefined;
    let isFoundSilent = false;
    for (const stream of this.#streams) {
      const isSilent = stream.silentSinceMs <= silentBefore;
      if (
        found !== undefined && isSilent !== isFoundSilent
          ? isFoundSilent
          : (found?.unreadBytes ?? 0) > stream.unreadBytes
      )
        continue;
      found = stream;
      isFoundSilent = isSilent;
    }
    return found;
  }
}
