import type { VirtualMCPServerSpec } from '#schemas';
import type { RedisAtAddress, RedisBehindSentinels, RedisTls } from '../redis.ts';
import type { Period } from '../values/period.ts';
import type { SecretKey } from '../values/secret.ts';
import { toManifestValue } from '../values/written.ts';

type Written = NonNullable<NonNullable<VirtualMCPServerSpec['authServerConfig']>['storage']>;
type WrittenRedis = NonNullable<Written['redis']>;

interface Common {
  readonly password: SecretKey;
  /** Without it servers that know a password only. */
  readonly username?: SecretKey;
  /** Longest wait for a connection. Default: `5s`. */
  readonly dialTimeout?: Period;
  /** Longest wait for an answer. Default: `3s`. */
  readonly readTimeout?: Period;
  /** Longest wait until a request is sent. Default: `3s`. */
  readonly writeTimeout?: Period;
  /** Toward the server or master. Absent: plain text. */
  readonly tls?: RedisTls;
}

/** A Redis by its address, alone or one of a cluster, or through sentinels. */
export type AuthServerRedis = Common & (RedisAtAddress | RedisBehindSentinels);

/** Memory forgets clients, codes and tokens at restart; Redis keeps them and is shared. */
export type AuthServerStorage = 'memory' | { readonly redis: AuthServerRedis };

export function storageBlock(storage: AuthServerStorage): Written {
  if (storage === 'memory') return { type: 'memory' };
  const { address: addr, sentinels: sentinelConfig, password, username, ...rest } = storage.redis;
  const aclUserConfig = { passwordSecretRef: password, usernameSecretRef: username };
  return { type: 'redis', redis: toManifestValue({ addr, sentinelConfig, aclUserConfig, ...rest }) as WrittenRedis };
}
