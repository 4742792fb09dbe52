/**
 * A real identity provider in this process (oidc-provider): discovery, keys, client credentials, token exchange (RFC 8693), JWT bearer (RFC
 * 7523), introspection and revocation. The test sets the identity of any client, so that it can get tokens of all kinds over HTTP.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK, jwtVerify } from 'jose';
import Provider, { type Context, errors } from 'oidc-provider';
import { listenOnOwnPort } from './own-port.ts';

export interface IdentityProviderOptions {
  /**
   * With it, the provider serves https at `https://localhost`; by default http at `http://127.0.0.1`. `ca` is the issuer of the certificate,
   * unless the certificate is self-signed.
   */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string };
  /** Appended to the origin to form the issuer, such as `/`. By default none. */
  readonly issuerSuffix?: string;
}

export interface TokenWish {
  /** By default `gateway`. */
  readonly audience?: string;
  /** Scopes, separated by spaces. */
  readonly scope?: string;
  /** Claims that are added to the token, for example `sub` and `groups`; those of a JWT may also replace the provider's. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Members that are added to the header of a JWT. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** By default `jwt`. */
  readonly format?: 'jwt' | 'opaque';
  /** By default `RS256`. */
  readonly alg?: 'RS256' | 'PS256' | 'ES256';
  /** The lifetime of the token in seconds; by default 600. */
  readonly expiresIn?: number;
}

export interface ProviderRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly authorization: string | undefined;
}

export interface IdentityProvider {
  readonly issuer: string;
  readonly origin: string;
  readonly discoveryUrl: string;
  readonly jwksUrl: string;
  readonly tokenUrl: string;
  readonly introspectionUrl: string;
  /** A client with all permissions, by `client_secret_basic` or `client_secret_post`. */
  readonly client: { readonly id: string; readonly secret: string };
  /** All received requests. */
  readonly requests: readonly ProviderRequest[];
  /** Number of requests for a path. */
  count(path: string): number;
  /** Gets a token with client credentials. */
  issue(wish?: TokenWish): Promise<string>;
  /** Revokes an opaque token. */
  revoke(token: string): Promise<void>;
  /** Restarts the provider with other keys; opaque tokens stay valid. */
  rotateKeys(): Promise<void>;
  /** Makes the provider refuse connections until `comeBack`. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

const CLIENT = { id: 'test-client', secret: 'test secret: 50%' } as const;

/** A client without a secret: it only sends its id. */
export const PUBLIC_CLIENT = 'public-client';

/** Passes a test's settings to the provider, in addition to the standard parameters. */
const WISH_HEADER = 'x-test-wish';

/** Starts a provider on a free loopback port. The caller stops it. */
export async function startIdentityProvider(options: IdentityProviderOptions = {}): Promise<IdentityProvider> {
  const requests: ProviderRequest[] = [];
  let keys = await newKeys();
  let listener: RequestListener = (_req, res) => void res.writeHead(503).end();
  const onRequest: RequestListener = (req, res) => {
    requests.push({ method: req.method ?? '', path: req.url ?? '', authorization: req.headers.authorization });
    listener(req, res);
  };
  let server = await listen(onRequest, options.tls, 0);
  const { port } = server.address() as AddressInfo;
  const origin = options.tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const issuer = `${origin}${options.issuerSuffix ?? ''}`;
  const serve = () => {
    listener = createProvider(issuer, keys).callback();
  };
  serve();

  const form = async (path: string, params: Record<string, string>, headers: Record<string, string> = {}) => {
    const basic = [CLIENT.id, CLIENT.secret].map(encodeURIComponent).join(':');
    const response = await fetchLocally(`${origin}${path}`, options.tls?.ca ?? options.tls?.cert, {
      body: new URLSearchParams(params).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(basic).toString('base64')}`,
        ...headers,
      },
    });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.body}`);
    return response.body;
  };

  return {
    issuer,
    origin,
    discoveryUrl: `${origin}/.well-known/openid-configuration`,
    jwksUrl: `${origin}/jwks`,
    tokenUrl: `${origin}/token`,
    introspectionUrl: `${origin}/token/introspection`,
    client: CLIENT,
    requests,
    count: path => requests.filter(request => request.path === path).length,
    async issue(wish = {}) {
      const params = { grant_type: 'client_credentials', resource: 'urn:test:resource', scope: wish.scope ?? '' };
      const answer = await form('/token', params, { [WISH_HEADER]: encodeURIComponent(JSON.stringify(wish)) });
      return JSON.parse(answer).access_token as string;
    },
    async revoke(token) {
      await form('/token/revocation', { token });
    },
    async rotateKeys() {
      keys = await newKeys();
      serve();
    },
    goAway: () => closeServer(server),
    async comeBack() {
      server = await listen(onRequest, options.tls, port);
    },
    close: () => closeServer(server),
  };
}

function createProvider(issuer: string, keys: readonly JWK[]): Provider {
  const provider = new Provider(issuer, {
    jwks: { keys },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        grant_types: ['client_credentials', EXCHANGE, JWT_BEARER],
        response_types: [],
        redirect_uris: [],
      },
      {
        client_id: PUBLIC_CLIENT,
        token_endpoint_auth_method: 'none',
        grant_types: [],
        response_types: [],
        redirect_uris: [],
      },
    ],
    scopes: [...SCOPES],
    ttl: { ClientCredentials: (ctx: Context) => wishOf(ctx).expiresIn ?? 600 },
    extraTokenClaims: (ctx: Context, { extra }: { extra?: object }) => ({ ...extra, ...wishOf(ctx).claims }),
    formats: {
      customizers: {
        jwt: (ctx: Context, token: { extra?: object }, jwt: { header: unknown; payload: object }) => {
          jwt.header = wishOf(ctx).header;
          // The provider has overwritten the requested members with its own.
          Object.assign(jwt.payload, token.extra);
        },
      },
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (ctx: Context) => resourceServer(wishOf(ctx)),
      },
    },
  });
  const publicKeys = keys.map(({ d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...rest }) => rest);
  registerAssertionGrants(provider, issuer, publicKeys);
  return provider;
}

/** Scopes that the provider grants. It leaves others out of the token, as RFC 6749 permits. */
const SCOPES = ['openid', 'mcp', 'mcp:read', 'mcp:write', 'tools'] as const;

function resourceServer({ audience = 'gateway', format = 'jwt', alg = 'RS256' }: TokenWish): object {
  return {
    audience,
    scope: SCOPES.join(' '),
    accessTokenFormat: format,
    ...(format === 'jwt' ? { jwt: { sign: { alg } } } : {}),
  };
}

/** Grants that exchange a token for another one with the same subject and groups. */
function registerAssertionGrants(provider: Provider, issuer: string, keys: readonly JWK[]): void {
  const keySet = createLocalJWKSet({ keys: [...keys] });
  const subjectOf = async (token: string | undefined): Promise<Readonly<Record<string, unknown>>> => {
    const opaque = await provider.ClientCredentials.find(token ?? '');
    if (opaque?.isValid === true) return opaque.extra ?? {};
    try {
      return (await jwtVerify(token ?? '', keySet, { issuer })).payload;
    } catch {
      throw new errors.InvalidGrant('the subject token is not valid');
    }
  };
  const trade = (parameter: 'subject_token' | 'assertion') => async (ctx: Context) => {
    const { params, client } = ctx.oidc;
    const { sub, groups } = await subjectOf(params[parameter]);
    const wish = wishOf(ctx);
    const audience = params.audience ?? params.resource ?? wish.audience ?? 'gateway';
    const token = new provider.ClientCredentials({
      client,
      scope: params.scope,
      extra: { sub, ...(groups === undefined ? {} : { groups }), act: { sub: client.clientId } },
    });
    token.resourceServer = resourceServer({ ...wish, audience });
    ctx.oidc.entity('ClientCredentials', token);
    ctx.body = {
      access_token: await token.save(),
      issued_token_type: params.requested_token_type ?? ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: token.expiration,
      ...(params.scope === undefined ? {} : { scope: params.scope }),
    };
  };
  const common = ['audience', 'resource', 'scope', 'requested_token_type', 'requested_token_use'];
  provider.registerGrantType(EXCHANGE, trade('subject_token'), ['subject_token', 'subject_token_type', ...common]);
  provider.registerGrantType(JWT_BEARER, trade('assertion'), ['assertion', ...common]);
}

function wishOf(ctx: Context): TokenWish {
  const header = ctx.get(WISH_HEADER);
  return header === '' ? {} : JSON.parse(decodeURIComponent(header));
}

async function newKeys(): Promise<JWK[]> {
  const suffix = Math.random().toString(36).slice(2, 8);
  return Promise.all(
    (['RS256', 'PS256', 'ES256'] as const).map(async alg => {
      const { privateKey } = await generateKeyPair(alg, { extractable: true });
      return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: `${alg}-${suffix}` };
    }),
  );
}

async function listen(handler: RequestListener, tls: IdentityProviderOptions['tls'], port: number): Promise<Server> {
  const server = tls === undefined ? createServer(handler) : createSecureServer(tls, handler);
  await listenOnOwnPort(server, port);
  return server;
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** A POST that trusts the given certificate. */
async function fetchLocally(
  url: string,
  ca: string | undefined,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<{ status: number; body: string }> {
  const { request } = ca === undefined ? await import('node:http') : await import('node:https');
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method: 'POST', headers, agent: false, ...(ca === undefined ? {} : { ca }) }, resolve)
      .on('error', reject)
      .end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') };
}
