/** Who a token of another issuer is about, here. */
import { stableUuid } from '../upstream/person.ts';

/**
 * `sub` of our tokens for a subject of a trusted issuer: the same each time, and never that of a person who signs in here, for any
 * issuer writes.
 */
export function foreignSubject(issuer: string, subject: string): string {
  return stableUuid(['trusted issuer', issuer, subject]);
}
