/**
 * Why a command failed; a fixed set for metrics and logs.
 *
 * `connection`: not connected, or the connection broke. `timeout`: no answer in time, so the command may have run. `auth`: the user, the
 * password or the user's permissions. `full`: no memory is left for writes. `other`: any other refusal of the server.
 */
export type RedisFailure = 'connection' | 'timeout' | 'auth' | 'full' | 'other';

/** The client's message for a connection whose failure it has already reported. */
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

/** Error codes of a server that is not a primary, or that has no primary: another server replaces it soon. */
const AWAY_CODES: ReadonlySet<string> = new Set(['READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'NOREPLICAS']);

/** The members that are read of a client's error. */
interface ClientError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly lastNodeError?: unknown;
}

/**
 * Classifies an error of the client. It keeps only the code, and not the messages: those of the server repeat arguments, and the argument of a
 * login is the password.
 */
export function toRedisError(error: unknown): RedisError {
  if (error instanceof RedisError) return error;
  const { name = '', message = '', code = '', lastNodeError } = (error ?? {}) as ClientError;
  // The client of a cluster wraps the error of its last node.
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
