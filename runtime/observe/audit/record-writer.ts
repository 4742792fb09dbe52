/** Writes records in batches, one batch at a time, and limits the memory of records that wait to be written. */
import { appendToChain, CHAIN_START, type ChainHead } from '#shared/plan';
import type { Logger } from '../log.ts';
import type { OpenLog } from './log-file.ts';
import type { AuditWriting } from './settings.ts';

/** Limit on waiting records, in characters: 4 Mi. With `block`, the records of running requests may exceed it. */
export const MAX_WAITING: number = 4 * 1024 * 1024;

/** A batch is written after this time in milliseconds, or when it has this length in characters. */
const BATCH_MS = 50;
const BATCH_LENGTH = 64 * 1024;

/** How soon a write is repeated: after a full pipe has refused it, and after it has failed; milliseconds. */
const FULL_PIPE_MS = 20;
const FAILED_MS = 1_000;

const FSYNC_MS = 1_000;

const NEWLINE: Buffer = Buffer.from('\n');

export interface WriterCounts {
  /** Records that were written. */
  readonly written: number;
  /** Records that were lost because they could not be written in time. */
  readonly dropped: number;
  /** Failures to write, to open the file again, and to force records to the disk. */
  readonly writeErrors: number;
  /** Waiting text, in characters. */
  readonly waiting: number;
  /** Why the last write, or opening the file again, failed; null when the last attempt succeeded. */
  readonly lastError: string | null;
  /** Number and hash of the newest record; null without a chain. */
  readonly chainHead: ChainHead | null;
}

export interface WriterOptions extends Omit<AuditWriting, 'collector'> {
  /** Called with each line that is written, for the export to a collector. */
  readonly copy?: ((line: string) => void) | undefined;
  /** Path of the log, for messages; null for standard output. */
  readonly file: string | null;
  /** Opens the log, at first and after it was moved. */
  readonly open: () => Promise<OpenLog>;
  readonly log: Logger;
  /** Default {@link MAX_WAITING}. */
  readonly maxWaiting?: number;
  /** How long `close` tries to write waiting records, in milliseconds. Default 5,000. */
  readonly closeMs?: number;
}

/** Receives records. */
export type RecordTaker = Pick<RecordWriter, 'counts' | 'add' | 'room' | 'reopen' | 'close'>;

export class RecordWriter {
  private readonly _options: WriterOptions;
  private readonly _maxWaiting: number;
  private _log: OpenLog;
  private _head: ChainHead;
  private _waiting: string[] = [];
  private _waitingLength = 0;
  private _written = 0;
  private _dropped = 0;
  private _writeErrors = 0;
  private _lastError: string | null = null;
  private _timer: NodeJS.Timeout | undefined;
  private _writing: Promise<void> | undefined;
  private _mustReopen = false;
  private _isClosing = false;
  private _givesUp = false;
  private _lastSync = 0;
  private _syncTimer: NodeJS.Timeout | undefined;
  private _wake: (() => void) | undefined;
  private _waiters: (() => void)[] = [];

  private constructor(options: WriterOptions, log: OpenLog) {
    this._options = options;
    this._maxWaiting = options.maxWaiting ?? MAX_WAITING;
    this._log = log;
    this._head = log.head ?? CHAIN_START;
  }

  /** Rejects as `options.open` does. */
  static async open(options: WriterOptions): Promise<RecordWriter> {
    return new RecordWriter(options, await options.open());
  }

  get counts(): WriterCounts {
    return {
      written: this._written,
      dropped: this._dropped,
      writeErrors: this._writeErrors,
      waiting: this._waitingLength,
      lastError: this._lastError,
      chainHead: this._options.chain ? this._head : null,
    };
  }

  /** A record, as a JSON object on one line. */
  add(record: string): void {
    const isFull = this._waitingLength > 0 && this._waitingLength + record.length > this._maxWaiting;
    if (this._isClosing || (isFull && this._options.whenFull === 'drop')) {
      this._dropped++;
      return;
    }
    this._waiting.push(record);
    this._waitingLength += record.length;
    if (this._writing === undefined) this._startWhenDue();
  }

  /** Resolves when a request may start; undefined when it may start at once. */
  room(): Promise<void> | undefined {
    if (this._options.whenFull === 'drop' || this._waitingLength < this._maxWaiting || this._isClosing)
      return undefined;
    return new Promise(resolve => this._waiters.push(resolve));
  }

  /** Opens the log again after its file was moved: later records go to a new file of the same name. No record is lost or duplicated. */
  reopen(): void {
    this._mustReopen = true;
    this._wake?.();
    if (this._writing === undefined) this._start();
  }

  /** Writes the waiting records within the time limit `closeMs`, and closes the file. */
  async close(): Promise<void> {
    if (this._isClosing) return this._writing;
    this._isClosing = true;
    this._letIn();
    const patience = setTimeout(() => {
      this._givesUp = true;
      this._wake?.();
    }, this._options.closeMs ?? 5_000);
    if (this._writing === undefined) this._start();
    while (this._writing !== undefined) await this._writing;
    clearTimeout(patience);
    clearTimeout(this._syncTimer);
    if (this._options.fsync !== 'never') await this._sync();
    await this._log.handle.close().catch(() => {});
  }

  private _startWhenDue(): void {
    if (this._isClosing || this._waitingLength >= BATCH_LENGTH) this._start();
    else this._timer ??= setTimeout(() => this._start(), BATCH_MS);
  }

  private _start(): void {
    clearTimeout(this._timer);
    this._timer = undefined;
    this._writing = this._run().finally(() => {
      this._writing = undefined;
      // Records have arrived during the write; they wait for a batch, because separate writes would cost more.
      if (this._mustReopen) this._start();
      else if (this._waiting.length > 0) this._startWhenDue();
    });
  }

  private async _run(): Promise<void> {
    if (this._mustReopen) await this._reopen();
    if (this._waiting.length > 0) await this._writeBatch(this._take());
  }

  /** The lines of a batch, in the order of their writes and with their hashes. */
  private _take(): readonly string[] {
    const records = this._waiting;
    this._waiting = [];
    const lines = this._options.chain ? records.map(record => this._chainRecord(record)) : records;
    const { copy } = this._options;
    if (copy !== undefined) for (const line of lines) copy(line);
    return lines;
  }

  private _chainRecord(record: string): string {
    const { line, head } = appendToChain(record, this._head);
    this._head = head;
    return line;
  }

  private async _writeBatch(lines: readonly string[]): Promise<void> {
    const waited = this._waitingLength - this._waiting.reduce((sum, { length }) => sum + length, 0);
    let bytes = Buffer.from(`${this._log.isTorn ? '\n' : ''}${lines.join('\n')}\n`);
    let rest = bytes;
    while (rest.length > 0 && !this._givesUp) {
      try {
        const { bytesWritten } = await this._log.handle.write(rest);
        rest = rest.subarray(bytesWritten);
        this._lastError = null;
      } catch (error) {
        await this._failed(error as NodeJS.ErrnoException);
        if (this._mustReopen && (await this._reopen())) {
          // If the old file has only a part of a line, the new file gets the whole line.
          const unwritten = bytes.subarray(startOfLine(bytes, bytes.length - rest.length));
          bytes = this._log.isTorn ? Buffer.concat([NEWLINE, unwritten]) : unwritten;
          rest = bytes;
        }
      }
    }
    const lost = rest.length === 0 ? 0 : rest.toString('utf8').split('\n').length - 1;
    this._log = { ...this._log, isTorn: lost > 0 };
    this._dropped += lost;
    this._written += lines.length - lost;
    this._waitingLength -= waited;
    this._letIn();
    if (this._options.fsync === 'always') await this._sync();
    else if (this._options.fsync === 'second') this._syncSoon();
  }

  private async _failed(error: NodeJS.ErrnoException): Promise<void> {
    const isFull = error.code === 'EAGAIN';
    if (!isFull) this._logFailure('audit records cannot be written; trying again', error);
    await this._pause(isFull ? FULL_PIPE_MS : FAILED_MS);
  }

  private _pause(ms: number): Promise<void> {
    if (this._mustReopen || this._givesUp) return Promise.resolve();
    return new Promise(resolve => {
      const timer = setTimeout(done, ms);
      const self = this;
      function done(): void {
        clearTimeout(timer);
        self._wake = undefined;
        resolve();
      }
      this._wake = done;
    });
  }

  /** Opens the log again. Returns false and keeps the old file if the new file cannot be opened. */
  private async _reopen(): Promise<boolean> {
    this._mustReopen = false;
    try {
      const next = await this._options.open();
      if (this._options.fsync !== 'never') await this._sync();
      await this._log.handle.close();
      this._log = next;
      this._lastError = null;
      return true;
    } catch (error) {
      this._logFailure('the audit log cannot be opened again; records go on to the file that is open', error as Error);
      return false;
    }
  }

  private _syncSoon(): void {
    const due = this._lastSync + FSYNC_MS - performance.now();
    this._syncTimer ??= setTimeout(
      () => {
        this._syncTimer = undefined;
        void this._sync();
      },
      Math.max(0, due),
    );
  }

  private async _sync(): Promise<void> {
    this._lastSync = performance.now();
    if (!this._log.isFile) return;
    try {
      await this._log.handle.datasync();
    } catch (error) {
      this._logFailure('audit records cannot be forced to the disk', error as Error);
    }
  }

  private _letIn(): void {
    if (this._waitingLength >= this._maxWaiting && !this._isClosing) return;
    const waiters = this._waiters;
    this._waiters = [];
    for (const letIn of waiters) letIn();
  }

  /** Counts the failure, and logs it once for each cause. */
  private _logFailure(what: string, { message }: Error): void {
    this._writeErrors++;
    if (this._lastError === message) return;
    this._lastError = message;
    const file = this._options.file ?? 'standard output';
    this._options.log.error({ file, reason: message }, what);
  }
}

/** The start of the line at a position. */
function startOfLine(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(0x0a, at - 1) + 1;
}
