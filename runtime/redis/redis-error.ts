import type { RedisPlan } from '#schemas';

/**
 * Why a command failed; a fixed set for metrics and logs.
 *
 * `connection`: not connected, or the connection broke. `timeout`: no answer in time, so the command may have run. `auth`: the user, the
 * password or the user's permissions. `full`: no memory is left for writes. `other`: any other refusal of the server.
 */
export type RedisFailure = 'connection' | 'timeout' | 'auth' | 'full' | 'other';

/** The message of commands while there is no connection; `ioredis` has already reported why. */
export const NO_CONNECTION = 'not connected';

/** A Redis command that failed. The message names the server and the cause, and neither arguments, keys, users nor passwords. */
export class RedisError extends Error {
  readonly code = 'ERR_REDIS';
  readonly reason: RedisFailure;

  /** @param server in the form of `formatServer` */
  constructor(reason: RedisFailure, message: string, server = 'Redis') {
    super(`${server}: ${message}`);
    this.name = 'RedisError';
    this.reason = reason;
  }
}

/** Names the Redis of a plan by its addresses, as a message begins. */
export function formatServer({ mode, addresses, masterName }: RedisPlan): string {
  const list = addresses.join(', ');
  switch (mode) {
    case 'standalone':
      return `Redis at ${list}`;
    case 'cluster':
      return `Redis cluster at ${list}`;
    case 'sentinel':
      return `Redis ${masterName} of the sentinels at ${list}`;
  }
}

/** Error codes of Redis about authentication and permissions. */
const AUTH_CODES: ReadonlySet<string> = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM']);

/** Error codes of a server that is not, or not yet, a working primary: after a failover, another server soon replaces it. */
const AWAY_CODES: ReadonlySet<string> = new Set(['READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'NOREPLICAS']);

/** The members of ioredis's errors that the runtime reads. */
interface ClientError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly lastNodeError?: unknown;
}

/**
 * Converts an error of `ioredis`. Of the server's message only the code is kept, because the message repeats arguments, and the password is an
 * argument of the login command.
 *
 * @param server in the form of `formatServer`
 */
export function toRedisError(error: unknown, server?: string): RedisError {
  return error instanceof RedisError ? error : new RedisError(...classify(error), server);
}

function classify(error: unknown): readonly [reason: RedisFailure, message: string] {
  const { name = '', message = '', code = '', lastNodeError } = (error ?? {}) as ClientError;
  // In a cluster, `ioredis` wraps the error of the node that it tried last.
  if (lastNodeError instanceof Error) return classify(lastNodeError);
  if (name === 'ReplyError') return classifyReply(message);
  if (/timed out|ETIMEDOUT|Socket timeout/.test(message) || code === 'ETIMEDOUT') {
    return ['timeout', 'no answer in time'];
  }
  if (code !== '') return ['connection', `the connection failed (${code})`];
  if (/All sentinels are unreachable/.test(message)) {
    return ['connection', 'no sentinel can be reached, or none knows the primary'];
  }
  return ['connection', NO_CONNECTION];
}

function classifyReply(message: string): readonly [reason: RedisFailure, message: string] {
  const word = /^-?([A-Z]+)\b/.exec(message)?.[1] ?? 'ERR';
  if (AUTH_CODES.has(word)) return ['auth', `the server refuses the user or its password (${word})`];
  // Older servers have no code for a wrong password.
  if (/AUTH/.test(message)) return ['auth', 'the server refuses the user or its password (ERR)'];
  if (word === 'OOM') return ['full', 'the server has no memory left (OOM)'];
  if (AWAY_CODES.has(word)) return ['connection', `the server accepts no writes now (${word})`];
  return ['other', `the server refuses the command (${word})`];
}
