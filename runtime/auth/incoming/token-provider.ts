import type { TokenProviderPlan } from '#schemas';
import type { AuthorityFile } from '../../http/authority-file.ts';
import { createHttpClient, type HttpClient } from '../../http/client.ts';
import { followAuthorities } from '../../http/tls-trust.ts';
import type { Logger } from '../../observe/log.ts';
import { NO_UPSTREAM_TOKENS } from '../identity.ts';
import type { Secret, Secrets } from '../secrets.ts';
import { ALGORITHMS, ALGORITHMS_AND_EDDSA } from '../token-algorithms.ts';
import { type AcceptedToken, NO_KEY, type TokenBasis } from './accepted-token.ts';
import type { ProviderStatus } from './authenticator.ts';
import { checkDeclared } from './claims.ts';
import type { UnprovedJwt } from './jwt.ts';
import { KeySource } from './key-source.ts';
import type { OwnIssuer } from './own-issuer.ts';
import { fetchKeys } from './provider-documents.ts';
import type { ProviderRefusal } from './refusal-log.ts';
import { createInvalidError, createUnavailableError, TokenRejectedError } from './token-rejected.ts';
import type { VerificationKey } from './verification-keys.ts';

/** How long an introspection response is cached: a revoked token may be accepted that long; milliseconds. */
export const INTROSPECTION_FRESH_MS = 10_000;

/** Limit on concurrent introspections: invented tokens must not fill the memory with pending requests. */
const MAX_INTROSPECTIONS = 256;

/** Maximum number of connections to one provider. */
const MAX_CONNECTIONS = 16;

export interface TokenProviderOptions {
  readonly secrets: Secrets;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  now(): number;
  /** The issuer in this process, if there is one. */
  readonly own?: OwnIssuer | undefined;
}

/** One identity provider, which accepts or refuses tokens. */
export class TokenProvider {
  readonly plan: TokenProviderPlan;
  readonly #options: TokenProviderOptions;
  readonly #client: HttpClient;
  readonly #authorities: AuthorityFile | undefined;
  readonly #keys: KeySource;
  readonly #introspectionSecret: Secret | undefined;
  #introspections = 0;
  /** Why the last introspection failed; empty when it did not. */
  #introspectionMessage = '';

  /** @throws SecretError */
  constructor(plan: TokenProviderPlan, options: TokenProviderOptions) {
    const { secrets, log, now } = options;
    this.plan = plan;
    this.#options = options;
    const keysToken =
      plan.keysToken === null
        ? undefined
        : secrets.open(plan.keysToken, `bearer token for keys of ${quoteIssuer(plan)}`);
    this.#introspectionSecret = findIntrospectionSecret(plan, secrets);
    const { addresses, trust } = plan;
    this.#authorities = followAuthorities(trust, log);
    const client = createHttpClient({
      addresses,
      trust,
      authorities: this.#authorities,
      connections: MAX_CONNECTIONS,
    });
    this.#client = client;
    const fetch = () => this.#own?.keys() ?? fetchKeys(plan, client, keysToken);
    this.#keys = new KeySource({ provider: plan.name, fetch, log, now });
  }

  /** Fetches the keys before the first caller, and then in the background. */
  start(): void {
    void this.#keys.refresh();
  }

  /** The authorization server in this process, if it currently is this provider's issuer. */
  get #own(): OwnIssuer | undefined {
    const { own } = this.#options;
    return own?.issuer === this.plan.issuer ? own : undefined;
  }

  get introspects(): boolean {
    return this.plan.introspection !== null;
  }

  /**
   * Verifies a JWT with the provider's keys, and introspects it if that is impossible: some providers sign with unpublished keys, and some
   * return required claims only on introspection.
   *
   * @throws TokenRejectedError
   */
  async acceptJwt(token: string, unproved: UnprovedJwt): Promise<AcceptedToken> {
    const { checkAccessToken } = await import('./jwt.ts');
    try {
      return await this.#verify(token, unproved);
    } catch (error) {
      if (!this.introspects || !(error instanceof TokenRejectedError)) throw error;
      // An expired token, or a token whose claims show that it is no access token, is refused without asking the provider.
      checkAccessToken(unproved);
      checkDeclared(unproved.claims, this.plan, this.#options.now());
      return await this.#acceptAfter(error, token);
    }
  }

  async #verify(token: string, unproved: UnprovedJwt): Promise<AcceptedToken> {
    const { checkAccessToken, readKeyId, UNKNOWN_KEY, verifyJwt, WrongKeyError } = await import('./jwt.ts');
    const algorithms = this.#own === undefined ? ALGORITHMS : ALGORITHMS_AND_EDDSA;
    const kid = readKeyId(unproved, algorithms);
    checkAccessToken(unproved);
    const verifiedBy = async (key: VerificationKey): Promise<AcceptedToken> => {
      const claims = await verifyJwt(token, key, this.plan, algorithms, this.#options.now());
      return this.#toAccepted(token, claims, key, Number.POSITIVE_INFINITY);
    };
    const key = await this.#keys.find(kid);
    if (key === undefined) throw createInvalidError(UNKNOWN_KEY);
    try {
      return await verifiedBy(key);
    } catch (error) {
      const replaced = error instanceof WrongKeyError ? await this.#keys.findReplaced(kid, key) : undefined;
      if (replaced === undefined) throw error;
      return await verifiedBy(replaced);
    }
  }

  async #acceptAfter(rejection: TokenRejectedError, token: string): Promise<AcceptedToken> {
    try {
      return await this.acceptOpaque(token);
    } catch (error) {
      // If the local check and the introspection both failed, the error of the local check says more than "not active".
      const haveBoth =
        error instanceof TokenRejectedError && [error, rejection].every(({ reason }) => reason === 'invalid');
      throw haveBoth ? rejection : error;
    }
  }

  /** @throws TokenRejectedError */
  async acceptOpaque(token: string): Promise<AcceptedToken> {
    const { introspection } = this.plan;
    if (introspection === null) throw createInvalidError('the token is not a JWT');
    if (this.#introspections >= MAX_INTROSPECTIONS)
      throw createUnavailableError('introspection: too many tokens at once');
    this.#introspections++;
    try {
      const { introspect } = await import('./introspection.ts');
      const plan = { ...this.plan, introspection };
      const queriedAt = this.#options.now();
      const claims = await introspect(
        token,
        { plan, client: this.#client, secret: this.#introspectionSecret },
        queriedAt,
      );
      this.#countIntrospection('');
      return this.#toAccepted(token, this.#withoutSignIn(claims), NO_KEY, queriedAt + INTROSPECTION_FRESH_MS);
    } catch (error) {
      if (error instanceof TokenRejectedError)
        this.#countIntrospection(error.reason === 'unavailable' ? error.message : '');
      throw error;
    } finally {
      this.#introspections--;
    }
  }

  /** What the log says about a token that this provider refused or was not asked about. */
  attempt(cause: string, isJwt: boolean): ProviderRefusal {
    const { name, issuer, audience } = this.plan;
    return { provider: name, issuer, audience, ...(isJwt && { keys: this.#keys.ids }), cause };
  }

  status(): ProviderStatus {
    const { size, lastFetch, message } = this.#keys;
    return {
      name: this.plan.name,
      issuer: this.plan.issuer,
      keys: size,
      lastFetch: lastFetch === null ? null : new Date(lastFetch).toISOString(),
      message: message === '' ? this.#introspectionMessage : message,
      staleAuthorities: this.#authorities?.stale ?? null,
    };
  }

  close(): Promise<void> {
    this.#keys.close();
    this.#authorities?.close();
    return this.#client.close();
  }

  #toAccepted(
    token: string,
    claims: Readonly<Record<string, unknown>> & { readonly sub: string; readonly exp: number },
    basis: TokenBasis,
    freshUntil: number,
  ): AcceptedToken {
    const expiresAt = claims.exp * 1000;
    return {
      caller: {
        issuer: this.plan.issuer,
        subject: claims.sub,
        claims,
        expiresAt,
        token,
        upstreamTokens: this.#own?.upstreamTokens(claims) ?? NO_UPSTREAM_TOKENS,
      },
      until: Math.min(expiresAt, freshUntil),
      basis,
      weight: token.length + JSON.stringify(claims).length,
    };
  }

  /**
   * Removes `tsid`, the id of a sign-in, if the server in this process is the issuer: only a token that was verified with its keys may name a
   * sign-in.
   */
  #withoutSignIn<C extends object>(claims: C): C {
    return this.#own === undefined ? claims : { ...claims, tsid: undefined };
  }

  #countIntrospection(message: string): void {
    if (message !== '' && this.#introspectionMessage === '') {
      this.#options.log.warn({ provider: this.plan.name, cause: message }, 'the identity provider cannot introspect');
    }
    this.#introspectionMessage = message;
  }
}

function findIntrospectionSecret(plan: TokenProviderPlan, secrets: Secrets): Secret | undefined {
  const credentials = plan.introspection?.credentials;
  if (credentials?.type === 'basic') return secrets.open(credentials.secret, `client secret of ${quoteIssuer(plan)}`);
  if (credentials?.type === 'bearer')
    return secrets.open(credentials.token, `introspection token of ${quoteIssuer(plan)}`);
  return undefined;
}

function quoteIssuer({ name }: TokenProviderPlan): string {
  return `provider "${name}"`;
}
