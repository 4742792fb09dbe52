/**
 * One backend's lists for clients with certain capabilities. The gateway reads them in a session that announces these capabilities, with its own
 * credential, and stores them for all such clients. Most backends give all callers the same lists; for those it stores nothing.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { BackendError } from '../../mcp/backend-error.ts';
import type { Logger } from '../../observe/log.ts';
import type { BackendSession } from '../backends/backend.ts';
import type { CapabilitySet } from '../backends/capability-set.ts';
import type { BackendMonitor } from '../backends/health/monitor.ts';
import { areListsEqual } from '../offers/lists-equal.ts';
import type { OfferedItems } from '../offers/offered-items.ts';

/** Remembered capability sets of one backend; the least recently used one is removed. */
export const MAX_CAPABILITY_SETS = 64;

/** Maximum number of characters of the different lists, as JSON; the latest list is stored even if it exceeds the limit. */
export const MAX_CHARACTERS: number = 32 * 1024 * 1024;

/** The number of capability sets that are read at a time; clients with a further set get the gateway's own lists until their next request. */
export const MAX_AT_ONCE = 8;

/** Pause between two readings for one capability set; milliseconds. */
const PAUSE_MS = 250;

export interface CapabilitySetListsOptions {
  readonly monitor: Pick<BackendMonitor, 'answersUs' | 'items' | 'limits' | 'readIn'>;
  readonly log: Logger;
  /** Opens a session that announces the capabilities; the monitor ends it. */
  openSession(capabilitySet: CapabilitySet): BackendSession;
  /** Called after the lists for clients with a capability set have changed. */
  onChange(capabilitySet: CapabilitySet): void;
  /** The lists that a former connection to the backend has read; valid until this connection reads them. */
  readonly earlier?: CapabilitySetLists | undefined;
}

interface Offer {
  /** The lists; undefined when they equal the gateway's own, or are not known. */
  readonly items: OfferedItems | undefined;
  readonly triedAt: number;
  readonly isRead: boolean;
  /** Whether the backend has notified of a change since the lists were read. */
  isStale: boolean;
}

export class CapabilitySetLists {
  readonly #options: CapabilitySetListsOptions;
  /** Lists, by the key of the capability set; least recently used first. */
  readonly #offers: Map<string, Offer>;
  readonly #reading = new Map<string, Promise<void>>();
  /** Capability sets whose next reading is scheduled for after the pause. */
  readonly #waiting = new Set<string>();

  constructor(options: CapabilitySetListsOptions) {
    this.#options = options;
    const previous = options.earlier === undefined ? [] : [...options.earlier.#offers];
    this.#offers = new Map(previous.map(([key, offer]) => [key, { ...offer, isStale: true }]));
  }

  /**
   * The lists for clients with a capability set, the same object while they are unchanged. Undefined when they equal the gateway's own, or are
   * not known.
   */
  get({ key }: CapabilitySet): OfferedItems | undefined {
    return this.#offers.get(key)?.items;
  }

  /** Whether the lists for clients with this capability set are not known, and worth waiting for. */
  isPending({ key }: CapabilitySet): boolean {
    const offer = this.#offers.get(key);
    const isDue = offer === undefined || (!offer.isRead && this.#isOld(offer));
    return isDue && this.#options.monitor.answersUs;
  }

  /** Resolves when the lists for clients with a capability set are known, or when they cannot be read. */
  async discover(capabilitySet: CapabilitySet): Promise<void> {
    if (this.isPending(capabilitySet)) await this.#read(capabilitySet);
  }

  /** Reads the lists in the background if they are missing or old: after the pause, and after a reading that is running. */
  refresh(capabilitySet: CapabilitySet): void {
    const { key } = capabilitySet;
    if (!this.#options.monitor.answersUs || this.#waiting.has(key)) return;
    const offer = this.#offers.get(key);
    if (offer !== undefined && !offer.isStale && !this.#isOld(offer)) return;
    const waitMs = offer === undefined ? 0 : offer.triedAt + PAUSE_MS - performance.now();
    const reading = this.#reading.get(key);
    if (reading === undefined && waitMs <= 0) void this.#read(capabilitySet);
    else {
      this.#waiting.add(key);
      void Promise.all([reading, pause(Math.max(waitMs, 0), undefined, { ref: false })]).then(() => {
        this.#waiting.delete(key);
        this.refresh(capabilitySet);
      });
    }
  }

  /** Called when the backend's lists have changed: those of each capability set are read again on their next use. */
  changed(): void {
    for (const offer of this.#offers.values()) offer.isStale = true;
  }

  #isOld({ triedAt }: Offer): boolean {
    return performance.now() - triedAt > this.#options.monitor.limits.intervalMs;
  }

  #read(capabilitySet: CapabilitySet): Promise<void> {
    const running = this.#reading.get(capabilitySet.key);
    if (running !== undefined) return running;
    if (this.#reading.size >= MAX_AT_ONCE) return Promise.resolve();
    const reading = this.#readOnce(capabilitySet).finally(() => this.#reading.delete(capabilitySet.key));
    this.#reading.set(capabilitySet.key, reading);
    return reading;
  }

  async #readOnce(capabilitySet: CapabilitySet): Promise<void> {
    const { monitor, log, openSession, onChange } = this.#options;
    const before = this.#offers.get(capabilitySet.key);
    // Records changes that occur while this reading runs.
    const pending: Offer = { items: before?.items, isRead: before?.isRead ?? false, ...markTriedNow() };
    this.#keep(capabilitySet, pending);
    try {
      const { items: offered } = await monitor.readIn(openSession(capabilitySet));
      const items = areListsEqual(offered, monitor.items) ? undefined : this.#shareOffered(offered);
      this.#keep(capabilitySet, { items, isRead: true, ...markTriedNow(), isStale: pending.isStale });
      if (items !== before?.items) onChange(capabilitySet);
    } catch (error) {
      const { message, reason } = error as BackendError;
      log.debug({ reason }, `${message}; its lists for clients with certain capabilities were not read`);
    }
  }

  /** Returns the stored object for equal lists. */
  #shareOffered(offered: OfferedItems): OfferedItems {
    for (const { items } of this.#offers.values()) {
      if (items !== undefined && areListsEqual(items, offered)) return items;
    }
    return offered;
  }

  #keep({ key }: CapabilitySet, offer: Offer): void {
    this.#offers.delete(key);
    this.#offers.set(key, offer);
    for (const oldest of this.#offers.keys()) {
      if (this.#offers.size <= 1 || (this.#offers.size <= MAX_CAPABILITY_SETS && this.#characters <= MAX_CHARACTERS))
        return;
      this.#offers.delete(oldest);
    }
  }

  /** The lists of all capability sets that differ from the gateway's own. */
  get lists(): ReadonlySet<OfferedItems> {
    return new Set([...this.#offers.values()].flatMap(({ items }) => items ?? []));
  }

  get #characters(): number {
    return [...this.lists].reduce((sum, list) => sum + computeLength(list), 0);
  }
}

const lengths = new WeakMap<OfferedItems, number>();

function computeLength(list: OfferedItems): number {
  let length = lengths.get(list);
  if (length === undefined) {
    try {
      length = JSON.stringify(list).length;
    } catch {
      length = MAX_CHARACTERS; // The lists are nested thousands of levels deep: their size cannot be computed.
    }
    lengths.set(list, length);
  }
  return length;
}

function markTriedNow(): Pick<Offer, 'triedAt' | 'isStale'> {
  return { triedAt: performance.now(), isStale: false };
}
