import { invalid } from './token-rejected.ts';

/** What is wrong when a claim is not what it has to be. */
export const FLAWS = {
  iss: 'the token is from another issuer',
  aud: 'the token is for another audience',
  exp: 'the token has expired',
  nbf: 'the token is not valid yet',
} as const;

/**
 * What holds for the claims of every token, whoever vouches for them.
 *
 * @throws TokenRejectedError
 */
export function checkSharedClaims(claims: Readonly<Record<string, unknown>>): void {
  const { sub, aud, cnf } = claims;
  if (typeof sub !== 'string' || sub === '') throw invalid('the token names no subject (sub)');
  if (Array.isArray(aud) && aud.some(one => typeof one !== 'string')) throw invalid(FLAWS.aud);
  // A token that only the holder of a key may use (RFC 7800) is worth nothing without the proof, and bearers give none.
  if (cnf !== undefined) throw invalid('the token is bound to a key (cnf), which is not supported');
}
