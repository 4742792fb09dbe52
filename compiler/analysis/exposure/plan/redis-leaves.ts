/** The leaves of one Redis and how it is reached. */
import { at, availability, credential, destination, type Leaves, ranked, trust } from './leaf.ts';
import { SECRET_SOURCE_LEAVES } from './token-provider-leaves.ts';

const TLS: Leaves = {
  '': trust(),
  '.ca': trust(),
  ...at('.ca', SECRET_SOURCE_LEAVES),
  '.insecureSkipVerify': ranked('trust', [false, true]),
};

export const REDIS_LEAVES: Leaves = {
  '.mode': destination(),
  '.addresses': destination(),
  '.masterName': destination(),
  '.db': destination(),
  '.username': credential(),
  ...at('.username', SECRET_SOURCE_LEAVES),
  '.password': credential(),
  ...at('.password', SECRET_SOURCE_LEAVES),
  '.mayLackPassword': credential(),
  ...at('.tls', TLS),
  ...at('.sentinelTls', TLS),
  '.timeouts.dialMs': availability(),
  '.timeouts.readMs': availability(),
  '.timeouts.writeMs': availability(),
};
