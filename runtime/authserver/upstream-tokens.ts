/**
 * The upstream tokens of each person: encrypted in the store, and renewed before they expire, once for all waiting requests. Sign-ins of the
 * same person share these tokens.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { LRUCache } from 'lru-cache';
import type { UpstreamToken, UpstreamTokensOfCaller } from '../auth/identity.ts';
import type { Logger } from '../observe/log.ts';
import type { AuthServerObserver } from './host.ts';
import type { SecretRing } from './secret-ring.ts';
import type { Store } from './storage/store.ts';
import type { UpstreamProvider, UpstreamTokenSet } from './upstream/upstream.ts';
import { UpstreamError } from './upstream/upstream-error.ts';

/** How long before its expiry a token is renewed; milliseconds. */
const RENEW_AHEAD_MS = 60_000;

/** How long one replica may hold the renewal lock, including retries and timeouts; milliseconds. */
const LOCK_MS = 45_000;

/** How long a request waits for another replica's renewal; milliseconds. */
const WAIT_MS = 20_000;

/** Polling interval while waiting for another replica; milliseconds. */
const POLL_MS = 200;

/** After a transient failure, an unexpired token is used for this long before the next attempt; milliseconds. */
const RETRY_MS = 10_000;

/** How long this replica may use cached tokens of a sign-in that another replica has ended; milliseconds. */
const LOOK_UP_MS = 60_000;

/** Number of sign-ins with cached tokens; others are read from the store. */
const MAX_AT_HAND = 10_000;

/** `ended`: the person has to sign in again. `unavailable`: an upstream or the store does not respond now. */
export class UpstreamTokensError extends Error {
  readonly reason: 'ended' | 'unavailable';

  constructor(reason: UpstreamTokensError['reason'], message: string) {
    super(message);
    this.name = 'UpstreamTokensError';
    this.reason = reason;
  }
}

export interface UpstreamTokensOptions {
  readonly store: Store;
  readonly ring: SecretRing;
  readonly upstreams: readonly UpstreamProvider[];
  readonly lifeSeconds: number;
  readonly log: Logger;
  readonly observer: AuthServerObserver;
}

interface AtHand {
  /** The tokens for requests. */
  readonly tokens: Map<string, UpstreamToken>;
  /** Time until which the tokens are used without a look at the store; milliseconds since 1970. */
  freshUntil: number;
  renewing: Promise<void> | undefined;
}

export class UpstreamTokens {
  readonly #options: UpstreamTokensOptions;
  readonly #atHand = new LRUCache<string, AtHand>({ max: MAX_AT_HAND });

  constructor(options: UpstreamTokensOptions) {
    this.#options = options;
  }

  /**
   * Stores an upstream's tokens after a sign-in. Many upstreams issue a refresh token only at the first sign-in, so the earlier refresh token is
   * kept if it belongs to the same account.
   *
   * @param saysWho whether this upstream identifies the person
   */
  async keepNew(person: string, provider: string, tokens: UpstreamTokenSet, saysWho: boolean): Promise<void> {
    const previous = tokens.refreshToken === null ? await this.#find(person, provider) : undefined;
    const isSame = previous !== undefined && (saysWho || isSameAccount(previous, tokens));
    await this.#keep(person, provider, isSame ? { ...tokens, refreshToken: previous.refreshToken } : tokens);
  }

  /**
   * Whether the person can skip the sign-in at an upstream, because its token is valid or could be renewed. False for a token without a known
   * expiry: only the upstream knows whether it has expired.
   */
  async isGood(person: string, upstream: UpstreamProvider): Promise<boolean> {
    const stored = await this.#find(person, upstream.plan.name);
    if (stored === undefined || stored.expiresAt === null) return false;
    if (getUsableUntil(stored) > Date.now()) return true;
    try {
      return getUsableUntil(await this.#renewOne(person, upstream, stored)) > Date.now();
    } catch (error) {
      if (error instanceof UpstreamTokensError) return false;
      throw error;
    }
  }

  /** The upstream tokens of a sign-in. Each access returns the current tokens; before `ready` there are none. */
  get(signIn: string): UpstreamTokensOfCaller {
    return {
      get: provider => this.#atHand.get(signIn)?.tokens.get(provider),
      refused: (provider, accessToken) => this.#drop(signIn, provider, accessToken),
    };
  }

  /**
   * Renews a sign-in's tokens for a request if needed; undefined when they are valid.
   * @throws UpstreamTokensError by rejecting
   */
  ready(signIn: string): Promise<void> | undefined {
    const entry = this.#getEntry(signIn);
    if (entry.freshUntil > Date.now()) return undefined;
    entry.renewing ??= this.#renew(signIn, entry).finally(() => {
      entry.renewing = undefined;
    });
    return entry.renewing;
  }

  /** Number of cached sign-ins. */
  get size(): number {
    return this.#atHand.size;
  }

  #getEntry(signIn: string): AtHand {
    let entry = this.#atHand.get(signIn);
    if (entry === undefined) {
      entry = { tokens: new Map(), freshUntil: 0, renewing: undefined };
      this.#atHand.set(signIn, entry);
    }
    return entry;
  }

  /** Drops the tokens from the cache: later requests wait until the tokens are deleted from the store as well. */
  #drop(signIn: string, provider: string, accessToken: string): void {
    if (this.#atHand.get(signIn)?.tokens.get(provider)?.accessToken !== accessToken) return;
    this.#atHand.delete(signIn);
    const entry = this.#getEntry(signIn);
    entry.renewing = this.#forget(signIn, provider, accessToken)
      .then(() => this.#renew(signIn, entry))
      .finally(() => {
        entry.renewing = undefined;
      });
    entry.renewing.catch(() => {});
  }

  async #forget(signIn: string, provider: string, accessToken: string): Promise<void> {
    const { store, log } = this.#options;
    try {
      const person = await this.#findPerson(signIn);
      // Another sign-in or replica may have stored a new token.
      if (person === undefined || (await this.#find(person, provider))?.accessToken !== accessToken) return;
      await store.delete('upstream', formatName(person, provider));
      log.info(
        { subject: person, upstream: provider },
        'a token of an upstream was refused: the person has to sign in again',
      );
    } catch (error) {
      log.warn({ err: error, upstream: provider }, 'a token of an upstream was refused, and cannot be deleted');
    }
  }

  async #findPerson(signIn: string): Promise<string | undefined> {
    const { accountId } = (await this.#options.store.get('sign-in', signIn)) ?? {};
    return typeof accountId === 'string' ? accountId : undefined;
  }

  async #renew(signIn: string, entry: AtHand): Promise<void> {
    const { upstreams, log } = this.#options;
    try {
      const person = await this.#findPerson(signIn);
      if (person === undefined) throw new UpstreamTokensError('ended', 'the sign-in has ended: sign in again');
      const ends = await Promise.all(
        upstreams.map(async upstream => {
          const { tokens, usableUntil } = await this.#loadCurrent(person, upstream);
          const { accessToken, idToken, expiresAt } = tokens;
          entry.tokens.set(upstream.plan.name, { accessToken, idToken, expiresAt });
          return usableUntil;
        }),
      );
      entry.freshUntil = Math.min(...ends, Date.now() + LOOK_UP_MS);
    } catch (error) {
      if (error instanceof UpstreamTokensError) {
        // If an upstream is only unavailable, callers who were admitted earlier keep using cached tokens that have not expired.
        if (error.reason === 'ended') await this.#end(signIn);
        throw error;
      }
      log.warn({ err: error }, 'tokens of upstreams cannot be read');
      throw new UpstreamTokensError('unavailable', 'the tokens of upstreams cannot be read now');
    }
  }

  /** Ends the sign-in together with its refresh tokens. A client that could still renew its own token would not make the person sign in again. */
  async #end(signIn: string): Promise<void> {
    const { store, log } = this.#options;
    this.#atHand.delete(signIn);
    await store.deleteGroup(signIn).catch(error => log.warn({ err: error }, 'a sign-in cannot be ended'));
  }

  async #loadCurrent(
    person: string,
    upstream: UpstreamProvider,
  ): Promise<{
    readonly tokens: UpstreamTokenSet;
    readonly usableUntil: number;
  }> {
    const { name: provider } = upstream.plan;
    const stored = await this.#read(person, provider);
    if (getUsableUntil(stored) > Date.now()) return { tokens: stored, usableUntil: getUsableUntil(stored) };
    const tokens = await this.#renewOne(person, upstream, stored);
    // Delays the next attempt if the renewal failed and the token has not expired.
    const retryAt = Math.min(Date.now() + RETRY_MS, tokens.expiresAt ?? Number.POSITIVE_INFINITY);
    return { tokens, usableUntil: Math.max(getUsableUntil(tokens), retryAt) };
  }

  async #renewOne(person: string, upstream: UpstreamProvider, stale: UpstreamTokenSet): Promise<UpstreamTokenSet> {
    const { store, log, observer } = this.#options;
    const { name: provider } = upstream.plan;
    const deadline = Date.now() + WAIT_MS;
    let release = await store.lock(formatName(person, provider), LOCK_MS);
    while (release === undefined) {
      // Another replica renews the token, and the current one is still valid.
      if (stale.expiresAt !== null && stale.expiresAt > Date.now()) return stale;
      if (Date.now() > deadline) throw createGoneError('unavailable', provider);
      await pause(POLL_MS);
      const stored = await this.#read(person, provider);
      if (stored.accessToken !== stale.accessToken) return stored;
      release = await store.lock(formatName(person, provider), LOCK_MS);
    }
    try {
      // Another replica may have renewed the token before this replica got the lock.
      const stored = await this.#read(person, provider);
      if (stored.accessToken !== stale.accessToken) return stored;
      const renewed = await upstream.refresh(stored);
      await this.#keep(person, provider, renewed);
      observer.upstreamRefresh(provider, 'renewed');
      return renewed;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const isOver = stale.expiresAt !== null && stale.expiresAt <= Date.now();
      observer.upstreamRefresh(provider, error.reason === 'unavailable' ? 'unavailable' : 'refused');
      log.info({ upstream: provider, cause: error.message }, 'a token of an upstream was not renewed');
      if (error.reason !== 'unavailable' && isOver) {
        await store.delete('upstream', formatName(person, provider));
        throw createGoneError('ended', provider);
      }
      if (isOver) throw createGoneError('unavailable', provider);
      return stale;
    } finally {
      await release().catch(() => {});
    }
  }

  async #keep(person: string, provider: string, tokens: UpstreamTokenSet): Promise<void> {
    const { store, ring, lifeSeconds } = this.#options;
    const name = formatName(person, provider);
    await store.put('upstream', name, { sealed: ring.seal(JSON.stringify(tokens), name) }, { ttlSeconds: lifeSeconds });
  }

  async #read(person: string, provider: string): Promise<UpstreamTokenSet> {
    const found = await this.#find(person, provider);
    if (found === undefined) throw createGoneError('ended', provider);
    return found;
  }

  async #find(person: string, provider: string): Promise<UpstreamTokenSet | undefined> {
    const { store, ring } = this.#options;
    const name = formatName(person, provider);
    const stored = await store.get('upstream', name);
    const text = typeof stored?.sealed === 'string' ? ring.open(stored.sealed, name) : undefined;
    return text === undefined ? undefined : JSON.parse(text);
  }
}

function formatName(person: string, provider: string): string {
  return `${person}:${provider}`;
}

/** A token without a known expiry is used until it is refused. */
function getUsableUntil({ expiresAt }: UpstreamTokenSet): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - RENEW_AHEAD_MS;
}

function createGoneError(reason: UpstreamTokensError['reason'], provider: string): UpstreamTokensError {
  const text =
    reason === 'ended'
      ? `the token of upstream "${provider}" is no longer valid: sign in again`
      : `upstream "${provider}" cannot issue a new token now`;
  return new UpstreamTokensError(reason, text);
}

function isSameAccount(previous: UpstreamTokenSet, { idToken }: UpstreamTokenSet): boolean {
  if (previous.idToken === null || idToken === null) return false;
  const [before, now] = [decodeJwt(previous.idToken), decodeJwt(idToken)];
  return before.sub !== undefined && before.iss === now.iss && before.sub === now.sub;
}
