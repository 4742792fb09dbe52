/**
 * What one backend offers to clients with certain capabilities: read in a session that announces them, on the gateway's account, and
 * kept for all such clients. Most backends offer all callers the same; of those nothing is kept.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../observe/log.ts';
import type { BackendError, BackendSession } from '../backends/backend.ts';
import type { BackendMonitor } from '../backends/health/monitor.ts';
import { areListsEqual } from '../offers/lists-equal.ts';
import type { OfferedItems } from '../offers/offered-items.ts';
import type { CapabilitySet } from './capability-set.ts';

/** Capability sets that are remembered of one backend; the one used least recently makes room. */
export const MAX_CAPABILITY_SETS = 64;

/** Characters of the lists that differ, as JSON; those of the latest one are kept, however many they are. */
export const MAX_CHARACTERS: number = 32 * 1024 * 1024;

/** Capability sets that are read at the same time; clients of one more have what the gateway was offered, until they come again. */
export const MAX_AT_ONCE = 8;

/** Between two readings for one capability set; milliseconds. */
const PAUSE_MS = 250;

export interface CapabilitySetListsOptions {
  readonly monitor: Pick<BackendMonitor, 'answersUs' | 'items' | 'limits' | 'readIn'>;
  readonly log: Logger;
  /** A session that announces the capabilities; the monitor ends it. */
  openSession(capabilitySet: CapabilitySet): BackendSession;
  /** Called after clients with a capability set are offered something else than before. */
  onChange(capabilitySet: CapabilitySet): void;
  /** The lists from a former connection to the backend, which hold until they are read again. */
  readonly earlier?: CapabilitySetLists | undefined;
}

interface Offer {
  /** Undefined where it is what the gateway was offered, or not known. */
  readonly items: OfferedItems | undefined;
  readonly triedAt: number;
  readonly isRead: boolean;
  /** The backend has notified since of a change. */
  isStale: boolean;
}

export class CapabilitySetLists {
  readonly #options: CapabilitySetListsOptions;
  /** By the keys of capability sets; used least recently first. */
  readonly #offers: Map<string, Offer>;
  readonly #reading = new Map<string, Promise<void>>();
  /** Those that are read again in a moment. */
  readonly #waiting = new Set<string>();

  constructor(options: CapabilitySetListsOptions) {
    this.#options = options;
    const earlier = options.earlier === undefined ? [] : [...options.earlier.#offers];
    this.#offers = new Map(earlier.map(([key, offer]) => [key, { ...offer, isStale: true }]));
  }

  /** What clients with a capability set are offered, the same object while it is the same. Undefined: what the gateway is offered, or not known. */
  of({ key }: CapabilitySet): OfferedItems | undefined {
    return this.#offers.get(key)?.items;
  }

  /** It is not known what clients with this capability set are offered, and worth waiting for. */
  isPending({ key }: CapabilitySet): boolean {
    const offer = this.#offers.get(key);
    const isDue = offer === undefined || (!offer.isRead && this.#isOld(offer));
    return isDue && this.#options.monitor.answersUs;
  }

  /** Resolves when it is known what clients with a capability set are offered, or when that cannot be read. */
  async discover(capabilitySet: CapabilitySet): Promise<void> {
    if (this.isPending(capabilitySet)) await this.#read(capabilitySet);
  }

  /** Reads in the background what is not known, or old: after the pause, and after the reading that is under way. */
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

  /** Something has changed: what clients with each capability set are offered is read again when it is wanted. */
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
    // What changes from now on is noted there.
    const asked: Offer = { items: before?.items, isRead: before?.isRead ?? false, ...justNow() };
    this.#keep(capabilitySet, asked);
    try {
      const { items: offered } = await monitor.readIn(openSession(capabilitySet));
      const items = areListsEqual(offered, monitor.items) ? undefined : this.#shared(offered);
      this.#keep(capabilitySet, { items, isRead: true, ...justNow(), isStale: asked.isStale });
      if (items !== before?.items) onChange(capabilitySet);
    } catch (error) {
      const { message, reason } = error as BackendError;
      log.debug({ reason }, `${message}; what it offers to clients with certain capabilities was not read`);
    }
  }

  /** The object that is kept already, of lists that are the same. */
  #shared(offered: OfferedItems): OfferedItems {
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

  /** What is offered to clients with some capability set, and is not what the gateway is offered. */
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
      length = MAX_CHARACTERS; // Nested too deep by thousands of levels: there is no telling how much it is.
    }
    lengths.set(list, length);
  }
  return length;
}

function justNow(): Pick<Offer, 'triedAt' | 'isStale'> {
  return { triedAt: performance.now(), isStale: false };
}
