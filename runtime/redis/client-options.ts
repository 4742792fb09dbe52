/** Converts a Redis plan to the options of `ioredis`. */

import type { ClusterOptions, RedisOptions } from 'ioredis';
import { type RedisPlan, type RedisTlsPlan, validateAuthorities } from '#schemas';
import { computeBackoffMs } from '#shared/util';
import type { Secret, Secrets } from '../auth/secrets.ts';
import { listTrustedCertificates } from '../http/tls-trust.ts';

/** Delays before a connection is tried again: the first, and the longest; milliseconds. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

/** Maximum number of times that one command follows a slot to another node, or waits for the node that replaces a dead one. */
const MAX_REDIRECTIONS = 5;

type ServerOptions = RedisOptions & { replyMapping: 'legacy' };

type SeveralOptions = ClusterOptions & { redisOptions: NonNullable<ClusterOptions['redisOptions']> & ServerOptions };

/** The secrets of a plan; files are followed when they change. */
export interface RedisSecrets {
  readonly username: Secret | undefined;
  readonly password: Secret | undefined;
  readonly ca: Secret | undefined;
  readonly sentinelCa: Secret | undefined;
}

/** @throws SecretError */
export function openRedisSecrets(plan: RedisPlan, secrets: Secrets): RedisSecrets {
  const { username, password, mayLackPassword, tls, sentinelTls } = plan;
  const open = (
    source: RedisPlan['username'] | undefined,
    use: string,
    findProblem?: (value: string) => string | undefined,
  ) => (source === null || source === undefined ? undefined : secrets.open(source, use, findProblem));
  const authoritiesProblem = (pem: string) => validateAuthorities(pem, new Date()).problem;
  return {
    username: open(username, 'user name for Redis'),
    password: mayLackPassword && !secrets.has(password) ? undefined : open(password, 'password for Redis'),
    ca: open(tls?.ca, 'certificate authority of Redis', authoritiesProblem),
    sentinelCa: open(sentinelTls?.ca, 'certificate authority of the Redis sentinels', authoritiesProblem),
  };
}

/** Timeout of one command; milliseconds. */
export function getCommandMs({ timeouts }: RedisPlan): number {
  return timeouts.readMs + timeouts.writeMs;
}

/**
 * Options of a connection to the server, or to each node of a cluster.
 *
 * @param blockMs additional time for commands in which the server itself waits, in milliseconds
 */
export function buildConnectionOptions(plan: RedisPlan, secrets: RedisSecrets, blockMs: number): ServerOptions {
  const { timeouts, db, tls } = plan;
  return {
    lazyConnect: true,
    // Every server supports this version, in which a reply has a single form.
    protocol: 2,
    replyMapping: 'legacy',
    db,
    connectTimeout: timeouts.dialMs,
    commandTimeout: getCommandMs(plan) + blockMs,
    // A server that hangs keeps its connections open; a new connection may reach the server that replaces it.
    socketTimeout: getCommandMs(plan) + blockMs,
    // No retries here: the code that sent the command gets the error at once, and decides how to continue without an answer.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    disableClientInfo: true,
    ...(secrets.username === undefined ? {} : { username: secrets.username.value }),
    ...(secrets.password === undefined ? {} : { password: secrets.password.value }),
    ...(tls === null ? {} : { tls: buildTlsOptions(tls, secrets.ca) }),
    // The former primary has become a replica: the next connection finds the current primary.
    reconnectOnError: error => error.message.startsWith('READONLY'),
  };
}

export function buildStandaloneOptions(plan: RedisPlan, secrets: RedisSecrets, blockMs: number): ServerOptions {
  const [address = ''] = plan.addresses;
  return {
    ...buildConnectionOptions(plan, secrets, blockMs),
    ...splitAddress(address),
    retryStrategy: retryMs,
  };
}

export function buildSentinelOptions(plan: RedisPlan, secrets: RedisSecrets, blockMs: number): ServerOptions {
  const { addresses, masterName, sentinelTls, timeouts } = plan;
  return {
    ...buildConnectionOptions(plan, secrets, blockMs),
    sentinels: addresses.map(splitAddress),
    name: masterName ?? '',
    ...(sentinelTls === null ? {} : { sentinelTLS: buildTlsOptions(sentinelTls, secrets.sentinelCa) }),
    enableTLSForSentinelMode: plan.tls !== null,
    sentinelCommandTimeout: getCommandMs(plan),
    connectTimeout: timeouts.dialMs,
    // Only the sentinels that the plan names are used, and no addresses that a sentinel reports.
    updateSentinels: false,
    retryStrategy: retryMs,
    sentinelRetryStrategy: retryMs,
  };
}

export function buildClusterOptions(plan: RedisPlan, secrets: RedisSecrets, blockMs: number): SeveralOptions {
  const {
    enableOfflineQueue: _queue,
    retryStrategy: _retry,
    ...redisOptions
  } = buildConnectionOptions(plan, secrets, blockMs);
  return {
    lazyConnect: true,
    enableOfflineQueue: false,
    redisOptions,
    clusterRetryStrategy: retryMs,
    maxRedirections: MAX_REDIRECTIONS,
    slotsRefreshTimeout: plan.timeouts.dialMs,
    // Does not resolve names: certificates contain names, and each connection resolves its name itself.
    dnsLookup: (address, callback) => callback(null, address),
  };
}

/** The delay before the next attempt to connect: doubled each time, minus up to a quarter at random, so that not all clients reconnect at once. */
export function retryMs(tries: number): number {
  const longest = computeBackoffMs(tries, { firstMs: FIRST_RETRY_MS, longestMs: LONGEST_RETRY_MS });
  return Math.round(longest * (1 - Math.random() / 4));
}

/** Splits `host:port`. */
export function splitAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
}

function buildTlsOptions({ insecureSkipVerify }: RedisTlsPlan, ca: Secret | undefined) {
  return {
    rejectUnauthorized: !insecureSkipVerify,
    // Only the configured certificate authority is trusted, not the usual ones, because it belongs to this Redis.
    ...(ca === undefined ? {} : { ca: listTrustedCertificates(ca.value, true) }),
  };
}
