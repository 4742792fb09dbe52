/** Signing keys of access tokens: the first signs, all verify. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';

export interface SigningKey {
  readonly algorithm: string;
  readonly kid: string;
  /** The key as a JSON Web Key, including its private members. */
  readonly jwk: JWK;
}

const CURVES: { readonly [curve: string]: string } = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' };

/** Minimum size of an RSA key, in bits. */
const MIN_RSA_BITS = 2048;

const PRIVATE_MEMBERS: ReadonlySet<string> = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth']);

/** Why a PEM text is not a valid signing key, as the end of a sentence; undefined when it is. */
export function findSigningKeyProblem(pem: string): string | undefined {
  try {
    chooseAlgorithm(createPrivateKey(pem));
    return undefined;
  } catch (error) {
    return error instanceof KeyProblem ? error.message : 'has no private key in PEM form';
  }
}

export async function readSigningKey(pem: string): Promise<SigningKey> {
  return createSigningKey(createPrivateKey(pem));
}

/** Generates a key for a server without a configured key. Its signatures become invalid when the process ends. */
export function makeSigningKey(): Promise<SigningKey> {
  return createSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
}

/** The key set that verifiers fetch (RFC 7517). */
export function formatPublicKeySet(keys: readonly SigningKey[]): string {
  return JSON.stringify({
    keys: keys.map(({ jwk }) => Object.fromEntries(Object.entries(jwk).filter(([name]) => !PRIVATE_MEMBERS.has(name)))),
  });
}

class KeyProblem extends Error {}

async function createSigningKey(key: KeyObject): Promise<SigningKey> {
  const algorithm = chooseAlgorithm(key);
  const jwk = key.export({ format: 'jwk' }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  return { algorithm, kid, jwk: { ...jwk, alg: algorithm, use: 'sig', kid } };
}

function chooseAlgorithm(key: KeyObject): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ed25519') return 'EdDSA';
  if (type === 'rsa') {
    if ((details?.modulusLength ?? 0) >= MIN_RSA_BITS) return 'RS256';
    throw new KeyProblem(`has an RSA key of less than ${MIN_RSA_BITS} bits`);
  }
  const algorithm = type === 'ec' ? CURVES[(key.export({ format: 'jwk' }) as JWK).crv ?? ''] : undefined;
  if (algorithm === undefined)
    throw new KeyProblem('has a key of another type than RSA, P-256, P-384, P-521 and Ed25519');
  return algorithm;
}
