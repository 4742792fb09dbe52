/**
 * What one backend offers to clients with certain capabilities: read in a session that announces them, on the gateway's account, and
 * kept for all such clients. Most backends offer all callers the same; of those nothing is kept.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../observe/log.ts';
import type { BackendError, BackendSession } from '../backends/backend.ts';
import type { BackendMonitor } from '../backends/health/monitor.ts';
import type { Capabilities } from '../offers/capabilities.ts';
import { sameLists } from '../offers/same-lists.ts';
import type { Audience } from './audience.ts';

/** Audiences that are remembered of one backend; the one used least recently makes room. */
export const MAX_AUDIENCES = 64;

/** Characters of the lists that differ, as JSON; those of the latest one are kept, however many they are. */
export const MAX_CHARACTERS: number = 32 * 1024 * 1024;

/** Audiences that are read at the same time; clients of one more have what the gateway was offered, until they come again. */
export const MAX_AT_ONCE = 8;

/** Between two readings for one audience; milliseconds. */
const PAUSE_MS = 250;

export interface AudienceListsOptions {
  readonly monitor: Pick<BackendMonitor, 'answersUs' | 'capabilities' | 'limits' | 'readIn'>;
  readonly log: Logger;
  /** A session that announces the capabilities; the monitor ends it. */
  openSession(audience: Audience): BackendSession;
  /** Called after an audience is offered something else than before. */
  onChange(audience: Audience): void;
  /** Of a former connection to the backend: its lists hold until they are read again. */
  readonly earlier?: AudienceLists | undefined;
}

interface Offer {
  /** Undefined where it is what the gateway was offered, or not known. */
  readonly capabilities: Capabilities | undefined;
  readonly triedAt: number;
  readonly isRead: boolean;
  /** The backend has said since that something changed. */
  isStale: boolean;
}

export class AudienceLists {
  readonly #options: AudienceListsOptions;
  /** By the keys of audiences; used least recently first. */
  readonly #offers: Map<string, Offer>;
  readonly #reading = new Map<string, Promise<void>>();
  /** Those that are read again in a moment. */
  readonly #waiting = new Set<string>();

  constructor(options: AudienceListsOptions) {
    this.#options = options;
    const earlier = options.earlier === undefined ? [] : [...options.earlier.#offers];
    this.#offers = new Map(earlier.map(([key, offer]) => [key, { ...offer, isStale: true }]));
  }

  /** What an audience is offered; undefined where it is what the gateway is offered, or not known. The same object while it is the same. */
  of({ key }: Audience): Capabilities | undefined {
    return this.#offers.get(key)?.capabilities;
  }

  /** It is not known what this audience is offered, and worth waiting for. */
  isPending({ key }: Audience): boolean {
    const offer = this.#offers.get(key);
    const isDue = offer === undefined || (!offer.isRead && this.#isOld(offer));
    return isDue && this.#options.monitor.answersUs;
  }

  /** Resolves when it is known what an audience is offered, or when that cannot be read. */
  async learn(audience: Audience): Promise<void> {
    if (this.isPending(audience)) await this.#read(audience);
  }

  /** Reads in the background what is not known, or old: after the pause, and after the reading that is under way. */
  refresh(audience: Audience): void {
    const { key } = audience;
    if (!this.#options.monitor.answersUs || this.#waiting.has(key)) return;
    const offer = this.#offers.get(key);
    if (offer !== undefined && !offer.isStale && !this.#isOld(offer)) return;
    const waitMs = offer === undefined ? 0 : offer.triedAt + PAUSE_MS - performance.now();
    const reading = this.#reading.get(key);
    if (reading === undefined && waitMs <= 0) void this.#read(audience);
    else {
      this.#waiting.add(key);
      void Promise.all([reading, pause(Math.max(waitMs, 0), undefined, { ref: false })]).then(() => {
        this.#waiting.delete(key);
        this.refresh(audience);
      });
    }
  }

  /** Something has changed: what each audience is offered is read again when it is wanted. */
  changed(): void {
    for (const offer of this.#offers.values()) offer.isStale = true;
  }

  #isOld({ triedAt }: Offer): boolean {
    return performance.now() - triedAt > this.#options.monitor.limits.intervalMs;
  }

  #read(audience: Audience): Promise<void> {
    const running = this.#reading.get(audience.key);
    if (running !== undefined) return running;
    if (this.#reading.size >= MAX_AT_ONCE) return Promise.resolve();
    const reading = this.#readOnce(audience).finally(() => this.#reading.delete(audience.key));
    this.#reading.set(audience.key, reading);
    return reading;
  }

  async #readOnce(audience: Audience): Promise<void> {
    const { monitor, log, openSession, onChange } = this.#options;
    const before = this.#offers.get(audience.key);
    // What changes from now on is noted there.
    const asked: Offer = { capabilities: before?.capabilities, isRead: before?.isRead ?? false, ...justNow() };
    this.#keep(audience, asked);
    try {
      const { capabilities: offered } = await monitor.readIn(openSession(audience));
      const capabilities = sameLists(offered, monitor.capabilities) ? undefined : this.#shared(offered);
      this.#keep(audience, { capabilities, isRead: true, ...justNow(), isStale: asked.isStale });
      if (capabilities !== before?.capabilities) onChange(audience);
    } catch (error) {
      const { message, reason } = error as BackendError;
      log.debug({ reason }, `${message}; what it offers to clients with certain capabilities was not read`);
    }
  }

  /** The object that is kept already, of lists that are the same. */
  #shared(offered: Capabilities): Capabilities {
    for (const { capabilities } of this.#offers.values()) {
      if (capabilities !== undefined && sameLists(capabilities, offered)) return capabilities;
    }
    return offered;
  }

  #keep({ key }: Audience, offer: Offer): void {
    this.#offers.delete(key);
    this.#offers.set(key, offer);
    for (const oldest of this.#offers.keys()) {
      if (this.#offers.size <= 1 || (this.#offers.size <= MAX_AUDIENCES && this.#characters <= MAX_CHARACTERS)) return;
      this.#offers.delete(oldest);
    }
  }

  /** What is offered to some audience, and is not what the gateway is offered. */
  get lists(): ReadonlySet<Capabilities> {
    return new Set([...this.#offers.values()].flatMap(({ capabilities }) => capabilities ?? []));
  }

  get #characters(): number {
    return [...this.lists].reduce((sum, list) => sum + lengthOf(list), 0);
  }
}

const lengths = new WeakMap<Capabilities, number>();

function lengthOf(list: Capabilities): number {
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
