/**
 * The bearer token of a request. Only the `Authorization` header counts (RFC 6750, section 2.1): a token in a URL or form would end up in logs.
 */

/** Limit on a token, in characters. */
export const MAX_TOKEN_LENGTH: number = 16 * 1024;

/** The credentials are malformed. The message can be shown to callers. */
export class MalformedCredentialsError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedCredentialsError';
  }
}

/** `b64token` of RFC 6750. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

const BEARER = /^bearer(?: +|$)/i;

/**
 * The credential after `Bearer` in the header; undefined without the header, and for another scheme. `checkToken` validates its form.
 *
 * @param rawHeaders names and values alternate, as received: `headers` of Node has only the first of several
 * @throws MalformedCredentialsError for more than one `Authorization` header
 */
export function readBearerToken(rawHeaders: readonly string[]): string | undefined {
  let credentials: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length !== 13 || name.toLowerCase() !== 'authorization') continue;
    if (credentials !== undefined) throw new MalformedCredentialsError('there is more than one Authorization header');
    credentials = rawHeaders[at + 1];
  }
  const scheme = credentials === undefined ? null : BEARER.exec(credentials);
  return scheme === null ? undefined : credentials?.slice(scheme[0].length);
}

/** @throws MalformedCredentialsError for an invalid token */
export function checkToken(token: string): void {
  if (token === '') throw new MalformedCredentialsError('the Authorization header has no token');
  if (token.length > MAX_TOKEN_LENGTH) {
    throw new MalformedCredentialsError(`the token has more than ${MAX_TOKEN_LENGTH} characters`);
  }
  if (!TOKEN.test(token)) throw new MalformedCredentialsError('the token has characters that a token cannot have');
}
