/** The audit log as a worker sees it: the worker sends its records to the primary process, which writes them. */
import { MAX_WAITING, type RecordTaker, type WriterCounts } from '../observe/audit/record-writer.ts';
import type { AuditWriting } from '../observe/audit/settings.ts';
import type { Channel } from './channel.ts';
import type { PrimaryHandlers } from './messages.ts';

export class RecordClient implements RecordTaker {
  readonly #primary: Channel<PrimaryHandlers>;
  readonly #whenFull: AuditWriting['whenFull'];
  /** Total length of the records that the primary has not accepted yet, in characters. */
  #waiting = 0;
  #dropped = 0;
  #waiters: (() => void)[] = [];
  #onEmpty: () => void = () => {};

  constructor(primary: Channel<PrimaryHandlers>, whenFull: AuditWriting['whenFull']) {
    this.#primary = primary;
    this.#whenFull = whenFull;
  }

  /** The counts of this worker: records that it dropped or has not sent yet. The primary counts the written records. */
  get counts(): WriterCounts {
    return {
      written: 0,
      dropped: this.#dropped,
      writeErrors: 0,
      waiting: this.#waiting,
      lastError: null,
      chainHead: null,
    };
  }

  add(record: string): void {
    const { length } = record;
    if (this.#whenFull === 'drop' && this.#waiting > 0 && this.#waiting + length > MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#waiting += length;
    const release = (): void => {
      this.#waiting -= length;
      if (this.#waiting === 0) this.#onEmpty();
      if (this.#waiting < MAX_WAITING) this.#letIn();
    };
    this.#primary.ask('record', record).then(release, release);
  }

  room(): Promise<void> | undefined {
    if (this.#whenFull === 'drop' || this.#waiting < MAX_WAITING) return undefined;
    return new Promise(resolve => this.#waiters.push(resolve));
  }

  /** Does nothing: the primary gets the same signal and reopens its file. */
  reopen(): void {}

  /** Resolves when the primary has received all records. */
  async close(): Promise<void> {
    this.#letIn();
    if (this.#waiting === 0) return;
    await new Promise<void>(resolve => {
      this.#onEmpty = resolve;
    });
  }

  #letIn(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const letIn of waiters) letIn();
  }
}
