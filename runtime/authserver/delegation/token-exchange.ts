/** Token exchange (RFC 8693): a delegate client acts for a person, and exchanges the person's token for a token of its own. */
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { type Context, errors } from 'oidc-provider';
import type { AuthServerPlan, DelegateClientPlan } from '#schemas';
import { ALGORITHMS_AND_EDDSA } from '../../auth/token-algorithms.ts';
import type { Logger } from '../../observe/log.ts';
import { CLOCK_TOLERANCE_SECONDS } from '../clock-tolerance.ts';
import type { SigningKey } from '../signing-keys.ts';
import type { Store } from '../storage/store.ts';
import {
  checkClaims,
  checkType,
  type ForeignIssuer,
  MAX_TOKEN_LENGTH,
  toTokenRefusal,
  type VerifiedClaims,
} from './foreign-issuer.ts';
import { issueToken } from './issue-token.ts';
import { toForeignSubject } from './subject.ts';
import { TokenRefusedError } from './token-refused.ts';

export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';

export const TOKEN_EXCHANGE_PARAMETERS = [
  'subject_token',
  'subject_token_type',
  'requested_token_type',
  'actor_token',
  'audience',
  'resource',
  'scope',
] as const;

/** Maximum number of actors in a token: nested `act` claims. */
const MAX_ACTORS = 5;

/** Scopes that only a person's own sign-in can have; an exchanged token never has them. */
const SIGN_IN_SCOPES: ReadonlySet<string> = new Set(['offline_access']);

export interface TokenExchangeOptions {
  readonly plan: AuthServerPlan;
  readonly keys: readonly SigningKey[];
  readonly keySet: string;
  readonly issuers: readonly ForeignIssuer[];
  readonly store: Store;
  readonly log: Logger;
}

/** The person of the exchanged token, and what the new token inherits from it. */
interface Subject {
  readonly id: string;
  readonly claims: VerifiedClaims;
  /** Undefined for a token of another issuer, whose scopes do not apply here. */
  readonly scopes: readonly string[] | undefined;
  /** The id of the person's sign-in, for which this server stores upstream tokens; undefined for a token of another issuer. */
  readonly signIn: string | undefined;
}

export class TokenExchange {
  readonly #options: TokenExchangeOptions;
  readonly #ownKeys: ReturnType<typeof createLocalJWKSet>;

  constructor(options: TokenExchangeOptions) {
    this.#options = options;
    this.#ownKeys = createLocalJWKSet(JSON.parse(options.keySet) as JSONWebKeySet);
  }

  /** The token response for an authenticated client. */
  async answer(ctx: Context): Promise<void> {
    const { plan, keys, log } = this.#options;
    const client = plan.delegateClients.find(({ id }) => id === ctx.oidc.client.clientId);
    const [key] = keys;
    if (client === undefined || key === undefined) throw new errors.InvalidRequest('the client cannot act for others');
    const params = ctx.oidc.params as unknown as Parameters;
    checkParameters(params);
    const { subject_token: token } = params;
    const subject = await this.#verifySubject(token, client);
    const audience = this.#chooseAudience(params, client);
    const scopes = chooseScopes(params.scope, subject, client);
    const now = Math.floor(Date.now() / 1000);
    const lifeSeconds = Math.min(plan.lifespans.accessTokenSeconds, subject.claims.exp - now);
    if (lifeSeconds <= 0) throw new errors.InvalidGrant('the subject token has expired');
    const isForUs = audience === plan.audience;
    const access = await issueToken(key, {
      issuer: plan.issuer,
      subject: subject.id,
      audience,
      client: client.id,
      scopes,
      lifeSeconds,
      more: {
        ...readNames(subject.claims),
        act: { sub: client.id, ...readActors(subject.claims.act) },
        // Only this gateway can use the id of a sign-in.
        ...(isForUs && subject.signIn !== undefined ? { tsid: subject.signIn } : {}),
      },
    });
    log.info({ subject: subject.id, client: client.id, issuer: subject.claims.iss }, 'a client acts for a person');
    ctx.body = {
      access_token: access,
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: lifeSeconds,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    };
  }

  async #verifySubject(token: string, client: DelegateClientPlan): Promise<Subject> {
    try {
      const issuer = readIssuer(token);
      if (issuer === this.#options.plan.issuer) return await this.#readOwnSubject(token, client);
      const trusted = this.#options.issuers.find(({ plan }) => plan.issuer === issuer);
      if (trusted === undefined)
        throw new TokenRefusedError('invalid', 'the token is from an issuer that is not trusted');
      return await this.#readForeignSubject(token, trusted, client);
    } catch (error) {
      if (!(error instanceof TokenRefusedError)) throw error;
      const { cause, message } = error;
      this.#options.log.info({ client: client.id, cause: formatCause(cause) ?? message }, 'a token was not exchanged');
      throw error.reason === 'invalid' ? new errors.InvalidGrant(message) : new errors.TemporarilyUnavailable(message);
    }
  }

  /** A token of this server whose person is still signed in. */
  async #readOwnSubject(token: string, client: DelegateClientPlan): Promise<Subject> {
    const { plan, store } = this.#options;
    let claims: VerifiedClaims;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.#ownKeys, {
        algorithms: [...ALGORITHMS_AND_EDDSA],
        issuer: plan.issuer,
        audience: [plan.audience, ...client.audiences],
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      checkType(protectedHeader.typ, ['at+jwt']);
      claims = checkClaims(payload);
    } catch (error) {
      throw toTokenRefusal(error);
    }
    const signIn = typeof claims.tsid === 'string' ? claims.tsid : undefined;
    if (signIn !== undefined && (await store.get('sign-in', signIn)) === undefined)
      throw new TokenRefusedError('invalid', 'the sign-in behind the token has ended');
    const scopes = typeof claims.scope === 'string' ? claims.scope.split(' ') : [];
    return { id: claims.sub, claims, scopes, signIn };
  }

  async #readForeignSubject(token: string, issuer: ForeignIssuer, client: DelegateClientPlan): Promise<Subject> {
    const { exchange } = issuer.plan;
    if (exchange === null) throw new TokenRefusedError('invalid', 'tokens of the issuer cannot be exchanged');
    if (!exchange.clients.includes('*') && !exchange.clients.includes(client.id))
      throw new TokenRefusedError('invalid', 'the client may not exchange tokens of the issuer');
    const claims = await issuer.verify(token, ['jwt', 'at+jwt']);
    if (![claims.aud].flat().includes(exchange.audience))
      throw new TokenRefusedError('invalid', 'the token is for another audience');
    checkActor(claims, issuer, client.id);
    return { id: toForeignSubject(issuer.plan.issuer, claims.sub), claims, scopes: undefined, signIn: undefined };
  }

  /** The audience of the new token: the requested one, or the client's only one. */
  #chooseAudience({ audience, resource }: Parameters, { audiences }: DelegateClientPlan): string {
    const targets = [audience ?? [], resource ?? []].flat();
    if (targets.length > 1) throw new errors.InvalidTarget('only one audience is allowed in a request');
    const [requested = audiences.length === 1 ? audiences[0] : undefined] = targets;
    if (requested === undefined)
      throw new errors.InvalidTarget('audience is required: the client has several audiences');
    if (!audiences.includes(requested)) throw new errors.InvalidTarget('the client gets no tokens for this audience');
    return requested;
  }
}

interface Parameters {
  readonly subject_token: string;
  readonly subject_token_type?: string;
  readonly requested_token_type?: string;
  readonly actor_token?: string;
  readonly audience?: string | readonly string[];
  readonly resource?: string | readonly string[];
  readonly scope?: string;
}

function checkParameters(params: Partial<Parameters>): void {
  const {
    subject_token: token,
    subject_token_type: type,
    requested_token_type: requested,
    actor_token: actor,
  } = params;
  if (typeof token !== 'string' || token === '') throw new errors.InvalidRequest('subject_token is missing');
  if (token.length > MAX_TOKEN_LENGTH) throw new errors.InvalidRequest('the subject_token is too long');
  if (type !== ACCESS_TOKEN && type !== JWT)
    throw new errors.InvalidRequest('subject_token_type must be that of an access token or of a JWT');
  if (requested !== undefined && requested !== ACCESS_TOKEN && requested !== JWT)
    throw new errors.InvalidRequest('requested_token_type must be that of an access token or of a JWT');
  if (actor !== undefined)
    throw new errors.InvalidRequest('actor_token is not supported: the client that authenticates is the actor');
}

/**
 * Checks the operator's condition on the client that the token was issued to, if the plan has one.
 * @throws TokenRefusedError
 */
function checkActor(claims: VerifiedClaims, { plan: { exchange }, matcher }: ForeignIssuer, client: string): void {
  if (exchange === null) return;
  const { actorClaim, actors, allowsMayAct } = exchange;
  const mayAct = claims.may_act as { readonly sub?: unknown } | undefined;
  if (allowsMayAct && typeof mayAct === 'object' && mayAct?.sub === client) return;
  const isAnyActor = actors.length === 0 && matcher === undefined;
  if (isAnyActor && !allowsMayAct) return;
  const actor = claims[actorClaim];
  const isListed = actors.length === 0 || (typeof actor === 'string' && actors.includes(actor));
  const isMatched = matcher === undefined || matcher(claims) === true;
  if (isAnyActor || !isListed || !isMatched)
    throw new TokenRefusedError('invalid', 'the token was issued to a client that may not act here');
}

/**
 * The actors in the exchanged token, reduced to the claims that identify them: the server must not sign all claims of a foreign token.
 * @throws InvalidGrant for too many actors
 */
function readActors(act: unknown, depth = 1): { readonly act?: object } {
  if (typeof act !== 'object' || act === null) return {};
  if (depth >= MAX_ACTORS) throw new errors.InvalidGrant(`more than ${MAX_ACTORS} clients act for one user`);
  const { sub, iss, act: before } = act as { readonly sub?: unknown; readonly iss?: unknown; readonly act?: unknown };
  return { act: { ...toTextMember('sub', sub), ...toTextMember('iss', iss), ...readActors(before, depth + 1) } };
}

function readNames({ name, email }: VerifiedClaims): object {
  return { ...toTextMember('name', name), ...toTextMember('email', email) };
}

function toTextMember(name: string, value: unknown): object {
  return typeof value === 'string' && value.length <= 1024 ? { [name]: value } : {};
}

function chooseScopes(
  targets: string | undefined,
  subject: Subject,
  { scopes }: DelegateClientPlan,
): readonly string[] {
  const possible = scopes.filter(scope => !SIGN_IN_SCOPES.has(scope) && (subject.scopes?.includes(scope) ?? true));
  if (targets === undefined || targets === '') return possible;
  const requested = targets.split(' ').filter(scope => scope !== '');
  if (!requested.every(scope => possible.includes(scope)))
    throw new errors.InvalidScope(
      'a requested scope is not allowed: the client or the token does not have it, or it is offline_access',
    );
  return [...new Set(requested)];
}

function readIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    throw new TokenRefusedError('invalid', 'the token is not a JWT');
  }
}

function formatCause(cause: unknown): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}
