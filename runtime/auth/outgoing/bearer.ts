import { CredentialError } from './credential.ts';

/** Visible ASCII without spaces: RFC 6749, appendix A.12, restricted by RFC 6750. */
const TOKEN = /^[\x21-\x7e]+$/;

export function isBearerToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value);
}

/**
 * The header of RFC 6750, section 2.1, as name and value.
 * @throws CredentialError for a token that is not a valid header value
 */
export function toBearerHeader(strategy: string, token: string): readonly string[] {
  if (isBearerToken(token)) return ['Authorization', `Bearer ${token}`];
  throw new CredentialError('gateway', `${strategy}: the token has characters that no header may have`);
}
