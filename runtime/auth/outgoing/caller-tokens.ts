/** Tokens that are obtained for each caller and sent to the backend: the common part of `token_exchange`, `obo` and `xaa`. */
import { createHash } from 'node:crypto';
import type { HttpClient } from '../../http/client.ts';
import type { Identity } from '../identity.ts';
import { toBearerHeader } from './bearer.ts';
import type { Credential, OutgoingAuth } from './credential.ts';
import { ExpiringCache, type Perishable } from './expiring-cache.ts';
import { presentToken, type SubjectToken } from './subject-token.ts';
import type { TokenResponse } from './token-response.ts';

/** How tokens are obtained. */
export interface TokenSource {
  readonly strategy: string;
  /**
   * The caller's token to exchange.
   * @throws CredentialError
   */
  getSubjectToken(identity: Identity, now: number): SubjectToken;
  /** Exchanges the caller's token for a token of the backend; rejects with CredentialError. */
  obtain(subject: string): Promise<TokenResponse>;
  /** A token for the gateway itself, if it has an account. */
  obtainOwn?: (() => Promise<TokenResponse>) | undefined;
  /** How long before its expiry a token is renewed; milliseconds. */
  readonly skewMs: number;
}

/** Default time before expiry at which a token is renewed: it still has to reach the backend. */
export const EXPIRY_SKEW_MS = 30_000;

/** How long a token without a known expiry is used. */
const UNKNOWN_LIFE_MS = 60_000;

/** Maximum number of cached tokens for one backend. */
const MAX_TOKENS = 10_000;

type Tokens = ExpiringCache<readonly string[]>;

export class CallerTokens implements OutgoingAuth {
  readonly isPerCaller = true;
  readonly own: Credential | undefined;
  readonly #source: TokenSource;
  readonly #client: HttpClient;
  readonly #now: () => number;
  readonly #tokens: Tokens;

  /** @param client the client for token endpoints; closed together with this object */
  constructor(source: TokenSource, client: HttpClient, now: () => number) {
    this.#source = source;
    this.#client = client;
    this.#now = now;
    this.#tokens = new ExpiringCache(MAX_TOKENS, now);
    const { obtainOwn } = source;
    if (obtainOwn !== undefined) {
      const request = { key: 'own', load: () => this.#load(obtainOwn, null) };
      this.own = new TokenCredential(this.#tokens, () => request);
    }
  }

  getCredential(identity: () => Identity): Credential {
    const toKey = getMemoizedKey();
    return new TokenCredential(this.#tokens, () => {
      const caller = identity();
      const subject = this.#source.getSubjectToken(caller, this.#now());
      const obtain = () => presentToken(subject, token => this.#source.obtain(token));
      return { key: toKey(caller.key, subject.token), load: () => this.#load(obtain, subject.expiresAt) };
    });
  }

  async close(): Promise<void> {
    this.#tokens.clear();
    await this.#client.close();
  }

  async #load(
    obtain: () => Promise<TokenResponse>,
    subjectExpiresAt: number | null,
  ): Promise<Perishable<readonly string[]>> {
    const { strategy, skewMs } = this.#source;
    const askedAt = this.#now();
    const { accessToken, expiresIn } = await obtain();
    const value = toBearerHeader(strategy, accessToken);
    if (expiresIn !== null) return { value, usableUntil: askedAt + expiresIn * 1000 - skewMs };
    return { value, usableUntil: Math.min(askedAt + UNKNOWN_LIFE_MS, subjectExpiresAt ?? Number.POSITIVE_INFINITY) };
  }
}

/** A token to send: its key in the cache, and how to obtain it if it is not cached. */
interface CredentialRequest {
  readonly key: string;
  load(): Promise<Perishable<readonly string[]>>;
}

class TokenCredential implements Credential {
  readonly #tokens: Tokens;
  readonly #getRequest: () => CredentialRequest;
  #key = '';

  constructor(tokens: Tokens, request: () => CredentialRequest) {
    this.#tokens = tokens;
    this.#getRequest = request;
  }

  getHeaders(): readonly string[] | Promise<readonly string[]> {
    const { key, load } = this.#getRequest();
    this.#key = key;
    return this.#tokens.obtain(key, load);
  }

  rejected(headers: readonly string[]): boolean {
    return this.#tokens.renew(this.#key, headers);
  }
}

/** Computes cache keys of a caller and its token that do not contain the token. The last digest is kept, because the token rarely changes. */
function getMemoizedKey(): (caller: string, token: string) => string {
  let known = '';
  let key = '';
  return (caller, token) => {
    if (token !== known) {
      key = `${caller} ${createHash('sha256').update(token).digest('base64url')}`;
      known = token;
    }
    return key;
  };
}
