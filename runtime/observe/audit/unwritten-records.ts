import { type EndedRecord, recordText } from './record-text.ts';

/** So long a record may wait for others, in milliseconds; less when there are many. */
const WAIT_MS = 10;
const BATCH = 32;

/** The message of a record that waits is held in memory; a longer one, in characters, does not wait. */
const LONG_MESSAGE = 64 * 1024;

/**
 * Records whose text is still to be made. It is made for several at a time: alone, between the work on two calls, its code is out of the
 * processor's caches each time, and takes three times as long.
 */
export class UnwrittenRecords {
  readonly #write: (record: string) => void;
  #waiting: EndedRecord[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (record: string) => void) {
    this.#write = write;
  }

  add(record: EndedRecord): void {
    this.#waiting.push(record);
    const isLong = (record.envelope?.text.length ?? 0) > LONG_MESSAGE;
    if (isLong || this.#waiting.length >= BATCH) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MS);
  }

  /** Writes all, in the order in which they came. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const records = this.#waiting;
    this.#waiting = [];
    for (const record of records) this.#write(recordText(record));
  }
}
