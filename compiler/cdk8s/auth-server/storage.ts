import type { VirtualMCPServerSpec } from '#schemas';
import type { Period } from '../values/period.ts';
import type { SecretKey } from '../values/secret.ts';
import { type Referring, written } from '../values/written.ts';

type Written = NonNullable<NonNullable<VirtualMCPServerSpec['authServerConfig']>['storage']>;
type WrittenRedis = NonNullable<Written['redis']>;
type Tls = Referring<NonNullable<WrittenRedis['tls']>>;

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
  readonly tls?: Tls;
}

interface Sentinels {
  /** Name of the master that the sentinels watch. */
  readonly masterName: string;
  /** Number of the database. Default: 0. */
  readonly db?: number;
}

/** Sentinels by their addresses, or by the Service that leads to them. */
export type RedisSentinels = Sentinels &
  (
    | {
        readonly sentinelAddrs: readonly [`${string}:${number}`, ...`${string}:${number}`[]];
        readonly sentinelService?: never;
      }
    | {
        readonly sentinelService: NonNullable<NonNullable<WrittenRedis['sentinelConfig']>['sentinelService']>;
        readonly sentinelAddrs?: never;
      }
  );

/** A Redis by its address, alone or one of a cluster, or through sentinels. */
export type AuthServerRedis = Common &
  (
    | {
        readonly address: `${string}:${number}`;
        readonly clusterMode?: boolean;
        readonly sentinels?: never;
        readonly sentinelTls?: never;
      }
    | {
        readonly sentinels: RedisSentinels;
        /** Toward the sentinels. Absent: plain text. */
        readonly sentinelTls?: Tls;
        readonly address?: never;
        readonly clusterMode?: never;
      }
  );

/** Memory forgets clients, codes and tokens at restart; Redis keeps them and is shared. */
export type AuthServerStorage = 'memory' | { readonly redis: AuthServerRedis };

export function storageBlock(storage: AuthServerStorage): Written {
  if (storage === 'memory') return { type: 'memory' };
  const { address: addr, sentinels: sentinelConfig, password, username, ...rest } = storage.redis;
  const aclUserConfig = { passwordSecretRef: password, usernameSecretRef: username };
  return { type: 'redis', redis: written({ addr, sentinelConfig, aclUserConfig, ...rest }) as WrittenRedis };
}
