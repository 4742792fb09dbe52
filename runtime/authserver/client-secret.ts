/** Digests of client secrets, because the store holds no secrets. The secrets are random, so a fast hash is enough. */
import { createHash, timingSafeEqual } from 'node:crypto';

export function digestSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Compares in constant time. */
export function isSecret(actual: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestSecret(actual)), Buffer.from(digest.padEnd(43).slice(0, 43)));
}
