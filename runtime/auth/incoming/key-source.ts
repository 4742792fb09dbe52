/** The keys of one provider: fetched in the background, kept while the provider is unavailable, found by id. */
import { computeBackoffMs, TokenBuckets } from '#shared/util';
import type { Logger } from '../../observe/log.ts';
import { createUnavailableError } from './token-rejected.ts';
import {
  ALL,
  type KeyId,
  selectKey,
  type VerificationKey,
  type VerificationKeys,
  WITHOUT_ID,
} from './verification-keys.ts';

/** Bounds for the time after which a key set is fetched again; within them the provider's `max-age` decides. Milliseconds. */
const MIN_FRESH_MS = 60_000;
const MAX_FRESH_MS = 60 * 60_000;
const DEFAULT_FRESH_MS = 10 * 60_000;

/** Delay before the next fetch after a failure: the minimum, then doubled with each further failure up to the maximum; milliseconds. */
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/**
 * Rate limit for fetches because of unknown or wrong keys: five at once, then one in ten seconds. An attacker who invents key ids cannot overload the
 * provider, and a rotation is still noticed immediately.
 */
const UNKNOWN_KEY_RATE = { maxTokens: 5, refillPeriodMs: 50_000 };

/** Maximum number of key ids in a log line. */
const MAX_IDS = 10;

export interface FetchedKeys {
  readonly keys: VerificationKeys;
  /** The provider's cache time for the keys; undefined when it gives none. */
  readonly freshMs: number | undefined;
}

export interface KeySourceOptions {
  readonly provider: string;
  /** @throws Error whose message can be shown to operators */
  fetch(): Promise<FetchedKeys>;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  now(): number;
}

export class KeySource {
  readonly #options: KeySourceOptions;
  readonly #refreshLimit = new TokenBuckets(UNKNOWN_KEY_RATE, 1);
  #keys: VerificationKeys = new Map();
  #refreshing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;
  /** The last successful fetch; milliseconds since 1970. */
  lastFetch: number | null = null;
  /** Why the last fetch failed; empty when it did not. */
  message = '';

  constructor(options: KeySourceOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#keys.get(ALL)?.count ?? 0;
  }

  /** The ids of the known keys, at most 10; `(no id)` stands for keys without one. */
  get ids(): readonly string[] {
    const ids = [...this.#keys.keys()].filter(id => id !== ALL);
    const shown = ids.slice(0, MAX_IDS).map(id => (id === WITHOUT_ID ? '(no id)' : id));
    return ids.length > MAX_IDS ? [...shown, `and ${ids.length - MAX_IDS} more`] : shown;
  }

  /**
   * The key for a token's key id, or for a token without one; undefined when the provider has no such key, or too many unknown ids were
   * requested.
   *
   * @throws TokenRejectedError when the key is unknown and the provider is unavailable
   */
  async find(kid: string | undefined): Promise<VerificationKey | undefined> {
    const key = await this.#findOther(kid, undefined);
    if (key === undefined && this.message !== '') throw createUnavailableError(this.message);
    return key;
  }

  /**
   * The current key for a token, if it differs from the key that failed to verify the token; undefined otherwise. Some providers replace a
   * key and keep its id.
   */
  async findReplaced(kid: string | undefined, known: VerificationKey): Promise<VerificationKey | undefined> {
    const key = await this.#findOther(kid, known);
    return key === known ? undefined : key;
  }

  /** The current key. If `known` is still the current key, the keys are fetched first, unless the rate limit forbids the fetch. */
  async #findOther(kid: string | undefined, known: VerificationKey | undefined): Promise<VerificationKey | undefined> {
    const current = (): VerificationKey | undefined => selectKey(this.#keys, kid);
    if (current() !== known) return current();
    if (this.#refreshing !== undefined) {
      await this.#refreshing;
      // A running fetch may have started before the key existed.
      if (current() !== known) return current();
    }
    if (this.#refreshing !== undefined || this.#refreshLimit.take('', this.#options.now()) === 0) await this.refresh();
    return current();
  }

  /** Fetches the keys now, once for all concurrent callers. A failure keeps the known keys. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #refresh(): Promise<void> {
    const { provider, fetch, now, log } = this.#options;
    clearTimeout(this.#timer);
    try {
      const { keys, freshMs = DEFAULT_FRESH_MS } = await fetch();
      this.#replace(keys);
      if (this.#failures > 0) log.info({ provider }, 'the keys of the identity provider can be fetched again');
      this.#failures = 0;
      this.message = '';
      this.lastFetch = now();
      this.#schedule(Math.min(Math.max(freshMs, MIN_FRESH_MS), MAX_FRESH_MS));
    } catch (error) {
      this.message = (error as Error).message;
      if (this.#failures === 0 && !this.#isClosed) {
        log.warn(
          { provider, cause: this.message, keys: this.size },
          'the keys of the identity provider cannot be fetched',
        );
      }
      this.#schedule(computeBackoffMs(++this.#failures, { firstMs: MIN_RETRY_MS, longestMs: MAX_RETRY_MS }));
    }
  }

  /** Unchanged keys stay the same objects, so that tokens verified with them need no new check. */
  #replace(fetched: VerificationKeys): void {
    const keys = new Map<KeyId, VerificationKey>(
      [...fetched].map(([kid, key]) => {
        const known = this.#keys.get(kid);
        return [kid, known?.fingerprint === key.fingerprint ? known : key];
      }),
    );
    for (const [kid, known] of this.#keys) {
      if (keys.get(kid) !== known) known.isWithdrawn = true;
    }
    this.#keys = keys;
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.refresh(), delayMs);
    this.#timer.unref();
  }
}
