/** Configures oidc-provider, which implements OAuth, from the plan. */
import Provider, { type Client, type Context, errors, interactionPolicy } from 'oidc-provider';
import { AUTH_SERVER_PATHS, type AuthServerPlan } from '#schemas';
import { type Rate, TokenBuckets } from '#shared/util';
import type { Logger } from '../observe/log.ts';
import { createAdapter } from './adapter.ts';
import { type ClientDocuments, DOCUMENT_PROBLEM } from './client-documents.ts';
import { digestSecret, isSecret } from './client-secret.ts';
import { TOKEN_EXCHANGE_GRANT, TOKEN_EXCHANGE_PARAMETERS, type TokenExchange } from './delegation/token-exchange.ts';
import type { AuthServerObserver } from './host.ts';
import { isResource } from './is-resource.ts';
import { PAGE_HEADERS, renderErrorPage, START_AGAIN } from './pages.ts';
import type { SecretRing } from './secret-ring.ts';
import type { SigningKey } from './signing-keys.ts';
import type { Store } from './storage/store.ts';

/** Time limit for a sign-in; seconds. */
export const SIGN_IN_SECONDS = 10 * 60;

export interface EngineOptions {
  readonly plan: AuthServerPlan;
  readonly keys: readonly SigningKey[];
  readonly ring: SecretRing;
  readonly store: Store;
  readonly clientDocuments: ClientDocuments | undefined;
  /** The secrets of the delegate clients, in the order of the plan. */
  readonly delegateSecrets: readonly string[];
  readonly exchange: TokenExchange;
  readonly log: Logger;
  readonly observer: AuthServerObserver;
}

const GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token', TOKEN_EXCHANGE_GRANT];

/** The scopes of a sign-in, with the claims that each includes. */
const CLAIMS = { openid: ['sub'], profile: ['name'], email: ['email'] };

export function createEngine(options: EngineOptions): Provider {
  const { plan, keys, ring, store, clientDocuments, delegateSecrets, exchange, log, observer } = options;
  const [signing] = keys;
  if (signing === undefined) throw new Error('a server without a key');
  const { algorithm, kid } = signing;
  const { lifespans, scopes, resource, audience } = plan;
  const scope = scopes.join(' ');
  const signInPath = `${new URL(plan.browserBase).pathname.replace(/\/$/, '')}${AUTH_SERVER_PATHS.signIn}`;
  const refusals = new TokenBuckets(LOGGED_REFUSALS, 1);
  const provider = new Provider(plan.issuer, {
    adapter: createAdapter({
      store,
      ring,
      algorithm,
      refreshSeconds: lifespans.refreshTokenSeconds,
      upstreams: plan.upstreams.map(({ name }) => name),
      clientDocuments,
      log,
    }),
    jwks: { keys: keys.map(({ jwk }) => jwk) },
    clients: plan.delegateClients.map(({ id }, index) => delegateClient(id, delegateSecrets[index] ?? '')),
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: { id_token_signed_response_alg: algorithm, token_endpoint_auth_method: 'none' },
    enabledJWA: { idTokenSigningAlgValues: [...new Set(keys.map(key => key.algorithm))] },
    scopes: [...scopes],
    claims: CLAIMS,
    responseTypes: ['code'],
    routes: {
      authorization: AUTH_SERVER_PATHS.authorize,
      token: AUTH_SERVER_PATHS.token,
      jwks: AUTH_SERVER_PATHS.jwks,
    },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => true,
    conformIdTokenClaims: false,
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx: Context, requested: string) => {
          if (!isResource(requested, resource) || hasSeveral(ctx))
            throw new errors.InvalidTarget(`tokens are issued for ${resource} alone`);
          return {
            audience,
            scope,
            accessTokenTTL: lifespans.accessTokenSeconds,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: algorithm, kid } },
          };
        },
      },
    },
    formats: {
      customizers: {
        jwt: (_ctx: unknown, _token: unknown, jwt: { payload: Record<string, unknown> }) => {
          jwt.payload.aud = [jwt.payload.aud].flat();
        },
      },
    },
    extraTokenClaims: ({ oidc }: Context, { grantId }: { grantId?: string }) => ({
      tsid: grantId,
      ...oidc.entities.Grant?.names,
    }),
    // oidc-provider also calls this before it marks a refresh token as used, so a request for a wrong resource does not use up the token.
    findAccount: ({ oidc }: Context, accountId: string, token?: { readonly resource?: string }) => {
      if (token !== undefined) settleResource(oidc.params, token.resource, resource);
      return { accountId, claims: () => ({ sub: accountId, ...oidc.entities.Grant?.names }) };
    },
    // Only the grant of this sign-in is used, never the grant of an earlier one.
    loadExistingGrant: (ctx: Context) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    expiresWithSession: () => false,
    issueRefreshToken: (
      _ctx: unknown,
      client: { grantTypeAllowed(type: string): boolean },
      code: { scopes: Set<string> },
    ) => client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access'),
    rotateRefreshToken: true,
    interactions: {
      policy: signInPolicy(),
      url: (_ctx: unknown, { uid }: { uid: string }) => `${signInPath}/${uid}`,
    },
    cookies: {
      keys: ring.deriveCookieKeys(),
      names: { session: 'lintel_browser', interaction: 'lintel_sign_in', resume: 'lintel_resume' },
    },
    ttl: {
      AccessToken: lifespans.accessTokenSeconds,
      AuthorizationCode: lifespans.authCodeSeconds,
      Grant: lifespans.refreshTokenSeconds,
      IdToken: lifespans.accessTokenSeconds,
      Interaction: SIGN_IN_SECONDS,
      RefreshToken: lifespans.refreshTokenSeconds,
      Session: SIGN_IN_SECONDS,
    },
    renderError: (ctx: Context, error: ProviderError) => {
      if (refusals.take('', performance.now()) === 0) logRefusal(log, ctx, error);
      renderError(ctx, error);
    },
  });
  // The person's name and email are stored with the grant, because the access token and the ID token both contain them.
  const { IN_PAYLOAD: payloadMembers } = provider.Grant;
  Object.defineProperty(provider.Grant, 'IN_PAYLOAD', { value: [...payloadMembers, 'names'] });
  // The store has only a digest of the client's secret.
  provider.Client.prototype.compareClientSecret = function compare(this: Client, actual: string): boolean {
    return isSecret(actual, this.clientSecret ?? '');
  };
  if (plan.delegateClients.length > 0)
    provider.registerGrantType(TOKEN_EXCHANGE_GRANT, ctx => exchange.answer(ctx), TOKEN_EXCHANGE_PARAMETERS, [
      'audience',
      'resource',
    ]);
  // oidc-provider trusts the host and scheme headers, because `routes.ts` overwrites them with the values of the plan.
  provider.proxy = true;
  provider.on('grant.success', (ctx: Context) => observer.tokenRequest(readGrantType(ctx), 'issued'));
  provider.on('grant.error', (ctx: Context, error: { readonly error?: string }) =>
    observer.tokenRequest(readGrantType(ctx), error.error ?? 'server_error'),
  );
  provider.on('server_error', (_ctx: unknown, error: Error) =>
    log.error({ err: error }, 'the authorization server failed'),
  );
  provider.on('grant.error', (ctx: Context, error: Error & { readonly statusCode?: number }) => {
    if (error.statusCode === 503) ctx.set({ 'Retry-After': '5' });
  });
  provider.on('error', (error: Error) => log.debug({ err: error }, 'an answer of the authorization server failed'));
  return provider;
}

/** The grant type as a label for metrics. All unsupported ones share one label, because clients choose the text. */
function readGrantType({ oidc }: Context): string {
  const { grant_type: grantType } = (oidc.params ?? {}) as { readonly grant_type?: unknown };
  return GRANT_TYPES.find(known => known === grantType) ?? 'other';
}

/** The metadata of a delegate client. It has no redirect URI, because it exchanges tokens without a browser. */
function delegateClient(id: string, secret: string): object {
  return {
    client_id: id,
    client_secret: digestSecret(secret),
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: [TOKEN_EXCHANGE_GRANT],
    response_types: [],
    redirect_uris: [],
  };
}

/**
 * Checks the requested resource of a token, which must be the resource of the sign-in, and replaces it by its granted form.
 * @throws InvalidTarget
 */
function settleResource(params: Context['oidc']['params'], granted: string | undefined, own: string): void {
  const { resource: requested } = params as { readonly resource?: string | readonly string[] };
  if (requested === undefined) return;
  if (![requested].flat().every(value => isResource(value, own)) || [requested].flat().length > 1)
    throw new errors.InvalidTarget(`tokens are issued for ${own} alone`);
  params.resource = granted;
}

function hasSeveral({ oidc }: Context): boolean {
  const { resource } = oidc.params as { readonly resource?: unknown };
  return Array.isArray(resource) && resource.length > 1;
}

/** A person signs in and consents in each authorization request; the sign-in pages answer both prompts at once. */
function signInPolicy() {
  const { Check, Prompt } = interactionPolicy;
  const isAnswered = (ctx: Context) => ctx.oidc.result?.login !== undefined;
  return [
    new Prompt(
      { name: 'login', requestable: true },
      new Check('sign_in', 'a person has to sign in', (ctx: Context) => !isAnswered(ctx)),
    ),
    new Prompt({ name: 'consent', requestable: true }),
  ];
}

/** Every browser can send such requests, so not each of them is logged. */
const LOGGED_REFUSALS: Rate = { maxTokens: 5, refillPeriodMs: 5_000 };

/** Maximum length of a logged parameter. */
const MAX_LOGGED = 256;

function logRefusal(log: Logger, { oidc }: Context, { error, error_description: cause }: ProviderError): void {
  const { client_id: client, redirect_uri: redirectUri } = oidc?.params ?? {};
  const cut = (value: string | undefined) => value?.slice(0, MAX_LOGGED);
  log.info({ client: cut(client), redirectUri: cut(redirectUri), error, cause }, 'a sign-in ended on an error page');
}

type ProviderError = Readonly<Record<string, string | undefined>>;

/** Shows an error to the person that cannot be sent to the client, because the client or its redirect URI is unknown. */
function renderError(ctx: Context, { error, error_description: description }: ProviderError): void {
  const [title, what, advice] = explainError(error, description);
  ctx.set(PAGE_HEADERS);
  ctx.body = renderErrorPage(title, what, advice);
}

function explainError(error = '', description = ''): readonly [title: string, what: string, advice: string] {
  if (
    /^(?:session_not_found|expired)/i.test(error) ||
    (/expired|not found|mismatch/.test(description) && error !== 'invalid_client')
  )
    return [
      'This sign-in is over',
      'It took too long, was finished already, or began in another browser.',
      START_AGAIN,
    ];
  const isAboutDocument = description.startsWith(DOCUMENT_PROBLEM);
  if (error === 'temporarily_unavailable' && isAboutDocument)
    return ['This application cannot be looked up now', 'Its description cannot be fetched.', 'Try again in a moment.'];
  if (isAboutDocument)
    return [
      'The description of this application is not valid',
      `${description}.`,
      'Tell the developer of the application. If you did not start this sign-in yourself, close the page.',
    ];
  if (error === 'invalid_client')
    return [
      'This application is not known here',
      'It has not registered with this server, or its registration has expired.',
      'Remove the server from the application and add it again, so that it registers again.',
    ];
  if (error === 'invalid_redirect_uri')
    return [
      'This application wants you to return to an unknown address',
      'The address that it wants you to return to is not the one that it registered, so nothing was sent there.',
      'If you did not start this sign-in yourself, close the page. Otherwise tell the developer of the application.',
    ];
  if (error === 'temporarily_unavailable')
    return ['This sign-in cannot go on now', 'The server cannot reach its store now.', 'Try again in a moment.'];
  return [
    'This sign-in cannot go on',
    `The application sent a request that is not valid: ${description === '' ? error : description}.`,
    'Tell the developer of the application. If you did not start this sign-in yourself, close the page.',
  ];
}
