/** Secrets of clients, of which only a digest is kept: they are random, so that a fast one is enough. */
import { createHash, timingSafeEqual } from 'node:crypto';

export function digestOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** In a time that does not reveal how much of it is right. */
export function isSecret(actual: string, digest: string): boolean {
  return timingSafeEqual(Buffer.from(digestOfSecret(actual)), Buffer.from(digest.padEnd(43).slice(0, 43)));
}
