/** Where a Redis is, in the props of everything that is kept in one. */
import type { VirtualMCPServerSpec } from '#schemas';
import type { Referring } from './values/written.ts';

type Written = NonNullable<VirtualMCPServerSpec['sessionStorage']>;

export type RedisTls = Referring<NonNullable<Written['tls']>>;

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
        readonly sentinelService: NonNullable<NonNullable<Written['sentinelConfig']>['sentinelService']>;
        readonly sentinelAddrs?: never;
      }
  );

/** By its address, alone or one of a cluster. */
export interface RedisAtAddress {
  /** `host:port`. */
  readonly address: `${string}:${number}`;
  /** Speaks the cluster protocol: `address` is that of one node. */
  readonly clusterMode?: boolean;
  readonly sentinels?: never;
  readonly sentinelTls?: never;
}

/** Through sentinels. */
export interface RedisBehindSentinels {
  readonly sentinels: RedisSentinels;
  /** Toward the sentinels. Absent: plain text. */
  readonly sentinelTls?: RedisTls;
  readonly address?: never;
  readonly clusterMode?: never;
}
