/**
 * Why a command failed; a fixed set for metrics and logs.
 *
 * `connection`: not connected, or the connection broke. `timeout`: no answer in time, so the command may have run. `auth`: the user, the
 * password or the user's permissions. `full`: no memory is left for writes. `other`: any other refusal of the server.
 */
export type RedisFailure = 'connection' | 'timeout' | 'auth' | 'full' | 'other';

/** The message of commands while there is no connection; `ioredis` has already reported why. */
export const NO_CONNECTION = 'not connected';

/** A Redis command that failed. The message names the cause and neither arguments, keys, users nor passwords. */
export class RedisError extends Error {
  readonly code = 'ERR_REDIS';
  readonly reason: RedisFailure;

  constructor(reason: RedisFailure, message: string) {
    super(`Redis: ${message}`);
    this.name = 'RedisError';
    this.reason = reason;
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
 */
export function toRedisError(error: unknown): RedisError {
  if (error instanceof RedisError) return error;
  const { name = '', message = '', code = '', lastNodeError } = (error ?? {}) as ClientError;
  // In a cluster, `ioredis` wraps the error of the node that it tried last.
  if (lastNodeError instanceof Error) return toRedisError(lastNodeError);
  if (name === 'ReplyError') return toReplyError(message);
  if (/timed out|ETIMEDOUT|Socket timeout/.test(message) || code === 'ETIMEDOUT') {
    return new RedisError('timeout', 'no answer in time');
  }
  if (code !== '') return new RedisError('connection', `the connection failed (${code})`);
  if (/All sentinels are unreachable/.test(message)) {
    return new RedisError('connection', 'no sentinel can be reached, or none knows the primary');
  }
  return new RedisError('connection', NO_CONNECTION);
}

function toReplyError(message: string): RedisError {
  const word = /^-?([A-Z]+)\b/.exec(message)?.[1] ?? 'ERR';
  if (AUTH_CODES.has(word)) return new RedisError('auth', `the server refuses the user or its password (${word})`);
  // Older servers have no code for a wrong password.
  if (/AUTH/.test(message)) return new RedisError('auth', 'the server refuses the user or its password (ERR)');
  if (word === 'OOM') return new RedisError('full', 'the server has no memory left (OOM)');
  if (AWAY_CODES.has(word)) return new RedisError('connection', `the server accepts no writes now (${word})`);
  return new RedisError('other', `the server refuses the command (${word})`);
}
