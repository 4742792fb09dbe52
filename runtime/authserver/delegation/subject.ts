/** The subject of another issuer's token in this server. */
import { deriveUuid } from '../upstream/person.ts';

/**
 * The `sub` for a subject of a trusted issuer: always the same, and never that of a person who signs in here, because a foreign issuer may
 * choose any text.
 */
export function toForeignSubject(issuer: string, subject: string): string {
  return deriveUuid(['trusted issuer', issuer, subject]);
}
