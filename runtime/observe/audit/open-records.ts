import type { RequestRecord } from './request-record.ts';

/**
 * Records of running requests. Not a Set: when a Set grows, its former table becomes garbage, together with everything in it. Old tables keep
 * whole requests alive in this way, which costs a call more than all the rest of its record.
 */
export class OpenRecords implements Iterable<RequestRecord> {
  readonly #records: RequestRecord[] = [];

  add(record: RequestRecord): void {
    record.index = this.#records.push(record) - 1;
  }

  /** The last record takes the removed one's place. */
  delete(record: RequestRecord): void {
    if (this.#records[record.index] !== record) return;
    const last = this.#records.pop() as RequestRecord;
    if (last === record) return;
    this.#records[record.index] = last;
    last.index = record.index;
  }

  /** The records that are open now: any may be deleted meanwhile. */
  [Symbol.iterator](): Iterator<RequestRecord> {
    return [...this.#records].values();
  }
}
