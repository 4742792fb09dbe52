/**
 * The ownership of a stateless caller's task. Without a session, the id itself is sealed for its owner: no other caller can use it, even one
 * that knows it. All anonymous callers are one owner: their ids have no seal.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Identity } from '../../auth/identity.ts';

/** Characters of a seal: 16 bytes in base64url. */
const SEAL_LENGTH = 22;

/** A backend's task id in its owner's form. Sealing with the same key gives the same id. */
export function sealId(key: Buffer, backend: string, id: string, owner: Identity): string {
  return owner.caller === undefined ? id : `${computeSeal(key, backend, id, owner)}:${id}`;
}

/** The backend's own id, or undefined when none of the keys sealed it for this caller. */
export function unsealId(
  keys: readonly Buffer[],
  backend: string,
  sealed: string,
  caller: Identity,
): string | undefined {
  if (caller.caller === undefined) return sealed;
  const id = sealed.slice(SEAL_LENGTH + 1);
  const seal = Buffer.from(sealed.slice(0, SEAL_LENGTH + 1));
  const isSealed = keys.some(key => {
    const expected = Buffer.from(`${computeSeal(key, backend, id, caller)}:`);
    return seal.length === expected.length && timingSafeEqual(seal, expected);
  });
  return isSealed ? id : undefined;
}

function computeSeal(key: Buffer, backend: string, id: string, owner: Identity): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([owner.key, backend, id]))
    .digest('base64url')
    .slice(0, SEAL_LENGTH);
}
