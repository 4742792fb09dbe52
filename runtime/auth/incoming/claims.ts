import { CLOCK_TOLERANCE_SECONDS } from './accepted-token.ts';
import { invalid } from './token-rejected.ts';

/** What is wrong when a claim is not what it has to be. */
export const CLAIM_ERRORS = {
  iss: 'the token is from another issuer',
  aud: 'the token is for another audience',
  exp: 'the token has expired',
  nbf: 'the token is not valid yet',
  iat: 'the token was issued in the future',
} as const;

export type Claims = Readonly<Record<string, unknown>>;

/** What a token has to be for. */
export interface TokenExpectations {
  readonly issuer: string;
  readonly audience: string;
}

/** The last second that a `Date` can express: a later one is no date, and would count forever. */
const MAX_SECONDS = 8.64e12;

/**
 * What holds for the claims of every token, whichever issuer vouches for them.
 *
 * @param now milliseconds since 1970
 * @throws TokenRejectedError
 */
export function checkSharedClaims(claims: Claims, now: number): void {
  const { sub, aud } = claims;
  if (typeof sub !== 'string' || sub === '') throw invalid('the token names no subject (sub)');
  if (Array.isArray(aud) && aud.some(one => typeof one !== 'string')) throw invalid(CLAIM_ERRORS.aud);
  checkKind(claims);
  checkTimes(claims, now);
}

/**
 * What a token declares must hold; what it does not declare may be found elsewhere.
 *
 * @param now milliseconds since 1970
 * @throws TokenRejectedError
 */
export function checkDeclared(claims: Claims, { issuer, audience }: TokenExpectations, now: number): void {
  const { iss, aud } = claims;
  if (iss !== undefined && iss !== issuer) throw invalid(CLAIM_ERRORS.iss);
  if (aud !== undefined && aud !== audience && !(Array.isArray(aud) && aud.includes(audience)))
    throw invalid(CLAIM_ERRORS.aud);
  checkTimes(claims, now);
}

/**
 * Refuses what no bearer may use for access, whatever else it proves.
 *
 * @throws TokenRejectedError
 */
export function checkKind(claims: Claims): void {
  const { cnf, events, typ } = claims;
  // Security event tokens, such as logout tokens, may do without a type (RFC 8417, section 2.2). Keycloak names the type in a claim.
  const isOther = events !== undefined || (typeof typ === 'string' && /^(id|refresh|offline|logout)$/i.test(typ));
  if (isOther || isIdToken(claims)) throw invalid(NOT_FOR_ACCESS);
  // A token that only the holder of a key may use (RFC 7800) is worth nothing without the proof, and bearers give none.
  // A token that only the holder of a key may use (RFC 7800) is worth nothing without the proof, and bearers give none.
  if (cnf !== undefined) throw invalid('the token is bound to a key (cnf), which is not supported');
}

export const NOT_FOR_ACCESS = 'the token is not an access token';

/** Claims of ID tokens only (OpenID Connect Core 1.0, sections 2 and 3.3.2.11). Access tokens say for which client or scope they are. */
function isIdToken({ nonce, at_hash, c_hash, client_id, azp, scope, scp }: Claims): boolean {
  const isMarked = [nonce, at_hash, c_hash].some(claim => claim !== undefined);
  return isMarked && ![client_id, azp, scope, scp].some(isNonEmpty);
}

function isNonEmpty(claim: unknown): boolean {
  return (typeof claim === 'string' || Array.isArray(claim)) && claim.length > 0;
}

/**
 * A token that has ended is refused at once, as the streams that it opened are ended: its client has another one to ask for. JSON has numbers
 * beyond all dates: `1e400` is read as infinity.
 */
function checkTimes(claims: Claims, now: number): void {
  const seconds = now / 1000;
  for (const name of ['exp', 'nbf', 'iat'] as const) {
    const at = claims[name];
    if (at === undefined) continue;
    if (typeof at !== 'number' || !(Math.abs(at) <= MAX_SECONDS)) throw invalid(`the token has an unusable ${name}`);
    const isWrong = name === 'exp' ? at <= seconds : at > Math.floor(seconds) + CLOCK_TOLERANCE_SECONDS;
    if (isWrong) throw invalid(CLAIM_ERRORS[name]);
  }
}
