/** The leaves of rate limits. They decide how often calls are answered, not whose. */
import { availability, destination, type Leaves, NONE, prefixLeaves } from './leaf.ts';
import { hasRedisPassword, REDIS_LEAVES } from './redis-leaves.ts';
import { secretDestinationPart } from './secret-leaves.ts';

const BUCKET: Leaves = {
  '': availability(),
  '.maxTokens': availability(),
  '.refillPeriodMs': availability(),
};

export const RATE_LIMIT_LEAVES: Leaves = {
  '': availability(),
  '.store': secretDestinationPart(hasRedisPassword),
  ...prefixLeaves('.store.redis', REDIS_LEAVES),
  '.store.keyPrefix': destination(),
  ...prefixLeaves('.shared', BUCKET),
  ...prefixLeaves('.perUser', BUCKET),
  '.tools[]': availability(),
  // Sorted by name.
  '.tools[#]': NONE,
  '.tools[].name': availability(),
  ...prefixLeaves('.tools[].shared', BUCKET),
  ...prefixLeaves('.tools[].perUser', BUCKET),
};
