/** Fetches an identity provider's discovery document and keys. */
import type { IncomingHttpHeaders } from 'node:http';
import type { TokenProviderPlan } from '#schemas';
import type { HttpClient } from '../../http/client.ts';
import { requestText, type TextResponse } from '../../http/request-text.ts';
import type { Secret } from '../secrets.ts';
import type { FetchedKeys } from './key-source.ts';

/** Limits on the documents, in bytes. A key set of 1,000 keys without certificates fits. */
const MAX_DISCOVERY_BYTES = 256 * 1024;
const MAX_KEY_SET_BYTES = 1024 * 1024;

/** Timeout of one response of a provider; milliseconds. */
export const PROVIDER_TIMEOUT_MS = 5_000;

/**
 * Fetches the keys of a provider, through its discovery document if the plan requires that. The document is read each time, because the
 * keys' URL may change.
 *
 * @param token sent only to the origin in the plan: a discovery document must not redirect it
 * @throws Error whose message can be shown to operators
 */
export async function fetchKeys(
  plan: TokenProviderPlan,
  client: HttpClient,
  token: Secret | undefined,
): Promise<FetchedKeys> {
  let url = toProviderUrl(plan.keys.url, plan.allowsHttp);
  const { origin } = url;
  const get = async (at: URL, accept: string, maxBytes: number): Promise<TextResponse> => {
    const sent = at.origin === origin ? token : undefined;
    const headers = { accept, ...(sent === undefined ? {} : { authorization: `Bearer ${sent.value}` }) };
    const answer = await requestText(
      client,
      { method: 'GET', url: at, headers },
      { maxBytes, timeoutMs: PROVIDER_TIMEOUT_MS },
    );
    if (answer.status === 200) return answer;
    const isTokenMissed = token !== sent && (answer.status === 401 || answer.status === 403);
    const hint = isTokenMissed ? `; the token is sent to ${origin} only: configure the URL of the keys` : '';
    throw new Error(`${at.origin}${at.pathname}: ${formatStatus(answer.status)}${hint}`);
  };
  if (plan.keys.type === 'discovery') {
    const { body } = await get(url, 'application/json', MAX_DISCOVERY_BYTES);
    url = toProviderUrl(readKeysUrl(body, plan.issuer), plan.allowsHttp);
  }
  const { body, headers } = await get(url, 'application/jwk-set+json, application/json', MAX_KEY_SET_BYTES);
  const { readKeySet } = await import('./verification-keys.ts');
  return { keys: readKeySet(body), freshMs: readMaxAge(headers) };
}

/**
 * A URL of a provider.
 *
 * @throws Error for a scheme other than https, unless it is http and the plan permits that
 */
export function toProviderUrl(text: string, allowsHttp: boolean): URL {
  const url = URL.parse(text);
  if (url === null) throw new Error('the metadata of the provider has an address that is not a URL');
  if (url.protocol === 'https:' || (allowsHttp && url.protocol === 'http:')) return url;
  throw new Error(`${url.origin}${url.pathname}: only https is permitted`);
}

/** The document of another issuer could substitute that issuer's keys (OpenID Connect Discovery 1.0, section 4.3; RFC 8414, 3.3). */
function readKeysUrl(text: string, issuer: string): string {
  let document: { issuer?: unknown; jwks_uri?: unknown } | null;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error('the discovery document is not JSON');
  }
  if (document?.issuer !== issuer) throw new Error('the discovery document is from another issuer');
  if (typeof document.jwks_uri !== 'string') throw new Error('the discovery document has no jwks_uri');
  return document.jwks_uri;
}

function formatStatus(status: number): string {
  return status >= 300 && status < 400
    ? `answered with a redirect that may not be followed (HTTP ${status})`
    : `answered HTTP ${status}`;
}

/** `max-age` of the answer (RFC 9111, section 5.2.2.1). */
function readMaxAge({ 'cache-control': control }: IncomingHttpHeaders): number | undefined {
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(control ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
