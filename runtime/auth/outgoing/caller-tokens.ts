/** Tokens that are obtained for each caller and sent to the backend: what `token_exchange`, `obo` and `xaa` have in common. */
import { createHash } from 'node:crypto';
import type { HttpClient } from '../../http/client.ts';
import type { Identity } from '../identity.ts';
import { bearer } from './bearer.ts';
import type { Credential, OutgoingAuth } from './credential.ts';
import { ExpiringCache, type Perishable } from './expiring-cache.ts';
import { presentToken, type SubjectToken } from './subject-token.ts';
import type { TokenResponse } from './token-response.ts';

/** How tokens are come by. */
export interface TokenSource {
  readonly strategy: string;
  /**
   * The token of a caller that is handed in.
   *
   * @throws CredentialError
   */
  getSubjectToken(identity: Identity, now: number): SubjectToken;
  /** Trades it for one that the backend takes; rejects with CredentialError. */
  obtain(subject: string): Promise<TokenResponse>;
  /** One for the gateway itself, where it has an account of its own. */
  obtainOwn?: (() => Promise<TokenResponse>) | undefined;
  /** How long before its end a token is renewed; milliseconds. */
  readonly skewMs: number;
}

/** How long before its end a token is renewed where the plan does not say: it has to reach the backend still. */
export const EXPIRY_SKEW_MS = 30_000;

/** How long a token is used without a known expiry. */
const UNKNOWN_LIFE_MS = 60_000;

/** Tokens kept for one backend. */
const MAX_TOKENS = 10_000;

type Tokens = ExpiringCache<readonly string[]>;

export class CallerTokens implements OutgoingAuth {
  readonly isPerCaller = true;
  readonly own: Credential | undefined;
  readonly #source: TokenSource;
  readonly #client: HttpClient;
  readonly #now: () => number;
  readonly #tokens: Tokens;

  /** @param client is closed with this */
  constructor(source: TokenSource, client: HttpClient, now: () => number) {
    this.#source = source;
    this.#client = client;
    this.#now = now;
    this.#tokens = new ExpiringCache(MAX_TOKENS, now);
    const { obtainOwn } = source;
    if (obtainOwn !== undefined) {
      const wanted = { key: 'own', load: () => this.#load(obtainOwn, null) };
      this.own = new TokenCredential(this.#tokens, () => wanted);
    }
  }

  credentialFor(identity: () => Identity): Credential {
    const toKey = memoizedKey();
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
    const value = bearer(strategy, accessToken);
    if (expiresIn !== null) return { value, usableUntil: askedAt + expiresIn * 1000 - skewMs };
    return { value, usableUntil: Math.min(askedAt + UNKNOWN_LIFE_MS, subjectExpiresAt ?? Number.POSITIVE_INFINITY) };
  }
}

/** What is to be sent now: under which key it is kept, and how it is come by when it is not. */
interface CredentialRequest {
  readonly key: string;
  load(): Promise<Perishable<readonly string[]>>;
}

class TokenCredential implements Credential {
  readonly #tokens: Tokens;
  readonly #wanted: () => CredentialRequest;
  #key = '';

  constructor(tokens: Tokens, wanted: () => CredentialRequest) {
    this.#tokens = tokens;
    this.#wanted = wanted;
  }

  headersFor(): readonly string[] | Promise<readonly string[]> {
    const { key, load } = this.#wanted();
    this.#key = key;
    return this.#tokens.obtain(key, load);
  }

  rejected(headers: readonly string[]): boolean {
    return this.#tokens.renew(this.#key, headers);
  }
}

/** The key of a caller and its token, without the token. The token changes seldom, so its digest is kept. */
function memoizedKey(): (caller: string, token: string) => string {
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
