import type { SecretSource } from './secret-source.ts';

/** Where sessions of clients are, when replicas share them. */
export interface SessionStoragePlan {
  readonly redis: RedisPlan;
  /** Put before every key; empty, or ends with `:`. */
  readonly keyPrefix: string;
}

/** One Redis and how it is reached: a single server, a cluster, or the primary that sentinels name. */
export interface RedisPlan {
  /** What is at `addresses`: the server, nodes of a cluster, or sentinels. */
  readonly mode: 'standalone' | 'cluster' | 'sentinel';
  /** `host:port` of each, at least one; an IPv6 address is in brackets. Exactly one for `standalone`. */
  readonly addresses: readonly string[];
  /** How the sentinels call the primary; null unless the mode is `sentinel`. */
  readonly masterName: string | null;
  /** Number of the database; 0 in a cluster, which has no other. */
  readonly db: number;
  /** Name of the ACL user; null for servers that know a password alone, or nothing. */
  readonly username: SecretSource | null;
  readonly password: SecretSource | null;
  /** Whether the client connects without a password when the variable of `password` is not set. */
  readonly mayLackPassword: boolean;
  /** Towards the server, or the nodes of the cluster; null for plain text. */
  readonly tls: RedisTlsPlan | null;
  /** Towards the sentinels; null for plain text, and unless the mode is `sentinel`. */
  readonly sentinelTls: RedisTlsPlan | null;
  /** Longest wait for a connection, for an answer, and until a request is sent; milliseconds, at least 1. */
  readonly timeouts: { readonly dialMs: number; readonly readMs: number; readonly writeMs: number };
}

export interface RedisTlsPlan {
  /** PEM certificates to trust; null for the usual authorities. */
  readonly ca: SecretSource | null;
  /** Whether any certificate is accepted. */
  readonly insecureSkipVerify: boolean;
}
