/** Checks JWTs (RFC 7519, RFC 9068). Loaded with the first token, together with `jose`. */
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { CLOCK_TOLERANCE_SECONDS } from './accepted-token.ts';
import { CLAIM_ERRORS, checkKind, checkSharedClaims, NOT_FOR_ACCESS, type TokenExpectations } from './claims.ts';
import type { TokenTraits } from './refusal-log.ts';
import { createInvalidError, TokenRejectedError } from './token-rejected.ts';
import type { VerificationKey } from './verification-keys.ts';

/** Types of access tokens (RFC 9068, section 2.1), without `application/`. Tokens for other uses, such as logout tokens, have other types. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt'];

/** A decoded, unverified token. */
export interface UnprovedJwt {
  readonly header: ProtectedHeaderParameters;
  readonly claims: JWTPayload;
}

/** Undefined for anything but a JWT: not three base64url parts, or header or claims are not JSON objects. */
export function readJwt(token: string): UnprovedJwt | undefined {
  try {
    return { header: decodeProtectedHeader(token), claims: decodeJwt(token) };
  } catch {
    return undefined;
  }
}

/** Maximum number of characters of one logged claim. */
const MAX_TRAIT = 200;

/** Maximum number of logged audiences of a token. */
const MAX_AUDIENCES = 5;

/** Claims for the log of refused tokens. */
export function readTraits({ header, claims }: UnprovedJwt): TokenTraits {
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, MAX_TRAIT) : undefined);
  const { iss, aud } = claims;
  const audiences = Array.isArray(aud) ? aud.slice(0, MAX_AUDIENCES).flatMap(value => text(value) ?? []) : text(aud);
  const traits = { iss: text(iss), aud: audiences, kid: text(header.kid), alg: text(header.alg) };
  return Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined));
}

/**
 * Refuses a token whose type says that it is not an access token.
 * @throws TokenRejectedError
 */
export function checkAccessToken({ header, claims }: UnprovedJwt): void {
  const type = typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : header.typ;
  if (!TYPES.includes(type)) throw createInvalidError(NOT_FOR_ACCESS);
  checkKind(claims);
}

/**
 * The key id in a token's header, if any.
 * @throws TokenRejectedError
 */
export function readKeyId({ header }: UnprovedJwt, algorithms: readonly string[]): string | undefined {
  if (typeof header.alg !== 'string' || !algorithms.includes(header.alg)) {
    throw createInvalidError('the token is signed with an algorithm that is not accepted');
  }
  const { kid } = header;
  if (kid !== undefined && (typeof kid !== 'string' || kid === ''))
    throw createInvalidError('the key id (kid) of the token is not a string');
  return kid;
}

/** A key does not match a token's algorithm or signature: the provider may have published the right key after the last fetch. */
export class WrongKeyError extends TokenRejectedError {
  constructor(message: string) {
    super('invalid', message);
    this.name = 'WrongKeyError';
  }
}

/**
 * The verified claims of a token.
 * @param now milliseconds since 1970
 * @throws TokenRejectedError, including WrongKeyError for another key's signature
 */
export async function verifyJwt(
  token: string,
  key: VerificationKey,
  { issuer, audience }: TokenExpectations,
  algorithms: readonly string[],
  now: number,
): Promise<JWTPayload & { readonly sub: string; readonly exp: number }> {
  let claims: JWTPayload;
  try {
    const verified = await jwtVerify(token, key.resolve, {
      algorithms: [...algorithms],
      issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now),
    });
    claims = verified.payload;
  } catch (error) {
    throw toRejection(error);
  }
  checkSharedClaims(claims, now);
  return claims as JWTPayload & { sub: string; exp: number };
}

function toRejection(error: unknown): TokenRejectedError {
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return new WrongKeyError('the signature of the token is wrong');
  if (error instanceof errors.JWKSNoMatchingKey) return new WrongKeyError(UNKNOWN_KEY);
  return createInvalidError(describeError(error));
}

export const UNKNOWN_KEY = 'the token is signed with an unknown key';

function describeError(error: unknown): string {
  if (error instanceof errors.JWTExpired) return CLAIM_ERRORS.exp;
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return `the token has no ${error.claim}`;
    return Object.hasOwn(CLAIM_ERRORS, error.claim) && error.reason === 'check_failed'
      ? CLAIM_ERRORS[error.claim as keyof typeof CLAIM_ERRORS]
      : `the token has an unusable ${error.claim}`;
  }
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'several keys match the token, and its key id (kid) does not choose one of the keys';
  return 'the token cannot be verified';
}
