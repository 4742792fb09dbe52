import type { AuditRecord } from './audit-record.ts';

/**
 * The records of running requests. An array and not a Set: when a Set grows, V8 keeps its old table until the next garbage collection, and with it
 * whole requests, which would cost more than all other work for records.
 */
export class OpenRecords implements Iterable<AuditRecord> {
  readonly #records: AuditRecord[] = [];

  add(record: AuditRecord): void {
    record.index = this.#records.push(record) - 1;
  }

  /** Removes a record, and moves the last record to its index. */
  delete(record: AuditRecord): void {
    if (this.#records[record.index] !== record) return;
    const last = this.#records.pop() as AuditRecord;
    if (last === record) return;
    this.#records[record.index] = last;
    last.index = record.index;
  }

  /** Iterates over a copy, so that records may be deleted meanwhile. */
  [Symbol.iterator](): Iterator<AuditRecord> {
    return [...this.#records].values();
  }
}
