/** Names within a length. */
import { digestOf } from '#schemas';

const HASH_DIGITS = 8;

/** `plain` where that fits, else its beginning and a hash of all of it: two long names that begin alike stay two. */
export function shortName(plain: string, max: number): string {
  if (plain.length <= max) return plain;
  const hash = digestOf(plain).slice('sha256:'.length).slice(0, HASH_DIGITS);
  return `${plain.slice(0, max - HASH_DIGITS - 1).replace(/[-.]+$/, '')}-${hash}`;
}
