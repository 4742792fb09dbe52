/** A workload exchanges an assertion of a trusted issuer for a token (RFC 7523, section 2.1). */
import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { AUTH_SERVER_PATHS, type AuthServerPlan } from '#schemas';
import type { Logger } from '../../observe/log.ts';
import { CLOCK_TOLERANCE_SECONDS } from '../clock-tolerance.ts';
import type { AuthServerObserver } from '../host.ts';
import { isResource } from '../is-resource.ts';
import type { SigningKey } from '../signing-keys.ts';
import type { Store } from '../storage/store.ts';
import { type ForeignIssuer, MAX_TOKEN_LENGTH } from './foreign-issuer.ts';
import { issueToken } from './issue-token.ts';
import { toForeignSubject } from './subject.ts';
import { TokenRefusedError } from './token-refused.ts';

export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

const USED = 'the assertion was used already';

/** Timeout of the store when the use of an assertion is recorded; milliseconds. */
const USE_MS = 20_000;

export interface JwtBearerOptions {
  readonly plan: AuthServerPlan;
  readonly issuers: readonly ForeignIssuer[];
  readonly store: Store;
  readonly log: Logger;
  readonly observer: Pick<AuthServerObserver, 'tokenRequest'>;
}

/** The response; `error` is a code of RFC 6749, section 5.2. */
export interface TokenEndpointResponse {
  readonly status: 200 | 400 | 503;
  readonly body: Readonly<Record<string, unknown>>;
}

type Assertions = NonNullable<ForeignIssuer['plan']['assertions']>;

export class JwtBearer {
  readonly #options: JwtBearerOptions;

  constructor(options: JwtBearerOptions) {
    this.#options = options;
  }

  /** @param form the form of the request, in which only `resource` may be repeated */
  async answer(form: URLSearchParams, key: SigningKey): Promise<TokenEndpointResponse> {
    const answer = await this.#answer(form, key);
    this.#options.observer.tokenRequest(JWT_BEARER_GRANT, String(answer.body.error ?? 'issued'));
    return answer;
  }

  async #answer(form: URLSearchParams, key: SigningKey): Promise<TokenEndpointResponse> {
    const { plan, log } = this.#options;
    const assertion = form.get('assertion') ?? '';
    if (assertion === '' || assertion.length > MAX_TOKEN_LENGTH)
      return createRefusal('invalid_request', 'the assertion is missing or too long');
    try {
      const { issuer, subject, resources } = await this.#accept(assertion);
      const target = chooseResource(form.getAll('resource'), resources);
      if (target === undefined)
        return createRefusal('invalid_target', 'name one resource for which this subject may get tokens');
      const scopes = (form.get('scope') ?? '').split(' ').filter(scope => scope !== '');
      if (!scopes.every(scope => plan.scopes.includes(scope) && scope !== 'offline_access'))
        return createRefusal('invalid_scope', 'a scope is not supported');
      const id = toForeignSubject(issuer, subject);
      const { accessTokenSeconds: lifeSeconds } = plan.lifespans;
      const audience = isResource(target, plan.resource) ? plan.audience : target;
      const access = await issueToken(key, {
        issuer: plan.issuer,
        subject: id,
        audience,
        client: subject,
        scopes,
        lifeSeconds,
        more: {},
      });
      log.info({ subject: id, client: subject, issuer }, 'an assertion was exchanged for a token');
      const scope = scopes.length === 0 ? {} : { scope: scopes.join(' ') };
      return { status: 200, body: { access_token: access, token_type: 'Bearer', expires_in: lifeSeconds, ...scope } };
    } catch (error) {
      if (!(error instanceof TokenRefusedError)) throw error;
      const { message, cause } = error;
      log.info({ cause: cause instanceof Error ? cause.message : message }, 'an assertion was not accepted');
      return error.reason === 'invalid'
        ? createRefusal('invalid_grant', message)
        : { status: 503, body: { error: 'temporarily_unavailable', error_description: message } };
    }
  }

  /** @throws TokenRefusedError */
  async #accept(assertion: string): Promise<{
    readonly issuer: string;
    readonly subject: string;
    readonly resources: readonly string[];
  }> {
    const trusted = this.#findIssuer(assertion);
    const { issuer } = trusted.plan;
    const assertions = trusted.plan.assertions as Assertions;
    const claims = await trusted.verify(assertion, ['jwt']);
    const { sub: subject, aud, iat, jti } = claims;
    if (![aud].flat().some(value => value !== undefined && this.#listAudiences(assertions).includes(value)))
      throw createInvalidError('the assertion is for another audience');
    const now = Date.now() / 1000;
    if (typeof iat !== 'number' || iat + assertions.maxAgeSeconds + CLOCK_TOLERANCE_SECONDS < now)
      throw createInvalidError('the assertion is too old, or does not say when it was issued');
    const binding = assertions.subjects.find(entry => entry.subject === subject);
    if (binding === undefined) throw createInvalidError('the subject of the assertion gets no tokens here');
    if (typeof jti !== 'string' || jti === '')
      throw createInvalidError('the assertion has no jti, which is needed to detect a repeated assertion');
    // The use is recorded for as long as the assertion would still be accepted by its age.
    const ttlSeconds = Math.ceil(iat + assertions.maxAgeSeconds + 2 * CLOCK_TOLERANCE_SECONDS - now);
    await this.#useUp(JSON.stringify([issuer, jti]), ttlSeconds);
    return { issuer, subject, resources: binding.resources };
  }

  /** Marks an assertion as used: of several requests with one assertion, one succeeds. */
  async #useUp(id: string, ttlSeconds: number): Promise<void> {
    const { store } = this.#options;
    const name = createHash('sha256').update(id).digest('base64url');
    const release = await store.lock(`assertion:${name}`, USE_MS);
    if (release === undefined) throw createInvalidError(USED);
    try {
      if ((await store.get('assertion', name)) !== undefined) throw createInvalidError(USED);
      await store.put('assertion', name, {}, { ttlSeconds });
    } finally {
      await release();
    }
  }

  #findIssuer(assertion: string): ForeignIssuer {
    let issuer: string | undefined;
    try {
      issuer = decodeJwt(assertion).iss;
    } catch {
      throw createInvalidError('the assertion is not a JWT');
    }
    const trusted = this.#options.issuers.find(({ plan }) => plan.issuer === issuer && plan.assertions !== null);
    if (trusted === undefined) throw createInvalidError('the assertion is from an issuer that is not trusted');
    return trusted;
  }

  #listAudiences({ audiences }: Assertions): readonly string[] {
    const { issuer } = this.#options.plan;
    return [issuer, `${issuer}${AUTH_SERVER_PATHS.token}`, ...audiences];
  }
}

/** The requested resource, or the only allowed one; undefined if neither exists or if several are requested. */
function chooseResource(requested: readonly string[], allowed: readonly string[]): string | undefined {
  if (requested.length > 1) return undefined;
  const [resource = allowed.length === 1 ? allowed[0] : undefined] = requested;
  return resource === undefined ? undefined : allowed.find(value => isResource(resource, value));
}

function createRefusal(error: string, description: string): TokenEndpointResponse {
  return { status: 400, body: { error, error_description: description } };
}

function createInvalidError(message: string): TokenRefusedError {
  return new TokenRefusedError('invalid', message);
}
