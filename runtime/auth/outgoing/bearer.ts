import { CredentialError } from './credential.ts';

/** Visible ASCII: RFC 6749, appendix A.12, without the blank, which RFC 6750 does not let into a header. */
const TOKEN = /^[\x21-\x7e]+$/;

export function isBearerToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

/**
 * The header of RFC 6750, section 2.1; a name and its value.
 *
 * @throws CredentialError for a token that would not stay within its header
 */
export function bearer(strategy: string, token: string): readonly string[] {
  if (isBearerToken(token)) return ['Authorization', `Bearer ${token}`];
  throw new CredentialError('gateway', `${strategy}: the token has characters that no header may have`);
}
