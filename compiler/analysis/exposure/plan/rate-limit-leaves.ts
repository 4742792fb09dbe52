/** The leaves of rate limits. They decide how often calls are answered, not whose. */
import { at, availability, destination, type Leaves, NONE } from './leaf.ts';
import { REDIS_LEAVES } from './redis-leaves.ts';

const BUCKET: Leaves = {
  '': availability(),
  '.maxTokens': availability(),
  '.refillPeriodMs': availability(),
};

export const RATE_LIMIT_LEAVES: Leaves = {
  '': availability(),
  '.store': destination(),
  ...at('.store.redis', REDIS_LEAVES),
  '.store.keyPrefix': destination(),
  ...at('.shared', BUCKET),
  ...at('.perUser', BUCKET),
  '.tools[]': availability(),
  // Sorted by name.
  '.tools[#]': NONE,
  '.tools[].name': availability(),
  ...at('.tools[].shared', BUCKET),
  ...at('.tools[].perUser', BUCKET),
};
