/** Checks of a token that is a JWT (RFC 7519, RFC 9068). Loaded with the first token: `jose` comes with it. */
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { CLOCK_TOLERANCE_SECONDS } from './accepted-token.ts';
import { checkSharedClaims, FLAWS } from './claims.ts';
import { invalid } from './token-rejected.ts';
import type { VerificationKey } from './verification-keys.ts';

/**
 * RSA and ECDSA. Never `none`, and never HMAC: its key would be the public one (RFC 8725, 2.1).
 */
const ALGORITHMS: readonly string[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];

/** Types of tokens that are for access (RFC 9068, section 2.1), without `application/`. Those of others, such as logout tokens, say so. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt'];

/** A token taken apart. Nothing of it is proved. */
export interface UnprovedJwt {
  readonly header: ProtectedHeaderParameters;
  readonly claims: JWTPayload;
}

export interface JwtExpectations {
  readonly issuer: string;
  readonly audience: string;
}

/** Undefined for what is no JWT: not three parts of base64url, or header and claims are no JSON objects. */
export function readJwt(token: string): UnprovedJwt | undefined {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch {
    return undefined;
  }
}

/**
 * The id of the key that a token names, when its header is one of an access token.
 *
 * @throws TokenRejectedError
 */
export function keyIdOf({ header, claims }: UnprovedJwt): string {
  if (typeof header.alg !== 'string' || !ALGORITHMS.includes(header.alg)) {
    throw invalid('the token is signed by an algorithm that is not accepted');
  }
  if (typeof header.kid !== 'string' || header.kid === '') throw invalid('the token names no key (kid)');
  const type = typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : header.typ;
  // Security event tokens, such as logout tokens, may do without a type (RFC 8417, section 2.2).
  if (!TYPES.includes(type) || claims.events !== undefined) throw invalid('the token is not an access token');
  return header.kid;
}

/**
 * The claims of a token, proved.
 *
 * @param now milliseconds since 1970
 * @throws TokenRejectedError
 */
export async function verifyJwt(
  token: string,
  key: VerificationKey,
  { issuer, audience }: JwtExpectations,
  now: number,
): Promise<JWTPayload & { readonly sub: string; readonly exp: number }> {
  let claims: JWTPayload;
  try {
    const verified = await jwtVerify(token, key.resolve, {
      algorithms: [...ALGORITHMS],
      issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now),
    });
    claims = verified.payload;
  } catch (error) {
    throw invalid(flawOf(error));
  }
  checkSharedClaims(claims);
  return claims as JWTPayload & { sub: string; exp: number };
}

function flawOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return FLAWS.exp;
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return `the token has no ${error.claim}`;
    return Object.hasOwn(FLAWS, error.claim) && error.reason === 'check_failed'
      ? FLAWS[error.claim as keyof typeof FLAWS]
      : `the token has an unusable ${error.claim}`;
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'the signature of the token is wrong';
  return 'the token cannot be verified';
}
