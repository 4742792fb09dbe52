/** The leaves of one Redis and how it is reached. */
import { getMember } from '#schemas';
import type { Alarm } from '../difference/difference.ts';
import { availability, compareByRank, destination, type Leaves, prefixLeaves, trust } from './leaf.ts';
import { calmCredential, hasMember, SECRET_SOURCE_LEAVES, secret, secretDestination } from './secret-leaves.ts';

const TLS: Leaves = {
  '': trust(),
  '.ca': trust(),
  '.ca.env': trust(),
  '.ca.file': trust(),
  '.insecureSkipVerify': compareByRank('trust', [false, true]),
};

const hasPassword = (redis: unknown): boolean => hasMember(redis, 'password');

/** Whether the holder of a Redis, such as a session storage, has a password for it. */
export function hasRedisPassword(holder: unknown): boolean {
  return hasPassword(getMember(holder, 'redis'));
}

function findModeAlarm(was: unknown, redis: unknown): Alarm | undefined {
  if (!hasPassword(redis)) return undefined;
  return was === undefined ? 'newCredential' : 'otherHost';
}

export const REDIS_LEAVES: Leaves = {
  // The alarm for all addresses: if the mode differs, the leaves of the addresses are not compared.
  '.mode': { ...destination(), alarm: ({ was, holders }) => findModeAlarm(was, holders.is) },
  '.addresses': secretDestination(hasPassword),
  '.masterName': destination(),
  '.db': destination(),
  '.username': secret(),
  ...prefixLeaves('.username', SECRET_SOURCE_LEAVES),
  '.password': secret(),
  ...prefixLeaves('.password', SECRET_SOURCE_LEAVES),
  '.mayLackPassword': calmCredential('whether a password may be missing says nothing of who gets it'),
  ...prefixLeaves('.tls', TLS),
  ...prefixLeaves('.sentinelTls', TLS),
  '.timeouts.dialMs': availability(),
  '.timeouts.readMs': availability(),
  '.timeouts.writeMs': availability(),
};
