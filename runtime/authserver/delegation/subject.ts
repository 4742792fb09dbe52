/** The subject of another issuer's token in this server. */
import { stableUuid } from '../upstream/person.ts';

/**
 * The `sub` for a subject of a trusted issuer: always the same, and never that of a person who signs in here, because a foreign issuer may
 * choose any text.
 */
export function foreignSubject(issuer: string, subject: string): string {
  return stableUuid(['trusted issuer', issuer, subject]);
}
