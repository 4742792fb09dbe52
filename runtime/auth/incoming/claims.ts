import { CLOCK_TOLERANCE_SECONDS } from './accepted-token.ts';
import { createInvalidError } from './token-rejected.ts';

/** The error for each invalid claim. */
export const CLAIM_ERRORS = {
  iss: 'the token is from another issuer',
  aud: 'the token is for another audience',
  exp: 'the token has expired',
  nbf: 'the token is not valid yet',
  iat: 'the token was issued in the future',
} as const;

export type Claims = Readonly<Record<string, unknown>>;

/** The issuer and the audience that a token must have. */
export interface TokenExpectations {
  readonly issuer: string;
  readonly audience: string;
}

/** The last second that a `Date` can represent: later values would make a token valid forever. */
const MAX_SECONDS = 8.64e12;

/**
 * Checks the claims of every token, whichever issuer it has.
 * @param now milliseconds since 1970
 * @throws TokenRejectedError
 */
export function checkSharedClaims(claims: Claims, now: number): void {
  const { sub, aud } = claims;
  if (typeof sub !== 'string' || sub === '') throw createInvalidError('the token has no subject (sub)');
  if (Array.isArray(aud) && aud.some(value => typeof value !== 'string')) throw createInvalidError(CLAIM_ERRORS.aud);
  checkKind(claims);
  checkTimes(claims, now);
}

/**
 * Checks the claims that are present in the token; introspection may provide missing ones.
 * @param now milliseconds since 1970
 * @throws TokenRejectedError
 */
export function checkDeclared(claims: Claims, { issuer, audience }: TokenExpectations, now: number): void {
  const { iss, aud } = claims;
  if (iss !== undefined && iss !== issuer) throw createInvalidError(CLAIM_ERRORS.iss);
  if (aud !== undefined && aud !== audience && !(Array.isArray(aud) && aud.includes(audience)))
    throw createInvalidError(CLAIM_ERRORS.aud);
  checkTimes(claims, now);
}

/**
 * Refuses tokens that are not bearer access tokens, even if they are valid otherwise.
 * @throws TokenRejectedError
 */
export function checkKind(claims: Claims): void {
  const { cnf, events, typ } = claims;
  // Security event tokens, such as logout tokens, may lack a type (RFC 8417, section 2.2). Keycloak has the type in a claim.
  const isOther = events !== undefined || (typeof typ === 'string' && /^(id|refresh|offline|logout)$/i.test(typ));
  if (isOther || isIdToken(claims)) throw createInvalidError(NOT_FOR_ACCESS);
  // A token that is bound to a key (RFC 7800) requires a proof of possession, which bearer tokens do not carry.
  if (cnf !== undefined) throw createInvalidError('the token is bound to a key (cnf), which is not supported');
}

export const NOT_FOR_ACCESS = 'the token is not an access token';

/** Claims that only ID tokens have (OpenID Connect Core 1.0, sections 2 and 3.3.2.11). Access tokens have a client or scopes. */
function isIdToken({ nonce, at_hash, c_hash, client_id, azp, scope, scp }: Claims): boolean {
  const isMarked = [nonce, at_hash, c_hash].some(claim => claim !== undefined);
  return isMarked && ![client_id, azp, scope, scp].some(isNonEmpty);
}

function isNonEmpty(claim: unknown): boolean {
  return (typeof claim === 'string' || Array.isArray(claim)) && claim.length > 0;
}

/**
 * An expired token is refused without tolerance, and its streams are closed, because the client can get a new token. Times beyond every `Date`
 * are refused as well: JSON parses `1e400` as infinity.
 */
function checkTimes(claims: Claims, now: number): void {
  const seconds = now / 1000;
  for (const name of ['exp', 'nbf', 'iat'] as const) {
    const at = claims[name];
    if (at === undefined) continue;
    if (typeof at !== 'number' || !(Math.abs(at) <= MAX_SECONDS))
      throw createInvalidError(`the token has an unusable ${name}`);
    const isWrong = name === 'exp' ? at <= seconds : at > Math.floor(seconds) + CLOCK_TOLERANCE_SECONDS;
    if (isWrong) throw createInvalidError(CLAIM_ERRORS[name]);
  }
}
