/**
 * Reads the lists of a backend that answers only callers, on behalf of each caller that requests them. A caller's own lists decide what the
 * caller sees and where its calls go, and do not affect others.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { BackendError } from '../../mcp/backend-error.ts';
import type { Logger } from '../../observe/log.ts';
import type { BackendSession } from '../backends/backend.ts';
import type { BackendMonitor } from '../backends/health/monitor.ts';
import { getListKey, type Sender } from '../backends/sender.ts';
import type { OfferedItems } from '../offers/offered-items.ts';
import { type AdvertisedList, type CallerListChange, CallerLists, MAX_CALLERS } from './caller-lists.ts';

/** Pause between two readings for one caller that the caller or the backend triggers; milliseconds. */
const PAUSE_MS = 250;

/** The number of callers for which the gateway reads one backend's lists at a time. */
export const MAX_AT_ONCE = 8;

/** Maximum number of callers whose lists are being read or wait for that; a further caller gets no items of this backend until its next request. */
const MAX_DISCOVERING = 1_000;

export interface CallerDiscoveryOptions {
  readonly monitor: Pick<BackendMonitor, 'requiresCallerAuth' | 'limits' | 'readIn' | 'noteOffering'>;
  readonly log: Logger;
  /** Opens a session on behalf of a caller; the monitor ends it. */
  openSession(sender: Sender): BackendSession;
  /** Called after the lists of a caller changed. */
  onCallerListChanged(caller: string, listChange: CallerListChange): void;
}

/** When a caller's lists were read. */
interface Freshness {
  readonly discoveredAt: number;
  triedAt: number;
  /** Whether the backend has notified the caller of a changed list since the reading. */
  isStale: boolean;
}

export class CallerDiscovery {
  readonly #options: CallerDiscoveryOptions;
  /** The freshness of the callers' lists in `#lists`. */
  readonly #freshness = new Map<string, Freshness>();
  readonly #lists = new CallerLists(caller => this.#freshness.delete(caller));
  /** Callers whose wait ended without lists, and when. */
  readonly #inVain = new LRUCache<string, number>({ max: MAX_CALLERS });
  readonly #discovering = new Map<string, Promise<BackendError | undefined>>();
  /** Readings that have not begun yet and that callers wait for. */
  readonly #discoveringAgain = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: CallerDiscoveryOptions) {
    this.#options = options;
  }

  /** Whether the gateway has not read this caller's lists yet. */
  isPending(sender: Sender): boolean {
    return this.#options.monitor.requiresCallerAuth && !this.#freshness.has(getListKey(sender));
  }

  /** Whether the discovery is pending and worth waiting for, even if another backend is known to offer the requested item: once per interval. */
  isDue(sender: Sender): boolean {
    if (!this.isPending(sender)) return false;
    const at = this.#inVain.get(getListKey(sender));
    return at === undefined || performance.now() - at > this.#options.monitor.limits.intervalMs;
  }

  /** The lists that the backend gave to a caller (a key of `getListKey`), with the backend's names; undefined when they are not known. */
  findList(caller: string): AdvertisedList | undefined {
    return this.#lists.get(caller);
  }

  /** Whether no caller's lists are known. */
  get isEmpty(): boolean {
    return this.#lists.isEmpty;
  }

  /** The items in the lists of all callers together, for operators. */
  get shown(): OfferedItems {
    return this.#lists.shown;
  }

  /** Drops the lists of single callers, because the backend answers the gateway itself. */
  clear(): void {
    this.#lists.clear();
    this.#inVain.clear();
  }

  /** Records that this caller has waited for the lists: they are known now, or the caller's next requests no longer wait for them. */
  hasWaited(sender: Sender): void {
    if (!this.isPending(sender)) return;
    this.#inVain.set(getListKey(sender), performance.now());
  }

  /**
   * Resolves when the gateway knows the backend's lists for this caller, or when the backend has refused the caller, with the reason. Old lists
   * are used while they are read again.
   */
  async discover(sender: Sender): Promise<BackendError | undefined> {
    if (this.isPending(sender)) return this.#ask(sender, getListKey(sender));
    this.refresh(sender);
    return undefined;
  }

  /** Reads the lists of a caller again in the background, if they are old. */
  refresh(sender: Sender): void {
    const { monitor } = this.#options;
    if (!monitor.requiresCallerAuth) return;
    const caller = getListKey(sender);
    const freshness = this.#freshness.get(caller);
    if (freshness === undefined || this.#discovering.has(caller)) return;
    const now = performance.now();
    const isDue = freshness.isStale || now - freshness.discoveredAt > monitor.limits.intervalMs;
    if (isDue && now - freshness.triedAt > PAUSE_MS) void this.#ask(sender, caller);
  }

  /** Resolves when a reading for this caller that began after the call has ended, even with a failure; all waiting requests share one. */
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

  /** Called when the backend has notified this caller of a changed list. */
  changed(sender: Sender): void {
    const freshness = this.#freshness.get(getListKey(sender));
    if (freshness !== undefined) freshness.isStale = true;
    this.refresh(sender);
  }

  #ask(sender: Sender, caller: string): Promise<BackendError | undefined> {
    const running = this.#discovering.get(caller);
    if (running !== undefined) return running;
    if (this.#discovering.size >= MAX_DISCOVERING) return Promise.resolve(undefined);
    const discovering = this.#runInTurn(() => this.#discover(sender, caller)).finally(() =>
      this.#discovering.delete(caller),
    );
    this.#discovering.set(caller, discovering);
    return discovering;
  }

  /** Runs a reading in its turn. It begins at once if possible: `p-limit` would begin after other requests could have started the same reading. */
  async #runInTurn<T>(task: () => Promise<T>): Promise<T> {
    // A reading that has ended passes its turn to the next one in line.
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
      if (!monitor.requiresCallerAuth) return undefined;
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
      log.debug({ reason }, `${message}; its lists for a caller were not read`);
      return error instanceof BackendError ? error : undefined;
    }
  }
}
