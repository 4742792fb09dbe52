/** One identity provider: its authorization requests, its callbacks, and the renewal of its tokens. */
import * as oauth from 'oauth4webapi';
import type { UpstreamPlan } from '#schemas';
import { CLOCK_TOLERANCE_SECONDS } from '../clock-tolerance.ts';
import { createFetch, type OAuthFetch } from '../create-fetch.ts';
import type { OutgoingClient } from '../host.ts';
import type { ClientAuthentication, ClientIdentity, ClientSource } from './client-source.ts';
import { decodeClaims, getValueAt, parseAnswer, toText } from './paths.ts';
import { identifyPerson, type Person } from './person.ts';
import { UpstreamError } from './upstream-error.ts';

/** An upstream's tokens for one person. */
export interface UpstreamTokenSet {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly idToken: string | null;
  /** Milliseconds since 1970; null when the upstream does not say. */
  readonly expiresAt: number | null;
}

/** Random texts that bind an upstream's callback to the authorization request. */
export interface LegSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface UpstreamOptions {
  readonly plan: UpstreamPlan;
  readonly identity: ClientSource;
  readonly client: OutgoingClient;
}

const SCOPES_OF_OPENID_CONNECT = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access'];

/** How long a discovery document is cached; milliseconds. */
const DISCOVERY_FRESH_MS = 10 * 60_000;

export class UpstreamProvider {
  readonly plan: UpstreamPlan;
  readonly #options: UpstreamOptions;
  readonly #http: { [oauth.customFetch]: OAuthFetch; [oauth.allowInsecureRequests]: boolean };
  #discovered: { readonly server: oauth.AuthorizationServer; readonly until: number } | undefined;
  /** The authentication method that this upstream accepted last; used if no discovery document names a method. */
  #authentication: ClientAuthentication = 'client_secret_basic';

  constructor(options: UpstreamOptions) {
    const { plan, client } = options;
    this.plan = plan;
    this.#options = options;
    this.#http = { [oauth.customFetch]: createFetch(client), [oauth.allowInsecureRequests]: plan.allowsHttp };
  }

  /** The URL to which a person's browser is redirected. */
  async buildAuthorizationUrl({ state, nonce, verifier }: LegSecrets): Promise<URL> {
    const { plan } = this;
    const { id } = await this.#options.identity.now();
    const { authorization_endpoint: endpoint } = await this.#discoverServer();
    const url = URL.parse(endpoint ?? '');
    if (url === null || !(url.protocol === 'https:' || (plan.allowsHttp && url.protocol === 'http:')))
      throw this.#createUnavailable('its authorization endpoint is not an https URL');
    const set = (name: string, value: string) => url.searchParams.set(name, value);
    for (const [name, value] of Object.entries(plan.authorizationParams)) set(name, value);
    set('response_type', 'code');
    set('client_id', id);
    set('redirect_uri', plan.redirectUri);
    if (plan.scopes.length > 0) set('scope', plan.scopes.join(' '));
    set('state', state);
    set('code_challenge', await oauth.calculatePKCECodeChallenge(verifier));
    set('code_challenge_method', 'S256');
    if (plan.type === 'oidc') set('nonce', nonce);
    return url;
  }

  /**
   * Exchanges the code of a callback.
   * @throws UpstreamError
   */
  async exchange(
    answer: URLSearchParams,
    { state, nonce, verifier }: LegSecrets,
  ): Promise<{
    readonly tokens: UpstreamTokenSet;
    /** Scopes in the plan that the upstream did not grant; empty when its response names none. */
    readonly missingScopes: readonly string[];
    /** Identifies the person; called only if no earlier upstream has done so. */
    person(): Promise<Person>;
  }> {
    const { plan } = this;
    const server = await this.#discoverServer();
    const identity = await this.#options.identity.now();
    const client = toClient(identity);
    const params = new URLSearchParams(answer);
    // The issuer of an OAuth 2.0 upstream is unknown, because it has no metadata, so `iss` cannot be checked.
    if (plan.type === 'oauth2') params.delete('iss');
    const checked = await this.#mapUpstreamError('denied', () =>
      oauth.validateAuthResponse(server, client, params, state),
    );
    const { result, body } = await this.#request(
      identity,
      authentication =>
        oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          checked,
          plan.redirectUri,
          verifier,
          this.#http,
        ),
      async response => {
        if (plan.type === 'oauth2') return this.#readPlainTokens(response);
        const read = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        await oauth.validateApplicationLevelSignature(server, response, this.#http);
        return read;
      },
    );
    const tokens = toTokenSet(result);
    const claims = plan.type === 'oidc' ? decodeClaims(tokens.idToken) : undefined;
    return {
      tokens,
      missingScopes: listMissingScopes(plan.scopes, result.scope),
      person: () =>
        identifyPerson(plan, { tokens, claims, body }, url => this.#fetchUserInfo(server, url, tokens.accessToken)),
    };
  }

  /**
   * Renews tokens. Members that the upstream's response omits keep their previous values.
   * @throws UpstreamError, `refused` when the person has to sign in again
   */
  async refresh(previous: UpstreamTokenSet): Promise<UpstreamTokenSet> {
    const { refreshToken } = previous;
    if (refreshToken === null) throw new UpstreamError('refused', this.plan.name, 'it issued no refresh token');
    const server = await this.#discoverServer();
    const identity = await this.#options.identity.now();
    const client = toClient(identity);
    const { result } = await this.#request(
      identity,
      authentication => oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, this.#http),
      async response => {
        if (this.plan.type === 'oauth2') return this.#readPlainTokens(response);
        const read = await oauth.processRefreshTokenResponse(server, client, response);
        if (read.id_token !== undefined) await oauth.validateApplicationLevelSignature(server, response, this.#http);
        return read;
      },
    );
    const renewed = toTokenSet(result);
    return {
      ...renewed,
      refreshToken: renewed.refreshToken ?? refreshToken,
      idToken: renewed.idToken ?? previous.idToken,
    };
  }

  close(): Promise<void> {
    return this.#options.client.close();
  }

  async #discoverServer(): Promise<oauth.AuthorizationServer> {
    const { plan } = this;
    if (plan.type === 'oauth2') {
      const { authorizationEndpoint, tokenEndpoint } = plan;
      return {
        issuer: new URL(tokenEndpoint).origin,
        authorization_endpoint: authorizationEndpoint,
        token_endpoint: tokenEndpoint,
      };
    }
    const now = Date.now();
    if (this.#discovered !== undefined && this.#discovered.until > now) return this.#discovered.server;
    const issuer = new URL(plan.issuer);
    const server = await this.#mapUpstreamError('unavailable', async () => {
      const response = await oauth.discoveryRequest(issuer, { algorithm: 'oidc', ...this.#http });
      return oauth.processDiscoveryResponse(issuer, response);
    }).catch(error => {
      // While the discovery document is unavailable, an expired copy is used: the endpoints may work although the document does not.
      if (this.#discovered === undefined) throw error;
      return this.#discovered.server;
    });
    this.#discovered = { server, until: now + DISCOVERY_FRESH_MS };
    return server;
  }

  /** Sends a request to the token endpoint, with the authentication method that the upstream accepts. */
  async #request(
    identity: ClientIdentity,
    send: (authentication: oauth.ClientAuth) => Promise<Response>,
    read: (response: Response) => Promise<Partial<oauth.TokenEndpointResponse>>,
  ): Promise<{ readonly result: Partial<oauth.TokenEndpointResponse>; readonly body: unknown }> {
    const { secret } = identity;
    return this.#mapUpstreamError('refused', async () => {
      const method = identity.authentication ?? (await this.#chooseAuthenticationMethod());
      let response = await send(createClientAuth(secret, method));
      if (secret !== undefined && this.plan.type === 'oauth2' && (response.status === 401 || response.status === 400)) {
        const refused = await readErrorCode(response.clone());
        if (refused === 'invalid_client' || response.status === 401) {
          const other = method === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic';
          response = await send(createClientAuth(secret, other));
          if (response.ok) this.#authentication = other;
        }
      }
      if (!response.ok && (await readErrorCode(response.clone())) === 'invalid_client')
        await this.#options.identity.refused(identity);
      const body: unknown = await response
        .clone()
        .text()
        .then(parseAnswer)
        .catch(() => undefined);
      return { result: await read(response), body };
    });
  }

  async #chooseAuthenticationMethod(): Promise<ClientAuthentication> {
    const { token_endpoint_auth_methods_supported: supported } = await this.#discoverServer();
    if (supported === undefined || supported.includes(this.#authentication)) return this.#authentication;
    return supported.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic';
  }

  /** Reads a token response of an upstream without OpenID Connect, or a response for which the plan names paths. */
  async #readPlainTokens(response: Response): Promise<Partial<oauth.TokenEndpointResponse>> {
    const { plan } = this;
    const mapping = plan.type === 'oauth2' ? plan.tokenResponse : null;
    if (!response.ok) {
      const code = await readErrorCode(response);
      const cause = code === undefined ? `its token endpoint answers ${response.status}` : formatCode(code);
      throw new UpstreamError(response.status >= 500 ? 'unavailable' : 'refused', plan.name, cause);
    }
    const body = parseAnswer(await response.text());
    const accessToken = toText(getValueAt(body, mapping?.accessTokenPath ?? 'access_token'));
    if (accessToken === undefined) {
      const code = toText(getValueAt(body, 'error'));
      throw new UpstreamError(
        'refused',
        plan.name,
        code === undefined ? 'its answer has no access token' : formatCode(code),
      );
    }
    const expiresIn = Number(toText(getValueAt(body, mapping?.expiresInPath ?? 'expires_in')));
    const refreshToken = toText(getValueAt(body, mapping?.refreshTokenPath ?? 'refresh_token'));
    const idToken = toText(getValueAt(body, 'id_token'));
    const granted = getValueAt(body, mapping?.scopePath ?? 'scope');
    const scope = Array.isArray(granted) ? granted.join(' ') : toText(granted);
    return {
      access_token: accessToken,
      ...(scope === undefined ? {} : { scope }),
      ...(Number.isFinite(expiresIn) && expiresIn > 0 ? { expires_in: expiresIn } : {}),
      ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
      ...(idToken === undefined ? {} : { id_token: idToken }),
    };
  }

  async #fetchUserInfo(
    server: oauth.AuthorizationServer,
    url: string | undefined,
    accessToken: string,
  ): Promise<unknown> {
    const { userInfo, allowsHttp } = this.plan;
    const at = URL.parse(url ?? server.userinfo_endpoint ?? '');
    if (at === null || !(at.protocol === 'https:' || (allowsHttp && at.protocol === 'http:')))
      throw this.#createUnavailable('its userinfo endpoint is not an https URL');
    const answer = await this.#mapUpstreamError('unavailable', () =>
      this.#options.client.request({
        method: userInfo?.method ?? 'GET',
        url: at,
        headers: { accept: 'application/json', ...userInfo?.headers, authorization: `Bearer ${accessToken}` },
      }),
    );
    if (answer.status !== 200) throw this.#createUnavailable(`its userinfo endpoint answers ${answer.status}`);
    try {
      return parseAnswer(answer.body);
    } catch {
      throw this.#createUnavailable('its userinfo endpoint answers with something other than JSON');
    }
  }

  /** Converts failures to UpstreamErrors, which contain nothing secret. */
  async #mapUpstreamError<T>(refusedAs: UpstreamError['reason'], ask: () => T | Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.#toFailure(error, refusedAs);
    }
  }

  #toFailure(error: unknown, refusedAs: UpstreamError['reason']): UpstreamError {
    const { name } = this.plan;
    if (error instanceof UpstreamError) return error;
    if (error instanceof oauth.AuthorizationResponseError)
      return new UpstreamError('denied', name, formatCode(error.error));
    if (error instanceof oauth.ResponseBodyError)
      return new UpstreamError(error.status >= 500 ? 'unavailable' : refusedAs, name, formatCode(error.error));
    if (error instanceof oauth.WWWAuthenticateChallengeError)
      return new UpstreamError(refusedAs, name, 'it does not know the client, or its secret');
    if (error instanceof oauth.OperationProcessingError)
      return new UpstreamError(refusedAs === 'denied' ? 'denied' : 'unavailable', name, error.message);
    return this.#createUnavailable(error instanceof Error ? error.message : 'it cannot be reached');
  }

  #createUnavailable(cause: string): UpstreamError {
    return new UpstreamError('unavailable', this.plan.name, cause);
  }
}

function toClient({ id }: ClientIdentity): oauth.Client {
  return { client_id: id, [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
}

function toTokenSet(answer: Partial<oauth.TokenEndpointResponse>): UpstreamTokenSet {
  const { access_token: accessToken = '', refresh_token: refresh, id_token: id, expires_in: seconds } = answer;
  return {
    accessToken,
    refreshToken: refresh ?? null,
    idToken: id ?? null,
    expiresAt: seconds === undefined ? null : Date.now() + seconds * 1000,
  };
}

/**
 * RFC 6749, section 5.1: a response without a scope grants what was requested. Some upstreams separate scopes by commas. OpenID Connect scopes
 * are not compared: providers grant them under other names, or do not repeat them.
 */
function listMissingScopes(requested: readonly string[], granted: string | undefined): readonly string[] {
  if (granted === undefined) return [];
  const all = new Set([...granted.split(/[\s,]+/), ...SCOPES_OF_OPENID_CONNECT]);
  return requested.filter(scope => !all.has(scope));
}

function createClientAuth(secret: string | undefined, method: ClientAuthentication): oauth.ClientAuth {
  if (secret === undefined) return oauth.None();
  return method === 'client_secret_post' ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}

/** The error code of an upstream as the end of a sentence; only codes without unusual characters are shown. */
function formatCode(code: string): string {
  return /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(code) ? `it answers ${code}` : 'it refuses the request';
}

async function readErrorCode(response: Response): Promise<string | undefined> {
  try {
    return toText(((await response.json()) as { error?: unknown }).error);
  } catch {
    return undefined;
  }
}
