/** An OAuth 2.0 token endpoint that issues credentials for backends. */
import type { OAuthClientPlan, PrivateDenial } from '#schemas';
import { createHttpClient, type HttpClient } from '../../http/client.ts';
import { RequestError, requestText } from '../../http/request-text.ts';
import type { Secret } from '../secrets.ts';
import { CredentialError } from './credential.ts';
import type { OpenSecret } from './open-secret.ts';
import { readTokenResponse, type TokenResponse } from './token-response.ts';

/** Maximum size of a response of the endpoint, in bytes. */
const MAX_ANSWER_BYTES = 128 * 1024;

/** Timeout of one request as a whole; milliseconds. */
const TIMEOUT_MS = 10_000;

/** Maximum number of connections to one endpoint; further requests wait. */
const CONNECTIONS = 16;

/**
 * A client for token endpoints. An identity provider is often inside of the cluster, and callers cannot influence its URL, so private addresses
 * are allowed unless the operator denies them. The default certificate authorities apply.
 */
export function createEndpointClient(denial: PrivateDenial | undefined): HttpClient {
  return createHttpClient({ addresses: 'any', denial, maxResponseBytes: MAX_ANSWER_BYTES, connections: CONNECTIONS });
}

interface EndpointResponse {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends a form and returns the response with any status.
 * @throws CredentialError if there is no complete response; its message begins with `at`
 */
export async function postForm(
  client: HttpClient,
  at: string,
  url: URL,
  form: URLSearchParams,
  headers: Readonly<Record<string, string>>,
): Promise<EndpointResponse> {
  const request = {
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: form.toString(),
  } as const;
  try {
    return await requestText(client, request, { maxBytes: MAX_ANSWER_BYTES, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (error instanceof RequestError)
      throw new CredentialError('gateway', `${at}: the request failed: ${error.message}`);
    throw error;
  }
}

export class TokenEndpoint {
  /** Prefix of messages: the strategy and the host. */
  readonly at: string;
  readonly #url: URL;
  readonly #account: { readonly id: string; readonly secret: Secret } | undefined;
  readonly #client: HttpClient;

  /** @throws CredentialError for a URL that is not http or https, or contains credentials */
  constructor(
    strategy: string,
    plan: { readonly tokenUrl: string; readonly client: OAuthClientPlan | null },
    client: HttpClient,
    openSecret: OpenSecret,
  ) {
    this.#url = toEndpointUrl(strategy, plan.tokenUrl);
    this.at = `${strategy} at ${this.#url.host}`;
    this.#client = client;
    if (plan.client === null) return;
    const { id, secret } = plan.client;
    this.#account = { id, secret: openSecret(secret, `secret of client ${JSON.stringify(id)}`) };
  }

  /** @throws CredentialError */
  async request(grantType: string, parameters: Readonly<Record<string, string | null>>): Promise<TokenResponse> {
    const form = new URLSearchParams({ grant_type: grantType });
    for (const [name, value] of Object.entries(parameters)) if (value !== null) form.append(name, value);
    const used = this.#account?.secret.value;
    let answer = await this.#post(form);
    // Secret files are read again only every few seconds, so after a rotation the provider may know the new secret earlier than this process.
    if (isClientRefused(answer) && this.#hasRotatedSince(used)) answer = await this.#post(form);
    return readTokenResponse(this.at, answer.status, answer.body);
  }

  #post(form: URLSearchParams): Promise<EndpointResponse> {
    const headers = { Accept: 'application/json', ...this.#buildAuthentication() };
    return postForm(this.#client, this.at, this.#url, form, headers);
  }

  #hasRotatedSince(used: string | undefined): boolean {
    this.#account?.secret.refreshIfChanged?.();
    return this.#account?.secret.value !== used;
  }

  #buildAuthentication(): Readonly<Record<string, string>> {
    if (this.#account === undefined) return {};
    const { id, secret } = this.#account;
    return { Authorization: `Basic ${btoa(`${encodeForm(id)}:${encodeForm(secret.value)}`)}` };
  }
}

/** Whether the endpoint refused the client. Then it did nothing else (RFC 6749, section 5.2), so the request can be sent again. */
function isClientRefused({ status, body }: EndpointResponse): boolean {
  return status === 401 || (status === 400 && /"error"\s*:\s*"invalid_client"/.test(body));
}

/** @throws CredentialError for a URL that is not http or https, or contains credentials; the compiler checks where plain http is allowed */
export function toEndpointUrl(strategy: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  throw new CredentialError('gateway', `${strategy}: the endpoint must be an http or https URL without credentials`);
}

/**
 * The encoding of RFC 6749, section 2.3.1 and appendix B, restricted to characters that need it: client ids often contain hyphens, and some
 * servers do not decode them.
 */
function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** The scopes as OAuth writes them, separated by spaces; null if there are none. */
export function formatScopes(scopes: readonly string[]): string | null {
  return scopes.length === 0 ? null : scopes.join(' ');
}
