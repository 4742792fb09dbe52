import { type PrivateDenial, passesFilter, type RegistryFilterPlan, type RegistrySourcePlan } from '#schemas';
import { GitError } from '#shared/git';
import { RequestError } from '../../http/request-bytes.ts';
import type { Logger } from '../../observe/log.ts';
import type { Snapshot, SourceStatus } from '../snapshot.ts';
import { createReader } from './create-reader.ts';
import { createSnapshot } from './create-snapshot.ts';
import type { LastGood, LastGoodFolder } from './last-good.ts';
import { computeWaitMs, FILE_INTERVAL_MS } from './poll-interval.ts';
import { type Reader, type Reading, ReadingError } from './reading.ts';
import {
  computeSourceIdentity,
  computeSourceKey,
  computeSourceLocation,
  createEmptySnapshot,
  type ListedSource,
} from './source.ts';

/** Errors whose messages are for operators; messages of other errors could contain anything. */
const EXPECTED = [GitError, ReadingError, RequestError] as const;

export interface PollContext {
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The folder in which last good entries are stored; undefined if they are not stored. */
  readonly disk: LastGoodFolder | undefined;
  /** Refuses upstreams at private addresses. */
  readonly denial?: PrivateDenial | undefined;
}

/**
 * A source that is read at the start and then at its interval, one reading at a time. The entries of the last good reading stay listed until the next
 * good reading.
 */
export class PolledSource implements ListedSource {
  readonly key: string;
  readonly identity: string;
  readonly location: string;
  readonly tried: Promise<void>;
  readonly #plan: RegistrySourcePlan;
  readonly #context: PollContext;
  readonly #reader: Reader;
  readonly #holders = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #setTried: () => void;
  /** The empty snapshot before the first good reading. */
  readonly #none: Snapshot;
  #loading: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #isFollowed = false;
  #timer: NodeJS.Timeout | undefined;
  /** The last good reading; undefined before the first good reading. */
  #last: LastGood | undefined;
  #isFromDisk = false;
  /** Whether the last good reading is on disk. */
  #isKept = false;
  #lastAttempt: string | null = null;
  #failures = 0;
  /** Why the last attempt failed; empty when it succeeded. */
  #cause = '';
  /** The last logged note. */
  #loggedNote = '';

  /**
   * @param previous the source of the previous bundle that reads the same location, with another interval or filter: its entries are listed until
   *   the first reading
   */
  constructor(plan: RegistrySourcePlan, context: PollContext, previous?: PolledSource) {
    this.key = computeSourceKey(plan);
    this.identity = computeSourceIdentity(plan);
    this.location = computeSourceLocation(plan);
    this.#plan = plan;
    this.#context = context;
    this.#reader = createReader(plan, context.disk?.path, context.denial);
    this.#none = createEmptySnapshot(plan.name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.tried = promise;
    this.#setTried = resolve;
    if (previous?.location !== this.location || previous.#last === undefined) return;
    const isSame = previous.identity === this.identity;
    this.#last = isSame ? previous.#last : filterAgain(previous.#last, plan.filter);
    this.#isFromDisk = previous.#isFromDisk;
    this.#isKept = isSame && previous.#isKept;
    this.#loggedNote = previous.#loggedNote;
    resolve();
  }

  get snapshot(): Snapshot {
    return this.#last?.snapshot ?? this.#none;
  }

  status(): SourceStatus {
    return {
      name: this.#plan.name,
      type: this.#plan.from.type,
      phase: this.#getPhase(),
      servers: this.snapshot.entries.length,
      lastSync: this.#last?.readAt ?? null,
      lastAttempt: this.#lastAttempt,
      attempts: this.#failures,
      message: this.#cause === '' ? (this.#last?.note ?? '') : this.#cause,
      isFromDisk: this.#isFromDisk,
    };
  }

  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  follow(): void {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    void this.refresh();
  }

  /** Reads the source now, once for all concurrent callers. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      this.#setTried();
      this.#schedule();
    });
    return this.#reading;
  }

  retain(changed: () => void): void {
    this.#holders.add(changed);
  }

  async release(changed: () => void): Promise<void> {
    this.#holders.delete(changed);
    if (this.#holders.size > 0) return;
    clearTimeout(this.#timer);
    this.#stop.abort();
    await this.#reading;
  }

  async #load(): Promise<void> {
    if (this.#last !== undefined) return;
    const lastGood = await this.#context.disk?.read(this.#plan.name, this.identity);
    if (lastGood === undefined) return;
    this.#last = lastGood;
    this.#isKept = true;
    this.#isFromDisk = true;
    this.#setTried();
  }

  async #read(): Promise<void> {
    clearTimeout(this.#timer);
    this.#lastAttempt = this.#formatTime();
    try {
      const reading = await this.#reader(this.#last?.mark ?? null, this.#stop.signal);
      if (!this.#stop.signal.aborted) this.#accept(reading);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(error);
      return;
    }
    await this.#keep();
  }

  #accept(reading: Reading): void {
    const { log } = this.#context;
    const source = this.#plan.name;
    const previous = this.#last;
    const { mark } = reading;
    // If the source is unchanged, the note of the previous reading still applies.
    const note = reading.entries === undefined ? (previous?.note ?? '') : reading.note;
    const read = reading.entries === undefined ? this.snapshot : createSnapshot(source, reading.entries);
    const isChanged = read.revision !== this.snapshot.revision || previous === undefined;
    this.#last = { snapshot: isChanged ? read : this.snapshot, mark, note, readAt: this.#formatTime() };
    this.#isFromDisk = false;
    this.#isKept &&= !isChanged;
    if (this.#failures > 0) log.info({ source }, 'the source can be read again');
    this.#failures = 0;
    this.#cause = '';
    if (note !== '' && note !== this.#loggedNote)
      log.warn({ source, cause: note }, 'the source was read with a notice');
    this.#loggedNote = note;
    if (!isChanged) return;
    log.info({ source, servers: read.entries.length }, 'the entries of the source have changed');
    for (const changed of this.#holders) changed();
  }

  #fail(error: unknown): void {
    const { log } = this.#context;
    const source = this.#plan.name;
    const isExpected = EXPECTED.some(type => error instanceof type);
    const cause = isExpected ? (error as Error).message : 'an unexpected error; the log has the details';
    if (cause !== this.#cause) {
      if (!isExpected) log.error({ source, err: error }, 'an unexpected error in reading a source');
      log.warn(
        { source, cause, servers: this.snapshot.entries.length },
        'the source cannot be read; the entries that were read last stay listed',
      );
    }
    this.#cause = cause;
    this.#failures++;
  }

  async #keep(): Promise<void> {
    const { disk } = this.#context;
    if (this.#isKept || this.#last === undefined || disk === undefined) return;
    this.#isKept = await disk.write(this.#plan.name, this.identity, this.#last);
  }

  #schedule(): void {
    if (!this.#isFollowed || this.#stop.signal.aborted) return;
    const waitMs = computeWaitMs(this.#plan.intervalMs ?? FILE_INTERVAL_MS, this.#failures);
    this.#timer = setTimeout(() => void this.refresh(), waitMs).unref();
  }

  #getPhase(): SourceStatus['phase'] {
    if (this.#reading !== undefined || this.#lastAttempt === null) return 'syncing';
    return this.#failures > 0 ? 'failed' : 'complete';
  }

  #formatTime(): string {
    return new Date(this.#context.now()).toISOString();
  }
}

/** Applies a new filter to the known entries. Entries that the old filter removed are missing, so the source must be read again. */
function filterAgain({ snapshot, ...last }: LastGood, filter: RegistryFilterPlan): LastGood {
  const { source, entries } = snapshot;
  const selected = entries.filter(({ json }) => passesFilter(filter, JSON.parse(Buffer.from(json).toString('utf8'))));
  return { ...last, snapshot: createSnapshot(source, selected), mark: null };
}
