/** The audit log of a gateway or registry server: one record for each request, begun when its headers arrive and written when it has ended. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuditEvent, AuditPlan } from '#schemas';
import type { WorkflowEvent, WorkflowEvents } from '../../mcp/request-record.ts';
import { Batch } from '../batch.ts';
import type { Logger } from '../log.ts';
import type { RecordExport } from '../otlp/record-export.ts';
import type { SentItems } from '../otlp/sent-metrics.ts';
import type { AuditTotals } from './audit-metrics.ts';
import { AuditRecord, type RecordKeeper } from './audit-record.ts';
import { openLog } from './log-file.ts';
import { OpenRecords } from './open-records.ts';
import {
  describeOrigin,
  type EndedRecord,
  formatEvent,
  recordText,
  toEndedRecord,
  toRecordOrigin,
} from './record-text.ts';
import { type RecordTaker, RecordWriter, type WriterCounts, type WriterOptions } from './record-writer.ts';
import type { AuditCollector, AuditWriting } from './settings.ts';

/**
 * The property of a request that holds its record. With a WeakMap of requests, each garbage collection would cost more than all other work for
 * records.
 */
const RECORD: unique symbol = Symbol('audit record');

interface RecordedRequest extends IncomingMessage {
  [RECORD]?: AuditRecord;
}

/** How many records are formatted together, and how long the record of an ended request waits for others, in milliseconds. */
const TEXTS = { size: 32, waitMs: 10 };

/** A record with a message longer than this does not wait, because a waiting record keeps its message in memory; characters. */
const LONG_MESSAGE = 64 * 1024;

/** The recording settings of one served bundle. */
export interface AuditSettings {
  readonly plan: AuditPlan;
  /** Digest of the bundle. */
  readonly digest: string;
  wants(type: AuditEvent): boolean;
}

export interface AuditStatus extends WriterCounts {
  /** Path of the log; null for standard output. */
  readonly file: string | null;
}

export interface AuditLogOptions extends AuditWriting, Pick<WriterOptions, 'maxWaiting' | 'closeMs'> {
  readonly log: Logger;
  /** The recorded types of events; requests of other types are not recorded. */
  readonly events: readonly AuditEvent[];
  /** Opens the log of the records. Default {@link openLog}. */
  readonly open?: typeof openLog;
  /** Opens the export to the settings' collector. */
  readonly openExport?: (collector: AuditCollector) => Promise<RecordExport>;
  /** Receives records instead of a log that this process opens. */
  readonly taker?: RecordTaker | undefined;
}

/** The audit settings of the next bundle, ready to replace the current settings. */
export interface PreparedAudit {
  apply(): void;
  cancel(): Promise<void>;
}

export class AuditLog implements RecordKeeper {
  readonly #options: AuditLogOptions;
  #settings: AuditSettings | undefined;
  #writer: RecordTaker | undefined;
  #file: string | null = null;
  /** The export to the collector, opened with the first log and closed at the end of the process. */
  #export: RecordExport | undefined;
  /** All writers of this process, also closed ones, because counters must never fall. */
  readonly #writers = new Set<RecordTaker>();
  readonly #open = new OpenRecords();
  readonly #unwritten = new Batch<EndedRecord>(record => this.#writer?.add(recordText(record)), TEXTS);
  readonly #reopen = (): void => this.reopen();

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  /** Undefined while the gateway records nothing. */
  get status(): AuditStatus | undefined {
    return this.#writer && { file: this.#file, ...this.#writer.counts };
  }

  /** The counts of records for the collector; undefined without a collector. */
  get exported(): readonly SentItems[] {
    return this.#export === undefined ? [] : [this.#export.items];
  }

  /** The totals of all logs so far; undefined when the gateway never recorded anything. */
  get totals(): AuditTotals | undefined {
    if (this.#writers.size === 0) return undefined;
    const totals = { written: 0, dropped: 0, writeErrors: 0 };
    for (const { counts } of this.#writers) {
      totals.written += counts.written;
      totals.dropped += counts.dropped;
      totals.writeErrors += counts.writeErrors;
    }
    return totals;
  }

  /**
   * Prepares the settings of the next bundle. The records of running requests end under the settings with which they began.
   * @param plan undefined for a bundle without audit log
   * @returns functions that apply or undo the preparation
   * @throws the errors of `openLog`
   */
  async prepare(plan: AuditPlan | undefined, digest: string): Promise<PreparedAudit> {
    if (plan === undefined) return { apply: () => this.#serve(undefined, undefined, null), cancel: async () => {} };
    const { eventTypes, excludeEventTypes, file } = plan;
    const recordedTypes = new Set<string>(eventTypes.length === 0 ? this.#options.events : eventTypes);
    const excluded = new Set<string>(excludeEventTypes);
    const wants = (type: AuditEvent): boolean => recordedTypes.has(type) && !excluded.has(type);
    const settings = { plan, digest, wants };
    const isSame = this.#writer !== undefined && this.#file === file;
    const { open = openLog, openExport, collector, taker, ...writing } = this.#options;
    if (collector !== undefined && taker === undefined) this.#export ??= await openExport?.(collector);
    const copy = this.#export && ((line: string) => this.#export?.add(line));
    const opened = async () => taker ?? (await RecordWriter.open({ ...writing, copy, file, open: () => open(file) }));
    const writer = isSame ? this.#writer : await opened();
    return {
      apply: () => this.#serve(settings, writer, file),
      cancel: async () => {
        if (!isSame && taker === undefined) await writer?.close();
      },
    };
  }

  #serve(settings: AuditSettings | undefined, writer: RecordTaker | undefined, file: string | null): void {
    const previous = this.#writer;
    if (previous === undefined && writer !== undefined) process.on('SIGHUP', this.#reopen);
    if (previous !== undefined && writer === undefined) {
      process.off('SIGHUP', this.#reopen);
      for (const record of this.#open) record.finish('shutdown');
    }
    this.#unwritten.flush();
    this.#settings = settings;
    this.#writer = writer;
    if (writer !== undefined) this.#writers.add(writer);
    this.#file = file;
    if (previous !== writer) void previous?.close();
  }

  /**
   * Begins the record of an HTTP request. If records cannot be written fast enough, resolves when the request may continue; undefined when
   * it may continue at once.
   */
  begin(req: IncomingMessage, res: ServerResponse): Promise<void> | undefined {
    const settings = this.#settings;
    if (settings === undefined) return undefined;
    const record = new AuditRecord(req, res, settings, this);
    (req as RecordedRequest)[RECORD] = record;
    this.#open.add(record);
    res.once('close', () => record.closed());
    return this.#writer?.room();
  }

  /** The record of an HTTP request; undefined when it has none. */
  of(req: IncomingMessage): AuditRecord | undefined {
    return this.#settings === undefined ? undefined : (req as RecordedRequest)[RECORD];
  }

  opened(record: AuditRecord): void {
    this.#open.add(record);
  }

  replaced(record: AuditRecord): void {
    this.#open.delete(record);
  }

  finished(record: AuditRecord): void {
    this.#open.delete(record);
    if (record.settings.wants(record.type)) this.#unwritten.add(toEndedRecord(record));
    if ((record.envelope?.text.length ?? 0) > LONG_MESSAGE) this.#unwritten.flush();
  }

  noted(record: AuditRecord, event: WorkflowEvent): void {
    if (record.settings.wants(event.type)) this.#addText(formatEvent(describeOrigin(record), event, Date.now()));
  }

  noting(record: AuditRecord): WorkflowEvents {
    const origin = toRecordOrigin(record);
    return {
      noted: event => {
        if (origin.settings.wants(event.type)) this.#addText(formatEvent(origin, event, Date.now()));
      },
    };
  }

  /** Writes the text of a record, after all records that have ended before. */
  #addText(text: string): void {
    this.#unwritten.flush();
    this.#writer?.add(text);
  }

  /**
   * Writes a record of another process of the same gateway.
   * @returns resolves when the next record may come, if records cannot be written fast enough; undefined when it may come at once
   */
  add(record: string): Promise<void> | undefined {
    this.#writer?.add(record);
    return this.#writer?.room();
  }

  /** The log file was moved: later records go to a new file of the same name. */
  reopen(): void {
    this.#unwritten.flush();
    this.#writer?.reopen();
  }

  /** Completes open records, and writes waiting ones. The last step of draining. */
  async close(): Promise<void> {
    process.off('SIGHUP', this.#reopen);
    for (const record of this.#open) record.finish('shutdown');
    this.#unwritten.flush();
    this.#settings = undefined;
    await this.#writer?.close();
    await this.#export?.close(); // Closed after the last record has been written.
  }
}
