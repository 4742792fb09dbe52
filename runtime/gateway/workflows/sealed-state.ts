/**
 * What is kept of a run while its client is away, so that only who has the secret can read it, and only for the same caller and call.
 * The client has the secret as its `requestState`; the store has neither the secret nor what it opens.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** The call that a state belongs to. */
export interface StateOwner {
  /** `Identity.key` of the caller. */
  readonly owner: string;
  readonly workflow: string;
  /** `argumentsDigest` of the call. */
  readonly about: string;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function seal(text: string, secret: string, owner: StateOwner): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secret), iv).setAAD(aadOf(owner));
  const sealed = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...sealed]).toString('base64');
}

/** Undefined for what was sealed with another secret, or for another call. */
export function unseal(sealed: string, secret: string, owner: StateOwner): string | undefined {
  try {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv(CIPHER, keyOf(secret), bytes.subarray(0, IV_BYTES)).setAAD(aadOf(owner));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'lintel workflow state', 32));
}

function aadOf({ owner, workflow, about }: StateOwner): Buffer {
  return Buffer.from(JSON.stringify([owner, workflow, about]));
}
