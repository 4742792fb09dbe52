/**
 * The lists of a backend that answers callers only: they are read in the name of each caller that asks. The caller's own lists
 * decide what it is shown and where its calls go, and do nothing for others.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../observe/log.ts';
import { BackendError, type BackendSession } from '../backends/backend.ts';
import type { BackendMonitor } from '../backends/health/monitor.ts';
import { getListKey, type Sender } from '../backends/sender.ts';
import type { OfferedItems } from '../offers/offered-items.ts';
import { type AdvertisedList, type CallerListChange, CallerLists, MAX_CALLERS } from './caller-lists.ts';

/** Between two questions in the name of one caller that it or the backend gives rise to; milliseconds. */
const PAUSE_MS = 250;

/** Callers in whose names one backend is asked at the same time. */
export const MAX_AT_ONCE = 8;

/** Callers that are asked for or wait for their turn; one more is listed nothing of this backend until it comes again. */
const MAX_DISCOVERING = 1_000;

export interface CallerDiscoveryOptions {
  readonly monitor: Pick<BackendMonitor, 'asksCallers' | 'limits' | 'readIn' | 'noteOffering'>;
  readonly log: Logger;
  /** A session on behalf of a caller; the monitor ends it. */
  openSession(sender: Sender): BackendSession;
  /** Called after the lists of a caller changed. */
  onCallerListChanged(caller: string, listChange: CallerListChange): void;
}

/** When a caller was asked for. */
interface Freshness {
  readonly discoveredAt: number;
  triedAt: number;
  /** The backend has notified it since that a list changed. */
  isStale: boolean;
}

export class CallerDiscovery {
  readonly #options: CallerDiscoveryOptions;
  /** How fresh the lists of the callers in `#lists` are. */
  readonly #freshness = new Map<string, Freshness>();
  readonly #lists = new CallerLists(caller => this.#freshness.delete(caller));
  /** Callers whose wait ended without a result, and when. */
  readonly #inVain = new LRUCache<string, number>({ max: MAX_CALLERS });
  readonly #discovering = new Map<string, Promise<BackendError | undefined>>();
  /** For callers that wait for a question to begin. */
  readonly #discoveringAgain = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: CallerDiscoveryOptions) {
    this.#options = options;
  }

  /** This caller has not learnt yet what there is. */
  isPending(sender: Sender): boolean {
    return this.#options.monitor.asksCallers && !this.#freshness.has(getListKey(sender));
  }

  /** As `isPending`, and worth waiting for also where another backend is known to have what is wanted: once in an interval. */
  isDue(sender: Sender): boolean {
    if (!this.isPending(sender)) return false;
    const at = this.#inVain.get(getListKey(sender));
    return at === undefined || performance.now() - at > this.#options.monitor.limits.intervalMs;
  }

  /** The lists that the backend gave to a caller (`getListKey`), by its own names; undefined when they are not known. */
  findList(caller: string): AdvertisedList | undefined {
    return this.#lists.of(caller);
  }

  /** No lists of any caller are known. */
  get isEmpty(): boolean {
    return this.#lists.isEmpty;
  }

  /** What any caller was listed, for operators. */
  get shown(): OfferedItems {
    return this.#lists.shown;
  }

  /** The backend answers the gateway itself: the lists of single callers are dropped. */
  clear(): void {
    this.#lists.clear();
    this.#inVain.clear();
  }

  /** This caller has waited for what there is; it is known by now, or others wait no longer for it. */
  hasWaited(sender: Sender): void {
    if (!this.isPending(sender)) return;
    this.#inVain.set(getListKey(sender), performance.now());
  }

  /**
   * Resolves when it is known what the backend offers this caller, or when it has refused it, with the reason. What is known
   * but old is learnt again meanwhile.
   */
  async discover(sender: Sender): Promise<BackendError | undefined> {
    if (this.isPending(sender)) return this.#ask(sender, getListKey(sender));
    this.refresh(sender);
    return undefined;
  }

  /** Learns again, in the background, what this caller knows and is old. */
  refresh(sender: Sender): void {
    const { monitor } = this.#options;
    if (!monitor.asksCallers) return;
    const caller = getListKey(sender);
    const freshness = this.#freshness.get(caller);
    if (freshness === undefined || this.#discovering.has(caller)) return;
    const now = performance.now();
    const isDue = freshness.isStale || now - freshness.discoveredAt > monitor.limits.intervalMs;
    if (isDue && now - freshness.triedAt > PAUSE_MS) void this.#ask(sender, caller);
  }

  /** Resolves when a question in the name of this caller has ended, well or not, that has begun since then: one for all who wait. */
  discoverAgain(sender: Sender): Promise<void> {
    const caller = getListKey(sender);
    const discovering = this.#discoveringAgain.get(caller) ?? this.#discoverAgain(sender, caller);
    this.#discoveringAgain.set(caller, discovering);
    return discovering;
  }

  async #discoverAgain(sender: Sender, caller: string): Promise<void> {
    const triedAt = this.#freshness.get(caller)?.triedAt ?? Number.NEGATIVE_INFINITY;
    const waitMs = triedAt + PAUSE_MS - performance.now();
    if (waitMs > 0) await pause(waitMs, undefined, { ref: false });
    await this.#discovering.get(caller);
    this.#discoveringAgain.delete(caller);
    await this.#ask(sender, caller);
  }

  /** The backend has notified this caller that a list changed. */
  changed(sender: Sender): void {
    const freshness = this.#freshness.get(getListKey(sender));
    if (freshness !== undefined) freshness.isStale = true;
    this.refresh(sender);
  }

  #ask(sender: Sender, caller: string): Promise<BackendError | undefined> {
    const running = this.#discovering.get(caller);
    if (running !== undefined) return running;
    if (this.#discovering.size >= MAX_DISCOVERING) return Promise.resolve(undefined);
    const discovering = this.#inTurn(() => this.#discover(sender, caller)).finally(() =>
      this.#discovering.delete(caller),
    );
    this.#discovering.set(caller, discovering);
    return discovering;
  }

  /** Begins at once where it may: `p-limit` would begin a moment later, when others have asked for the same. */
  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    // The one that ends hands its turn to the next in line.
    if (this.#running >= MAX_AT_ONCE) await new Promise<void>(resolve => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  async #discover(sender: Sender, caller: string): Promise<BackendError | undefined> {
    const { monitor, log, openSession, onCallerListChanged } = this.#options;
    const before = this.#freshness.get(caller);
    if (before !== undefined) {
      before.triedAt = performance.now();
      before.isStale = false;
    }
    try {
      const offer = await monitor.readIn(openSession(sender));
      if (!monitor.asksCallers) return undefined;
      const now = performance.now();
      this.#freshness.set(caller, { discoveredAt: now, triedAt: now, isStale: before?.isStale ?? false });
      this.#inVain.delete(caller);
      const listChange = this.#lists.replace(caller, offer.items);
      monitor.noteOffering(offer);
      onCallerListChanged(caller, listChange);
      return undefined;
    } catch (error) {
      if (before !== undefined) before.isStale = true;
      const { message, reason } = error as BackendError;
      log.debug({ reason }, `${message}; what it offers was not learnt in the name of a caller`);
      return error instanceof BackendError ? error : undefined;
    }
  }
}
