/** Parses token responses (RFC 6749, section 5). It is strict about members whose misreading would send a wrong credential. */
import { isObject } from '#schemas';
import { isBearerToken } from './bearer.ts';
import { CredentialError } from './credential.ts';

/** The members of a successful response that the gateway uses. */
export interface TokenResponse {
  /** Visible ASCII, so that it is a valid header value. */
  readonly accessToken: string;
  /** In lower case. */
  readonly tokenType: string;
  /** RFC 8693; null when missing. */
  readonly issuedTokenType: string | null;
  /** Seconds; null when missing or invalid. */
  readonly expiresIn: number | null;
}

/** Codes are words; anything else might be a token that the endpoint echoes. */
const ERROR_CODE = /^[a-z]+(_[a-z]+){0,7}$/;
const MAX_ERROR_CODE = 64;

/** The presented token is invalid, or its user must act first: another sign-in may help. */
const LOGIN_HELPS: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_token',
  'interaction_required',
  'login_required',
  'consent_required',
]);

/**
 * @param at prefix of messages: `token_exchange at idp.example.com`
 * @throws CredentialError; the message only contains the response's error code
 */
export function readTokenResponse(at: string, status: number, body: string): TokenResponse {
  const members = parseJsonObject(body);
  if (status !== 200) throw createRefusal(at, status, members?.error);
  if (members === undefined) throw createUnusableError(at, 'is not a JSON object');
  const { access_token: accessToken, token_type: tokenType, issued_token_type: issued } = members;
  if (!isBearerToken(accessToken)) throw createUnusableError(at, 'has no usable access_token');
  if (typeof tokenType !== 'string') throw createUnusableError(at, 'has no token_type');
  return {
    accessToken,
    tokenType: tokenType.toLowerCase(),
    issuedTokenType: typeof issued === 'string' ? issued : null,
    expiresIn: toSeconds(members.expires_in),
  };
}

/**
 * A response whose token is a bearer token (RFC 6750).
 * @throws CredentialError for any other type, which would need a proof of possession
 */
export function requireBearer(at: string, answer: TokenResponse): TokenResponse {
  if (answer.tokenType === 'bearer') return answer;
  throw createUnusableError(at, 'has a token_type other than Bearer');
}

/** The error for a successful response whose credential cannot be sent. */
export function createUnusableError(at: string, problem: string): CredentialError {
  return new CredentialError('gateway', `${at}: the answer ${problem}`);
}

function createRefusal(at: string, status: number, error: unknown): CredentialError {
  const code =
    typeof error === 'string' && error.length <= MAX_ERROR_CODE && ERROR_CODE.test(error) ? error : undefined;
  if (code !== undefined && LOGIN_HELPS.has(code)) {
    return new CredentialError('caller', `${at}: the token of the caller was refused (${code}); log in again`);
  }
  if (status >= 300 && status < 400) {
    return new CredentialError('gateway', `${at}: answered with a redirect that may not be followed (HTTP ${status})`);
  }
  if (code === 'invalid_client' || (code === undefined && status === 401)) {
    const fix = 'check its id and secret';
    return new CredentialError('gateway', `${at}: the gateway's client was refused (${code ?? 'HTTP 401'}); ${fix}`);
  }
  return new CredentialError('gateway', `${at}: refused (${code ?? `HTTP ${status}`})`);
}

function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Some endpoints send the number as a string. */
function toSeconds(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && Number.isFinite(number) ? number : null;
}
