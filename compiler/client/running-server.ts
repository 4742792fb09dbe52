/** A running MCP server, identified by an operator at a terminal. */

import type { BackendQuery } from '#schemas';
import { describeFileError } from '#shared/util';
import { redactUrl } from '../analysis/exposure/redact-url.ts';
import { isExposedHttp } from '../rules/support/plain-http.ts';
import { readBytes } from '../source/read-bytes.ts';
import { findUrlProblem } from '../text/url-problem.ts';
import { UsageError } from '../usage-error.ts';
import { readRefusal } from './refusal.ts';

/** The environment variable with the token, when no file is given. */
export const TOKEN_VARIABLE = 'LINTEL_TOKEN';

const MAX_TOKEN_BYTES = 65_536;

export interface RunningServer {
  /** The URL without parts that may be secret. */
  readonly displayUrl: string;
  readonly question: BackendQuery;
  readonly token: string | undefined;
}

/** @throws UsageError for an invalid URL, and for a token that cannot be read or would be sent unencrypted */
export function toRunningServer(address: string, tokenFile: string | undefined, timeoutMs: number): RunningServer {
  const problem = findUrlProblem(address);
  if (problem !== undefined)
    throw new UsageError(
      `this is not an http or https URL: ${problem}; give the URL that clients are given, such as http://127.0.0.1:4483/mcp`,
    );
  const token =
    tokenFile === undefined ? parseToken(process.env[TOKEN_VARIABLE], TOKEN_VARIABLE) : readTokenFile(tokenFile);
  if (token !== undefined && isExposedHttp(address))
    throw new UsageError(
      `${redactUrl(address)}: a token is not sent over plain http, where others can read it: use https`,
    );
  const query: BackendQuery = {
    key: 'server',
    url: address,
    transport: URL.parse(address)?.pathname.endsWith('/sse') ? 'sse' : 'streamable-http',
    addresses: 'any',
    headers: token === undefined ? [] : [{ name: 'authorization', value: `Bearer ${token}` }],
    timeoutMs,
    deadlineMs: timeoutMs,
  };
  return { displayUrl: redactUrl(address), question: query, token };
}

/**
 * Why there is no answer, and what the operator can do.
 *
 * @param challenge the `WWW-Authenticate` header of a refusal
 */
export function formatComplaint({ displayUrl, token }: RunningServer, message: string, challenge?: string): string {
  const found = `${displayUrl}: ${message}`;
  const refusal = /HTTP 40[013]/.exec(message)?.[0];
  const { reason, scopes } = readRefusal(challenge);
  if (refusal !== undefined && refusal !== 'HTTP 400' && token === undefined)
    return `${displayUrl}: it wants a token, and none was sent (${refusal}). \`lintel doctor auth ${displayUrl}\` shows where tokens come from; with one in a file, give --token-file, or set ${TOKEN_VARIABLE}. To try a gateway of yours without a sign-in, \`lintel dev --as NAME,groups=GROUP\` makes tokens`;
  if (refusal === 'HTTP 401')
    return `${displayUrl}: it does not take this token (${refusal})${reason || '; it may be expired, or be meant for another server'}. \`lintel doctor auth ${displayUrl}\` shows where tokens come from; give a new one by --token-file or ${TOKEN_VARIABLE}`;
  if (refusal === 'HTTP 403') return `${found}${reason}; the token is known, and allows too little${scopes}`;
  if (refusal === 'HTTP 400') return `${found}${reason}`;
  if (message.includes('HTTP 404')) return `${found}; is the path right? That of a gateway is /mcp`;
  if (message.includes('ECONNREFUSED'))
    return `${found}; nothing listens there: start a gateway with \`lintel dev\`, which prints its URL, or name the URL of one that runs`;
  return found;
}

/** Removes the token from a text: a server may repeat what it received. */
export function withoutToken(text: string, { token }: RunningServer): string {
  return token === undefined ? text : text.replaceAll(token, '***');
}

function readTokenFile(file: string): string {
  let bytes: Buffer | undefined;
  try {
    bytes = readBytes(file, MAX_TOKEN_BYTES);
  } catch (error) {
    throw new UsageError(`--token-file: cannot read ${file}: ${describeFileError(error)}`);
  }
  const token = parseToken(bytes?.toString('utf8'), file);
  if (token === undefined) throw new UsageError(`--token-file: ${file} holds no token`);
  return token;
}

/** Undefined for an empty text. */
function parseToken(text: string | undefined, where: string): string | undefined {
  const token = text?.trim() ?? '';
  if (token === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(`${where} holds no token: one is a single line of ASCII characters without spaces`);
  return token;
}
