/** Describes the failure of a connection by texts that messages may contain. */
import { errors } from './undici.ts';

/**
 * The code of an error, such as `ECONNREFUSED`. The messages of the HTTP client and of Node can contain local addresses and parts of answers;
 * their codes cannot.
 */
export function readErrorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'unknown cause';
}

/** The server has answered, but not in HTTP. */
export function isNotHttp(error: unknown): boolean {
  return (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  );
}

const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether the connection was closed while it was opened or used. This also happens to an idle connection of a pool that the server has closed. */
export function wasBroken(error: unknown): boolean {
  return BROKEN.has(readErrorCode(error));
}
