/** RSA and ECDSA. Never `none`, and never HMAC: its key would be the public one (RFC 8725, 2.1). */
export const ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
];

/**
 * Algorithms of tokens that this process issues itself, and of issuers that its authorization server trusts: their keys may be Ed25519,
 * too.
 */
export const ALGORITHMS_AND_EDDSA: readonly string[] = [...ALGORITHMS, 'EdDSA'];
