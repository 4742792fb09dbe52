import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TokenAuthPlan } from '#schemas';
import { readScopes } from '#shared/plan';
import type { Logger } from '../../observe/log.ts';
import { createIdentity, type Identity } from '../identity.ts';
import type { AcceptedToken } from './accepted-token.ts';
import { AuthenticationError, type Authenticator, type ProviderStatus } from './authenticator.ts';
import { checkToken, MalformedCredentialsError, readBearerToken } from './bearer-token.ts';
import { Challenges } from './challenges.ts';
import { CLAIM_ERRORS } from './claims.ts';
import { OpaqueIssuers } from './opaque-issuers.ts';
import type { OwnIssuer } from './own-issuer.ts';
import { type ProviderRefusal, RefusalLog, type TokenTraits } from './refusal-log.ts';
import { createMetadataRoutes } from './resource-metadata.ts';
import { TokenCache } from './token-cache.ts';
import { TokenProvider, type TokenProviderOptions } from './token-provider.ts';
import { createInvalidError, TokenRejectedError } from './token-rejected.ts';

/** How often expired tokens are dropped and refusals are summarized; milliseconds. */
const SWEEP_MS = 60_000;

/** The state of a token check, for the log if the token is refused. */
interface Check {
  /** The providers that refused the token. */
  readonly tried: ProviderRefusal[];
  /** Undefined for an opaque token. */
  traits: (() => TokenTraits) | undefined;
}

/** Identifies the caller of a bearer token that one of the providers accepts. */
export class TokenAuthenticator implements Authenticator {
  readonly routes: ReadonlyMap<string, (req: IncomingMessage, res: ServerResponse) => void>;
  readonly publicOrigin: string | undefined;
  readonly #providers: readonly TokenProvider[];
  readonly #requiredScopes: readonly string[];
  readonly #challenges: Challenges;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #refusals: RefusalLog;
  readonly #known = new TokenCache();
  readonly #opaqueIssuers = new OpaqueIssuers<TokenProvider>();
  /** The running checks by token: all concurrent requests with the same token share one check. */
  readonly #pending = new Map<string, Promise<Identity>>();
  readonly #sweep: NodeJS.Timeout;
  readonly #own: OwnIssuer | undefined;

  /** @throws SecretError */
  constructor(plan: TokenAuthPlan, options: TokenProviderOptions) {
    this.#challenges = new Challenges(plan);
    this.#requiredScopes = plan.requiredScopes;
    this.#log = options.log;
    this.#refusals = new RefusalLog(options.log);
    this.#now = options.now;
    this.#own = options.own;
    this.routes = plan.resourceMetadata === null ? new Map() : createMetadataRoutes(plan.resourceMetadata);
    this.publicOrigin = URL.parse(plan.resourceMetadata?.document.resource ?? '')?.origin;
    this.#providers = plan.providers.map(provider => new TokenProvider(provider, options));
    // Runs after all providers were created: a missing secret must leave nothing running.
    for (const provider of this.#providers) provider.start();
    this.#sweep = setInterval(() => {
      this.#known.sweep(this.#now());
      this.#refusals.summarize();
    }, SWEEP_MS).unref();
  }

  authenticate(req: IncomingMessage): Identity | Promise<Identity> {
    const token = this.#readToken(req);
    const known = this.#known.get(token, this.#now()) ?? this.#authenticateOnce(token);
    if (this.#own === undefined) return known;
    return known instanceof Promise
      ? known.then(identity => this.#withUpstreams(identity))
      : this.#withUpstreams(known);
  }

  challenge(description: string): string | undefined {
    return this.#challenges.invalid(description).challenge;
  }

  status(): readonly ProviderStatus[] {
    return this.#providers.map(provider => provider.status());
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    this.#refusals.summarize();
    await Promise.all(this.#providers.map(provider => provider.close()));
  }

  #readToken({ rawHeaders }: IncomingMessage): string {
    let token: string | undefined;
    try {
      token = readBearerToken(rawHeaders);
    } catch (error) {
      throw this.#answerTo(error);
    }
    if (token === undefined) throw this.#challenges.missing();
    return token;
  }

  /** The same caller, once its upstream tokens are valid and can be sent to backends. */
  #withUpstreams(identity: Identity): Identity | Promise<Identity> {
    const { caller } = identity;
    if (caller === undefined || caller.issuer !== this.#own?.issuer) return identity;
    const ready = this.#own.ready(caller.claims);
    if (ready === undefined) return identity;
    return ready.then(
      () => identity,
      error => {
        throw this.#answerTo(error);
      },
    );
  }

  #authenticateOnce(token: string): Promise<Identity> {
    const pending = this.#pending.get(token);
    if (pending !== undefined) return pending;
    const check: Check = { tried: [], traits: undefined };
    const looking = this.#identify(token, check)
      .catch(error => {
        throw this.#answerTo(error, check);
      })
      .finally(() => this.#pending.delete(token));
    this.#pending.set(token, looking);
    return looking;
  }

  async #identify(token: string, check: Check): Promise<Identity> {
    checkToken(token);
    const accepted = await this.#accept(token, check);
    this.#checkScopes(accepted, check);
    const identity = createIdentity(accepted.caller);
    this.#known.put(token, identity, accepted);
    return identity;
  }

  #checkScopes({ caller }: AcceptedToken, { tried, traits }: Check): void {
    const scopes = readScopes(caller.claims);
    const missing = this.#requiredScopes.filter(scope => !scopes.has(scope));
    if (missing.length === 0) return;
    const provider = this.#providers.find(({ plan }) => plan.issuer === caller.issuer);
    if (provider !== undefined)
      tried.push(provider.attempt(`the token lacks the scope ${missing.join(' ')}`, traits !== undefined));
    throw this.#challenges.insufficientScope();
  }

  /**
   * The first provider that accepts a token wins. A JWT names its issuer, and no other provider is queried; an opaque token is sent to the
   * provider that accepted it before, or to all that support introspection.
   */
  async #accept(token: string, check: Check): Promise<AcceptedToken> {
    const { readJwt, readTraits } = await import('./jwt.ts');
    const jwt = readJwt(token);
    if (jwt === undefined) {
      return this.#acceptOpaque(token, check);
    }
    check.traits = () => readTraits(jwt);
    const issuers = this.#providers.filter(({ plan }) => plan.issuer === jwt.claims.iss);
    if (issuers.length === 0) throw this.#createRejection(CLAIM_ERRORS.iss, check);
    return this.#findFirstToAccept(issuers, provider => provider.acceptJwt(token, jwt), check);
  }

  #acceptOpaque(token: string, check: Check): Promise<AcceptedToken> {
    const issuer = this.#opaqueIssuers.get(token);
    const candidates = issuer === undefined ? this.#providers.filter(({ introspects }) => introspects) : [issuer];
    if (candidates.length === 0) throw this.#createRejection('the token is not a JWT', check);
    const ask = async (provider: TokenProvider): Promise<AcceptedToken> => {
      const accepted = await provider.acceptOpaque(token);
      this.#opaqueIssuers.remember(token, provider);
      return accepted;
    };
    return this.#findFirstToAccept(candidates, ask, check);
  }

  /** The error for a token that no provider can accept. The log names all providers, because the token was probably meant for one of them. */
  #createRejection(cause: string, { tried, traits }: Check): TokenRejectedError {
    tried.push(...this.#providers.map(provider => provider.attempt(cause, traits !== undefined)));
    return createInvalidError(cause);
  }

  async #findFirstToAccept(
    providers: readonly TokenProvider[],
    accept: (provider: TokenProvider) => Promise<AcceptedToken>,
    { tried, traits }: Check,
  ): Promise<AcceptedToken> {
    let rejection: TokenRejectedError | undefined;
    for (const provider of providers) {
      try {
        return await accept(provider);
      } catch (error) {
        if (!(error instanceof TokenRejectedError)) throw error;
        const attempt = provider.attempt(error.message, traits !== undefined);
        tried.push(attempt);
        this.#log.debug(attempt, 'a token was not accepted');
        // `unavailable` wins over `invalid`, because the unavailable provider might have accepted the token.
        if (rejection?.reason !== 'unavailable') rejection = error;
      }
    }
    throw rejection as TokenRejectedError;
  }

  #answerTo(
    error: unknown,
    { tried, traits }: Check = { tried: [], traits: undefined },
  ): AuthenticationError | unknown {
    const answer = this.#toRefusal(error);
    if (answer !== undefined) this.#refusals.note(tried, answer.message, answer.status === 503, traits?.());
    return answer ?? error;
  }

  /** Undefined for an error that is not a refusal. */
  #toRefusal(error: unknown): AuthenticationError | undefined {
    if (error instanceof AuthenticationError) return error;
    if (error instanceof MalformedCredentialsError) return this.#challenges.malformed(error.message);
    if (!(error instanceof TokenRejectedError)) return undefined;
    return error.reason === 'invalid' ? this.#challenges.invalid(error.message) : this.#challenges.unavailable();
  }
}
