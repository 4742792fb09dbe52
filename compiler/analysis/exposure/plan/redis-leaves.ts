/** The leaves of one Redis and how it is reached. */
import { availability, compareByRank, credential, destination, type Leaves, prefixLeaves, trust } from './leaf.ts';
import { SECRET_SOURCE_LEAVES } from './token-provider-leaves.ts';

const TLS: Leaves = {
  '': trust(),
  '.ca': trust(),
  ...prefixLeaves('.ca', SECRET_SOURCE_LEAVES),
  '.insecureSkipVerify': compareByRank('trust', [false, true]),
};

export const REDIS_LEAVES: Leaves = {
  '.mode': destination(),
  '.addresses': destination(),
  '.masterName': destination(),
  '.db': destination(),
  '.username': credential(),
  ...prefixLeaves('.username', SECRET_SOURCE_LEAVES),
  '.password': credential(),
  ...prefixLeaves('.password', SECRET_SOURCE_LEAVES),
  '.mayLackPassword': credential(),
  ...prefixLeaves('.tls', TLS),
  ...prefixLeaves('.sentinelTls', TLS),
  '.timeouts.dialMs': availability(),
  '.timeouts.readMs': availability(),
  '.timeouts.writeMs': availability(),
};
