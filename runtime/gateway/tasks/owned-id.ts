/**
 * Whose a task of a stateless caller is. Nobody keeps a session there, so the id itself is sealed for its owner: to somebody
 * else it leads nowhere, however it got into their hands. Callers that nobody authenticated are all the same one: their ids
 * have no seal.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Identity } from '../../auth/identity.ts';

/** Of this process: another one, or the next, does not know its seals. */
const KEY = randomBytes(32);

/** Characters of a seal: 16 bytes in base64url. */
const SEAL_LENGTH = 22;

/** A backend's id of a task as its owner gets to know it. */
export function sealedId(backend: string, id: string, owner: Identity): string {
  return owner.caller === undefined ? id : `${sealOf(backend, id, owner)}:${id}`;
}

/** The backend's own id, or undefined when it is not one of this caller. */
export function unsealedId(backend: string, sealed: string, caller: Identity): string | undefined {
  if (caller.caller === undefined) return sealed;
  const id = sealed.slice(SEAL_LENGTH + 1);
  const given = Buffer.from(sealed.slice(0, SEAL_LENGTH + 1));
  const expected = Buffer.from(`${sealOf(backend, id, caller)}:`);
  return given.length === expected.length && timingSafeEqual(given, expected) ? id : undefined;
}

function sealOf(backend: string, id: string, { key }: Identity): string {
  return createHmac('sha256', KEY)
    .update(JSON.stringify([key, backend, id]))
    .digest('base64url')
    .slice(0, SEAL_LENGTH);
}
