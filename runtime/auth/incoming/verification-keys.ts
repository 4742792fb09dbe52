/** A key set (RFC 7517) with lookup. Loaded with the first set, together with `jose`. */
import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from 'jose';

/** Maximum number of keys in a set; a larger set is refused. */
export const MAX_KEYS = 1_000;

/**
 * The keys of a set by id. `WITHOUT_ID` has the keys without an id, for tokens with an unknown id; `ALL` has all keys, for tokens without an id.
 * If several keys match a token, `resolve` refuses it rather than trying each.
 */
export type VerificationKeys = ReadonlyMap<KeyId, VerificationKey>;
export type KeyId = string | typeof WITHOUT_ID | typeof ALL;
export const WITHOUT_ID: unique symbol = Symbol('keys without an id');
export const ALL: unique symbol = Symbol('all keys');

/** All keys of a set for one id. */
export interface VerificationKey {
  /** Finds the only key for a token's algorithm. */
  readonly resolve: JWTVerifyGetKey;
  readonly count: number;
  /** A text that is the same for the same keys. */
  readonly fingerprint: string;
  /** Whether the provider's current key set no longer contains the key. */
  isWithdrawn: boolean;
}

/** The key for a token. */
export function selectKey(keys: VerificationKeys, kid: string | undefined): VerificationKey | undefined {
  return kid === undefined ? keys.get(ALL) : (keys.get(kid) ?? keys.get(WITHOUT_ID));
}

/**
 * Keys of unsupported types are ignored; a set without any supported key is refused, as a fault of the provider rather than a rotation.
 *
 * @param takesEd25519 whether keys of Ed25519 count as well
 * @throws Error that says what is wrong with the set
 */
export function readKeySet(text: string, takesEd25519 = false): VerificationKeys {
  const keys = parseKeys(text);
  if (keys.length > MAX_KEYS) throw new Error(`the key set has more than ${MAX_KEYS} keys`);
  const usable = keys.filter(key => isUsable(key, takesEd25519));
  if (usable.length === 0) throw new Error('the key set has no RSA or EC key');
  const byId = new Map<KeyId, JWK[]>([[ALL, usable]]);
  for (const key of usable) {
    const id = key.kid ?? WITHOUT_ID;
    const same = byId.get(id);
    if (same === undefined) byId.set(id, [key]);
    else same.push(key);
  }
  return new Map([...byId].map(([id, same]) => [id, createVerificationKey(same, id === WITHOUT_ID)]));
}

/** @param ignoresId whether the keys apply to tokens with any id */
function createVerificationKey(keys: JWK[], ignoresId: boolean): VerificationKey {
  const resolve = createLocalJWKSet({ keys });
  return {
    resolve: ignoresId ? ({ kid: _, ...header }, token) => resolve(header, token) : resolve,
    count: keys.length,
    fingerprint: JSON.stringify(keys),
    isWithdrawn: false,
  };
}

function parseKeys(text: string): readonly unknown[] {
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

function isUsable(key: unknown, takesEd25519: boolean): key is JWK {
  if (typeof key !== 'object' || key === null) return false;
  const { kty, crv, kid } = key as JWK;
  return (
    (kty === 'RSA' || kty === 'EC' || (takesEd25519 && kty === 'OKP' && crv === 'Ed25519')) &&
    (kid === undefined || (typeof kid === 'string' && kid !== ''))
  );
}
