/** Identity providers for signing in: a certified one, and a simple one written from RFC 6749 and RFC 7636. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import Provider from 'oidc-provider';
import type { OAuth2UpstreamPlan, OidcUpstreamPlan } from '#schemas';
import { listenOnOwnPort } from '../../support/own-port.ts';

export interface TestUpstream {
  readonly origin: string;
  /** The user at the provider: a change takes effect at the next sign-in. Null: the user denies consent. */
  person: string | null;
  /** Whether the provider asks for consent first, with a page that has a link to continue. */
  asks: boolean;
  /** Number of token requests, by grant type. */
  readonly grants: string[];
  /** The number of tokens that the upstream without OIDC has renewed. */
  renewals: number;
  /** Registered clients. */
  readonly registered: { readonly client_id: string; readonly client_secret: string }[];
  /** The registration requests, each with its token. */
  readonly wishes: object[];
  refusesRegistration: boolean;
  /** Tokens that it issued, where it records them. */
  readonly issued: string[];
  /** Lifetime of its access tokens; seconds. */
  accessSeconds: number;
  /** Whether it accepts refresh tokens. */
  refreshes: boolean;
  /** Claims of its access tokens, which are then JWTs (plain OAuth 2 only). Null: they are opaque. */
  claims: object | null;
  close(): Promise<void>;
}

const CLIENT = { id: 'gateway', secret: 'the secret of the gateway' };

/** The variables that plans of test upstreams name. */
export const UPSTREAM_SECRET_VARIABLE = 'LINTEL_TEST_UPSTREAM_SECRET';
process.env[UPSTREAM_SECRET_VARIABLE] = CLIENT.secret;

const COMMON = {
  clientId: CLIENT.id,
  clientSecret: { env: UPSTREAM_SECRET_VARIABLE, file: null },
  authorizationParams: {},
  userInfo: null,
  addresses: 'any',
  allowsHttp: true,
} as const;

export function oidcPlan(
  name: string,
  { origin }: Pick<TestUpstream, 'origin'>,
  redirectUri: string,
): OidcUpstreamPlan {
  return {
    ...COMMON,
    type: 'oidc',
    name,
    issuer: origin,
    redirectUri,
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    authorizationParams: { prompt: 'consent' },
    subjectClaim: 'sub',
  };
}

export function oauth2Plan(
  name: string,
  { origin }: Pick<TestUpstream, 'origin'>,
  redirectUri: string,
): OAuth2UpstreamPlan {
  return {
    ...COMMON,
    type: 'oauth2',
    name,
    redirectUri,
    scopes: ['repo'],
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    userInfo: {
      url: `${origin}/user`,
      method: 'GET',
      headers: {},
      subjectFields: ['id'],
      nameFields: ['display', 'login'],
      emailFields: ['mail'],
    },
    registration: null,
    identityFromToken: null,
    tokenResponse: null,
  };
}

/** An OpenID provider (oidc-provider) that signs users in at once. */
export async function startOidcUpstream(callback: string): Promise<TestUpstream> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'upstream' };
  const server = createServer({ keepAliveTimeout: 600_000 });
  await listenOnOwnPort(server);
  const origin = originOf(server.address());
  const upstream = upstreamOf(origin, server);
  const provider = new Provider(origin, {
    jwks: { keys: [jwk] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [callback],
        grant_types: ['authorization_code', 'refresh_token'],
        scope: 'openid profile email offline_access',
      },
    ],
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { AccessToken: () => upstream.accessSeconds },
    findAccount: (_ctx: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, name: `${id} of the company`, email: `${id}@example.com` }),
    }),
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  });
  const handle = provider.callback();
  const finish = async (req: IncomingMessage, res: ServerResponse) => {
    const details = await provider.interactionDetails(req, res);
    const { person } = upstream;
    let result: object = { error: 'access_denied', error_description: 'no' };
    if (person !== null) {
      const grant = new provider.Grant({ accountId: person, clientId: CLIENT.id });
      grant.addOIDCScope('openid profile email offline_access');
      result = { login: { accountId: person }, consent: { grantId: await grant.save() } };
    }
    details.result = result;
    await details.persist();
    res.writeHead(303, { location: details.returnTo }).end();
  };
  server.on('request', async (req, res) => {
    if (req.url?.startsWith('/interaction/') === true)
      return void (upstream.asks && !req.url.endsWith('?yes') ? ask(res, `${req.url}?yes`) : await finish(req, res));
    if (req.url === '/token') {
      if (!upstream.refreshes) return void respond(res, 400, { error: 'invalid_grant' });
      upstream.grants.push('token');
    }
    handle(req, res);
  });
  return upstream;
}

/** An upstream with plain OAuth 2: no discovery, no ID token, client credentials in the body only. */
export async function startOAuth2Upstream(callback: string): Promise<TestUpstream> {
  const server = createServer({ keepAliveTimeout: 600_000 });
  await listenOnOwnPort(server);
  const origin = originOf(server.address());
  const upstream = upstreamOf(origin, server);
  const codes = new Map<string, { readonly challenge: string; readonly person: string }>();
  const tokens = new Map<string, string>();
  const isKnown = (id: string | null, secret: string | null) =>
    (id === CLIENT.id && secret === CLIENT.secret) ||
    upstream.registered.some(client => client.client_id === id && client.client_secret === secret);
  const jwt = (person: string, jti: string) =>
    new SignJWT({ sub: person, ...upstream.claims, jti }).setProtectedHeader({ alg: 'HS256' }).sign(randomBytes(32));
  const issue = async (person: string) => {
    const [random, refresh] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
    const access = upstream.claims === null ? random : await jwt(person, random);
    tokens.set(access, person).set(refresh, person);
    upstream.issued.push(access, refresh);
    return { access_token: access, token_type: 'bearer', expires_in: upstream.accessSeconds, refresh_token: refresh };
  };
  server.on('request', async (req, res) => {
    const url = new URL(req.url ?? '', origin);
    if (url.pathname === '/.well-known/oauth-authorization-server')
      return void respond(res, 200, {
        registration_endpoint: `${origin}/register`,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      });
    if (url.pathname === '/register') {
      const wish = JSON.parse(await bodyOf(req)) as object;
      upstream.wishes.push({ authorization: req.headers.authorization, ...wish });
      if (upstream.refusesRegistration) return void respond(res, 401, { error: 'invalid_token' });
      const [client_id, client_secret] = [randomBytes(8).toString('hex'), randomBytes(16).toString('hex')];
      upstream.registered.push({ client_id, client_secret });
      return void respond(res, 201, { ...wish, client_id, client_secret });
    }
    if (url.pathname === '/authorize') {
      if (upstream.asks && !url.searchParams.has('yes')) return void ask(res, `${url.pathname}${url.search}&yes=`);
      const back = new URL(callback);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      if (upstream.person === null || url.searchParams.get('redirect_uri') !== callback) {
        back.searchParams.set('error', 'access_denied');
      } else {
        const code = randomBytes(16).toString('hex');
        codes.set(code, { challenge: url.searchParams.get('code_challenge') ?? '', person: upstream.person });
        back.searchParams.set('code', code);
      }
      res.writeHead(302, { location: back.href }).end();
      return;
    }
    if (url.pathname === '/user') {
      const person = tokens.get(req.headers.authorization?.replace('Bearer ', '') ?? '');
      if (person === undefined) return void respond(res, 401, {});
      return void respond(res, 200, {
        id: person === 'alice' ? 4711 : person,
        login: person,
        mail: `${person}@forge.example`,
      });
    }
    const form = new URLSearchParams(await bodyOf(req));
    upstream.grants.push(form.get('grant_type') ?? '');
    if (!isKnown(form.get('client_id'), form.get('client_secret')))
      return void respond(res, 401, { error: 'invalid_client' });
    if (form.get('grant_type') === 'refresh_token') {
      const old = form.get('refresh_token') ?? '';
      const person = tokens.get(old);
      if (person === undefined || !upstream.refreshes) return void respond(res, 400, { error: 'invalid_grant' });
      tokens.delete(old);
      upstream.renewals += 1;
      return void respond(res, 200, await issue(person));
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code === undefined || code.challenge !== proof) return void respond(res, 400, { error: 'invalid_grant' });
    respond(res, 200, await issue(code.person));
  });
  return upstream;
}

function upstreamOf(origin: string, server: ReturnType<typeof createServer>): TestUpstream {
  return {
    origin,
    person: 'alice',
    asks: false,
    grants: [],
    renewals: 0,
    issued: [],
    registered: [],
    wishes: [],
    refusesRegistration: false,
    accessSeconds: 3600,
    refreshes: true,
    claims: null,
    close: async () => {
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A page on which a user consents. */
function ask(res: ServerResponse, yes: string): void {
  const page = `<!doctype html><title>An upstream asks</title><a href="${yes.replaceAll('&', '&amp;')}">yes</a>`;
  res.writeHead(200, { 'content-type': 'text/html' }).end(page);
}

function originOf(address: AddressInfo | string | null): string {
  return `http://127.0.0.1:${(address as AddressInfo).port}`;
}

function respond(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req) text += chunk;
  return text;
}
