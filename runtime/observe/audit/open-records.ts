import type { RequestRecord } from './request-record.ts';

/**
 * Records of requests that are worked on. Not a Set: each time that one makes room for more, it leaves its former table behind as
 * garbage, and with it all that stood there. Tables that have become old keep whole requests alive in this way, which cost a
 * call more than all the rest of its record.
 */
export class OpenRecords implements Iterable<RequestRecord> {
  readonly #records: RequestRecord[] = [];

  add(record: RequestRecord): void {
    record.place = this.#records.push(record) - 1;
  }

  /** The last one takes its place. */
  delete(record: RequestRecord): void {
    if (this.#records[record.place] !== record) return;
    const last = this.#records.pop() as RequestRecord;
    if (last === record) return;
    this.#records[record.place] = last;
    last.place = record.place;
  }

  /** The records that are open now: any may be deleted meanwhile. */
  [Symbol.iterator](): Iterator<RequestRecord> {
    return [...this.#records].values();
  }
}
