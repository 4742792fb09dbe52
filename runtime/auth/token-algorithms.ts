/** RSA and ECDSA. Never `none`, and never HMAC, which an attacker could compute with the public key (RFC 8725, section 2.1). */
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

/** Algorithms of tokens that this process issues, and of its trusted issuers, whose keys may also be Ed25519. */
export const ALGORITHMS_AND_EDDSA: readonly string[] = [...ALGORITHMS, 'EdDSA'];
