/** What went wrong with a connection, in words that can be shown. */
import { errors } from './undici.ts';

/**
 * The code of an error, such as `ECONNREFUSED`. The texts of the HTTP client and of Node can name local addresses and parts
 * of answers; their codes cannot.
 */
export function readErrorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'unknown cause';
}

/** The other side has answered, but not in HTTP. */
export function isNotHttp(error: unknown): boolean {
  return (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  );
}

const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** A connection that was open, or about to be, has ended before its time: a stale one of a pool ends so, too. */
export function wasBroken(error: unknown): boolean {
  return BROKEN.has(readErrorCode(error));
}
