/** The leaves of rate limits. They decide how often callers may call: a limit that is raised or removed lets callers call more. */
import { getMember } from '#schemas';
import type { Effect } from '../difference/difference.ts';
import {
  access,
  type Comparison,
  closes,
  destination,
  type LeafChange,
  type Leaves,
  NONE,
  prefixLeaves,
} from './leaf.ts';
import { hasRedisPassword, REDIS_LEAVES } from './redis-leaves.ts';
import { hasMember, isPresent, secretDestinationPart } from './secret-leaves.ts';

/** A number with which callers may call more often, or less often. */
function compareNumber(more: 'wider' | 'narrower'): Comparison {
  const less = more === 'wider' ? 'narrower' : 'wider';
  const effect = ({ was, is }: LeafChange): Effect => {
    if (typeof was !== 'number' || typeof is !== 'number') return 'mixed';
    return is > was ? more : less;
  };
  return { meaning: 'availability', effect };
}

const LIMIT = closes('availability');

/** Where the limits of all replicas are counted. */
const STORE = secretDestinationPart(hasRedisPassword);

/** The comparison of limits. If they are new, this leaf also raises the alarm for what is sent to the store that counts. */
const LIMITS: Comparison = {
  meaning: 'availability',
  effect: change => {
    const isNew = !isPresent(change.was);
    if (isNew && hasMember(change.is, 'store')) return 'mixed';
    return isNew ? 'narrower' : isPresent(change.is) ? 'mixed' : 'wider';
  },
  alarm: ({ was, is, plans }) =>
    isPresent(was)
      ? undefined
      : STORE.alarm?.({ was: undefined, is: getMember(is, 'store'), holders: { was: undefined, is }, plans }),
};

const BUCKET: Leaves = {
  '': LIMIT,
  '.maxTokens': compareNumber('wider'),
  '.refillPeriodMs': compareNumber('narrower'),
};

export const RATE_LIMIT_LEAVES: Leaves = {
  '': LIMITS,
  '.store': STORE,
  ...prefixLeaves('.store.redis', REDIS_LEAVES),
  '.store.keyPrefix': destination(),
  ...prefixLeaves('.shared', BUCKET),
  ...prefixLeaves('.perUser', BUCKET),
  '.tools[]': LIMIT,
  // The limits of tools are sorted by name, so their order means nothing.
  '.tools[#]': NONE,
  '.tools[].name': access(),
  ...prefixLeaves('.tools[].shared', BUCKET),
  ...prefixLeaves('.tools[].perUser', BUCKET),
};
