import type { SecretSource } from './secret-source.ts';

/** Where replicas share client sessions. */
export interface SessionStoragePlan {
  readonly redis: RedisPlan;
  /** Prefix of every key; empty, or ends with `:`. */
  readonly keyPrefix: string;
}

/** How a Redis is reached: as a single server, a cluster, or the primary that sentinels report. */
export interface RedisPlan {
  /** The meaning of the addresses: the server, nodes of a cluster, or sentinels. */
  readonly mode: 'standalone' | 'cluster' | 'sentinel';
  /** Addresses as `host:port`, at least one, and exactly one for `standalone`; an IPv6 address is in brackets. */
  readonly addresses: readonly string[];
  /** The name of the primary at the sentinels; null unless the mode is `sentinel`. */
  readonly masterName: string | null;
  /** Database number; 0 in a cluster, which has no other. */
  readonly db: number;
  /** Name of the ACL user; null for servers with a password only, or without one. */
  readonly username: SecretSource | null;
  readonly password: SecretSource | null;
  /** Whether to connect without a password when the variable of `password` is not set. */
  readonly mayLackPassword: boolean;
  /** TLS of connections to the server or to nodes of the cluster; null for plain text. */
  readonly tls: RedisTlsPlan | null;
  /** TLS of connections to sentinels; null for plain text, and unless the mode is `sentinel`. */
  readonly sentinelTls: RedisTlsPlan | null;
  /** Time limits for connecting, for a response, and until a request is sent; milliseconds, at least 1. */
  readonly timeouts: { readonly dialMs: number; readonly readMs: number; readonly writeMs: number };
}

export interface RedisTlsPlan {
  /** PEM certificates to trust; null for the default authorities. */
  readonly ca: SecretSource | null;
  /** Whether the gateway accepts any certificate. */
  readonly insecureSkipVerify: boolean;
}
