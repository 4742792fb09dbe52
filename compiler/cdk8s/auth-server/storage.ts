import type { VirtualMCPServerSpec } from '#schemas';
import type { RedisAtAddress, RedisBehindSentinels, RedisTls } from '../redis.ts';
import { toManifestValue } from '../values/manifest-value.ts';
import type { Period } from '../values/period.ts';
import type { SecretKey } from '../values/secret.ts';

type StorageSpec = NonNullable<NonNullable<VirtualMCPServerSpec['authServerConfig']>['storage']>;
type WrittenRedis = NonNullable<StorageSpec['redis']>;

interface CommonStorageProps {
  readonly password: SecretKey;
  /** The user's name. Without it, for servers that support only a password. */
  readonly username?: SecretKey;
  /** Maximum time to connect. Default: `5s`. */
  readonly dialTimeout?: Period;
  /** Maximum time to wait for an answer. Default: `3s`. */
  readonly readTimeout?: Period;
  /** Maximum time to send a request. Default: `3s`. */
  readonly writeTimeout?: Period;
  /** TLS to the server or master. Absent: plain text. */
  readonly tls?: RedisTls;
}

/** A Redis given by its address (standalone or a cluster node) or by its sentinels. */
export type AuthServerRedis = CommonStorageProps & (RedisAtAddress | RedisBehindSentinels);

/** Memory forgets clients, codes and tokens at restart; Redis keeps them and is shared. */
export type AuthServerStorage = 'memory' | { readonly redis: AuthServerRedis };

export function storageBlock(storage: AuthServerStorage): StorageSpec {
  if (storage === 'memory') return { type: 'memory' };
  const { address: addr, sentinels: sentinelConfig, password, username, ...rest } = storage.redis;
  const aclUserConfig = { passwordSecretRef: password, usernameSecretRef: username };
  return { type: 'redis', redis: toManifestValue({ addr, sentinelConfig, aclUserConfig, ...rest }) as WrittenRedis };
}
