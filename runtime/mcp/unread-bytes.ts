/** Limit on the unread bytes of all event streams, in bytes. */
export const MAX_ALL_UNREAD_BYTES: number = 64 * 1024 * 1024;

/** Memory of each waiting piece besides its bytes. */
export const PIECE_BYTES = 512;

/** A client that has read nothing for this time counts as not reading, in milliseconds; a slow client reads something. */
const SILENT_MS = 30_000;

/** An event stream on one connection. */
export interface UnreadStream {
  /** The unread bytes of its client, as counted by {@link UnreadBytes}. */
  readonly unreadBytes: number;
  /** The time since which the client has read none of its unread bytes, by `performance.now()`. */
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

  /** More bytes wait on a stream. */
  add(stream: UnreadStream, bytes: number): void {
    this.#streams.add(stream);
    this.#bytes += bytes;
    if (this.#bytes <= this.#max || this.#isChecking) return;
    this.#isChecking = true;
    // Runs after this turn of the event loop, when connections have sent the bytes that the kernel accepts, so that clients that read lose
    // nothing.
    setImmediate(() => this.#makeRoom());
  }

  /** Bytes were read, or are given up. `isLast`: none are left on this stream. */
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
