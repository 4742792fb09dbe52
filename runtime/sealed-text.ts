/** Encrypts texts with AES-256-GCM (NIST SP 800-38D): only the holder of the key can read them, and only for the same purpose. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The size of a key, in bytes. */
export const SEAL_KEY_BYTES = 32;

/**
 * Encrypts a text. Returns nonce, tag and cipher text in base64url.
 *
 * @param purpose authenticated together with the text, which cannot be opened for another purpose
 */
export function sealText(text: string, key: Buffer, purpose: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(purpose));
  const sealed = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url');
}

/** Decrypts a text; undefined if it was encrypted with another key or for another purpose, or if it was changed. */
export function openText(sealed: string, key: Buffer, purpose: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  const [nonce, tag, text] = [
    bytes.subarray(0, NONCE_BYTES),
    bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    bytes.subarray(NONCE_BYTES + TAG_BYTES),
  ];
  // A shorter tag would be easier to guess, and makes Node throw an error.
  if (tag.length < TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
