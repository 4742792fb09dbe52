/** A key set (RFC 7517) as it is looked up. Loaded with the first set: `jose` comes with it. */
import { createLocalJWKSet, type JWK } from 'jose';

/** Ceiling on the keys of a set; one that has more is refused as a whole. */
export const MAX_KEYS = 1_000;

/** All keys of a set that have one id. */
export interface VerificationKey {
  /** The key for a token's algorithm. */
  readonly resolve: ReturnType<typeof createLocalJWKSet>;
  /** Equal for equal keys. */
  readonly fingerprint: string;
  /** A later set does not have it. */
  isWithdrawn: boolean;
}

/**
 * The keys of a set by id. Keys without an id are left out, since tokens have to name theirs, and so are those of other
 * families; a set where nothing is left is refused: that is a fault of the provider, not a rotation.
 *
 * @throws Error that says what is wrong with the set
 */
export function readKeySet(text: string): ReadonlyMap<string, VerificationKey> {
  const keys = keysOf(text);
  if (keys.length > MAX_KEYS) throw new Error(`the key set has more than ${MAX_KEYS} keys`);
  const byId = new Map<string, JWK[]>();
  for (const key of keys) {
    if (!isUsable(key)) continue;
    const same = byId.get(key.kid);
    if (same === undefined) byId.set(key.kid, [key]);
    else same.push(key);
  }
  if (byId.size === 0) throw new Error('the key set has no RSA or EC key with an id (kid)');
  return new Map(
    [...byId].map(([kid, same]) => [
      kid,
      { resolve: createLocalJWKSet({ keys: same }), fingerprint: JSON.stringify(same), isWithdrawn: false },
    ]),
  );
}

function keysOf(text: string): readonly unknown[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error('the key set is not JSON');
  }
  const { keys } = (document ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys');
  return keys;
}

function isUsable(key: unknown): key is JWK & { kid: string } {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, kid } = key as JWK;
  return (kty === 'RSA' || kty === 'EC') && typeof kid === 'string' && kid !== '';
}
