/** Verifies tokens of a trusted issuer with its keys. */
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { TrustedIssuerPlan } from '#schemas';
import type { ClaimsMatcher } from '../../auth/claims-matcher.ts';
import { ALGORITHMS_AND_EDDSA } from '../../auth/token-algorithms.ts';
import { CLOCK_TOLERANCE_SECONDS } from '../clock-tolerance.ts';
import { createFetch } from '../create-fetch.ts';
import type { OutgoingClient } from '../host.ts';
import { TokenRefusedError } from './token-refused.ts';

/** Limit on a token, in characters. */
export const MAX_TOKEN_LENGTH = 16 * 1024;

/** How long a key set is used, and the minimum interval between fetches that an unknown key id causes; milliseconds. */
const KEYS_FRESH_MS = 10 * 60_000;
const KEYS_COOLDOWN_MS = 30_000;

export type VerifiedClaims = JWTPayload & { readonly sub: string; readonly exp: number };

export interface ForeignIssuerOptions {
  readonly plan: TrustedIssuerPlan;
  readonly client: OutgoingClient;
  /** The compiled condition of `exchange.actorMatcher`; undefined if the plan has none. */
  readonly matcher: ClaimsMatcher | undefined;
}

export class ForeignIssuer {
  readonly plan: TrustedIssuerPlan;
  readonly matcher: ClaimsMatcher | undefined;
  readonly #client: OutgoingClient;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  constructor({ plan, client, matcher }: ForeignIssuerOptions) {
    this.plan = plan;
    this.matcher = matcher;
    this.#client = client;
  }

  /**
   * Verifies a token and returns its claims. The caller checks the audience.
   *
   * @param types allowed types in its header, in lower case and without `application/`; the header may omit the type
   * @throws TokenRefusedError by rejecting
   */
  async verify(token: string, types: readonly string[]): Promise<VerifiedClaims> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await this.#loadKeySet(), {
        algorithms: [...ALGORITHMS_AND_EDDSA],
        issuer: this.plan.issuer,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      checkType(protectedHeader.typ, types);
      return checkClaims(payload);
    } catch (error) {
      throw toTokenRefusal(error);
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #loadKeySet(): Promise<JWTVerifyGetKey> {
    this.#keys ??= this.#openKeys().catch(error => {
      this.#keys = undefined;
      throw error;
    });
    return this.#keys;
  }

  async #openKeys(): Promise<JWTVerifyGetKey> {
    const { keys } = this.plan;
    const url = this.#requirePermitted(keys.type === 'jwks' ? keys.url : await this.#discoverUrl(keys.url));
    return createRemoteJWKSet(url, {
      [customFetch]: createFetch(this.#client),
      cacheMaxAge: KEYS_FRESH_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
    });
  }

  async #discoverUrl(url: string): Promise<string> {
    const headers = { accept: 'application/json' };
    const { status, body } = await this.#client.request({ method: 'GET', url: this.#requirePermitted(url), headers });
    const document: { issuer?: unknown; jwks_uri?: unknown } | null = status === 200 ? JSON.parse(body) : null;
    // The document of another issuer could substitute that issuer's keys (RFC 8414, section 3.3).
    if (document?.issuer !== this.plan.issuer || typeof document.jwks_uri !== 'string')
      throw new Error('the discovery document of the issuer is not usable');
    return document.jwks_uri;
  }

  #requirePermitted(text: string): URL {
    const url = URL.parse(text);
    if (url?.protocol === 'https:' || (url?.protocol === 'http:' && this.plan.allowsHttp)) return url;
    throw new Error('the keys of the issuer are not at an https URL');
  }
}

/** @throws TokenRefusedError for a token of another type */
export function checkType(type: unknown, types: readonly string[]): void {
  if (type === undefined) return;
  const name = typeof type === 'string' ? type.toLowerCase().replace(/^application\//, '') : '';
  if (!types.includes(name)) throw new TokenRefusedError('invalid', 'the token is of another type');
}

/** @throws TokenRefusedError */
export function checkClaims(claims: JWTPayload): VerifiedClaims {
  const { sub, iat, cnf } = claims;
  if (typeof sub !== 'string' || sub === '') throw new TokenRefusedError('invalid', 'the token has no subject');
  if (typeof iat === 'number' && iat > Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS)
    throw new TokenRefusedError('invalid', 'the token was issued in the future');
  // Clients do not prove here that they possess the key of such a token (RFC 7800).
  if (cnf !== undefined) throw new TokenRefusedError('invalid', 'the token is bound to a key');
  return claims as VerifiedClaims;
}

/** Converts the error of a library to a TokenRefusedError, whose message repeats no part of the token. */
export function toTokenRefusal(error: unknown): unknown {
  if (error instanceof TokenRefusedError) return error;
  if (error instanceof errors.JWTExpired) return new TokenRefusedError('invalid', 'the token has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new TokenRefusedError('invalid', `the token has no usable ${describeClaim(error)}`);
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid)
    return new TokenRefusedError('unavailable', 'the keys of the issuer cannot be fetched now', error);
  const isAboutToken = error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
  return isAboutToken
    ? new TokenRefusedError('invalid', 'the token cannot be verified')
    : new TokenRefusedError('unavailable', 'the keys of the issuer cannot be fetched now', error);
}

const CLAIMS: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'sub', 'jti']);

function describeClaim({ claim }: errors.JWTClaimValidationFailed): string {
  return CLAIMS.has(claim) ? claim : 'claims';
}
