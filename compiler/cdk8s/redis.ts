/** The location of a Redis, in the props of everything that is stored in one. */
import type { VirtualMCPServerSpec } from '#schemas';
import type { WithSecretKeys } from './values/manifest-value.ts';

type SessionStorageSpec = NonNullable<VirtualMCPServerSpec['sessionStorage']>;

export type RedisTls = WithSecretKeys<NonNullable<SessionStorageSpec['tls']>>;

interface Sentinels {
  /** Name of the master that the sentinels watch. */
  readonly masterName: string;
  /** Number of the database. Default: 0. */
  readonly db?: number;
}

/** Sentinels by address, or by the Service in front of them. */
export type RedisSentinels = Sentinels &
  (
    | {
        readonly sentinelAddrs: readonly [`${string}:${number}`, ...`${string}:${number}`[]];
        readonly sentinelService?: never;
      }
    | {
        readonly sentinelService: NonNullable<NonNullable<SessionStorageSpec['sentinelConfig']>['sentinelService']>;
        readonly sentinelAddrs?: never;
      }
  );

/** A Redis by its address: standalone, or a node of a cluster. */
export interface RedisAtAddress {
  /** The address, as `host:port`. */
  readonly address: `${string}:${number}`;
  /** Uses the cluster protocol; `address` is that of one node. */
  readonly clusterMode?: boolean;
  readonly sentinels?: never;
  readonly sentinelTls?: never;
}

/** A Redis behind sentinels. */
export interface RedisBehindSentinels {
  readonly sentinels: RedisSentinels;
  /** TLS to the sentinels. Absent: plain text. */
  readonly sentinelTls?: RedisTls;
  readonly address?: never;
  readonly clusterMode?: never;
}
