import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Whom a session belongs to. Its id alone opens nothing to someone else: each request must come from the identity that
 * the session was opened by.
 */
export interface IdentityBinding {
  readonly digest: Buffer;
}

/** The binding of a session that was opened without authentication. */
export const UNAUTHENTICATED: IdentityBinding = bindingOf('unauthenticated');

/** @param identity Issuer and subject, or what else stands for one caller and no other. */
export function bindingOf(identity: string): IdentityBinding {
  return { digest: hash('sha256', identity, 'buffer') };
}

/** Compares in constant time: digests have one length, whatever the identities are. */
export function isSameIdentity(a: IdentityBinding, b: IdentityBinding): boolean {
  return a === b || timingSafeEqual(a.digest, b.digest);
}
