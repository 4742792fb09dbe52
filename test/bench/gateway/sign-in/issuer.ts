/** A built gateway that is its own issuer, with users who sign in at it. */
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AuthServerPlan, formatCanonicalJson } from '#schemas';
import { TestBrowser } from '../../../runtime/auth-server/browser.ts';
import { authServerPlan, ownTokens } from '../../../runtime/auth-server/issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream } from '../../../runtime/auth-server/upstreams.ts';
import { backendPlan, gatewayBundle } from '../../../support/gateway.ts';
import { freeOwnPort } from '../../../support/own-port.ts';
import { type Server, startServer } from '../processes.ts';

const CALLBACK = 'http://127.0.0.1:41234/callback';

export interface IssuerOptions {
  /** The folder into which the bundle, the key and the secret are written. */
  readonly folder: string;
  /** The signing key, as PEM. */
  readonly pem: string;
  readonly storage?: AuthServerPlan['storage'];
  /** The number of users who sign in. */
  readonly signIns: number;
  /** The resource of the tokens. By default the origin. */
  readonly resource?: string;
  /** MCP endpoint of a backend. By default none. */
  readonly backend?: string;
}

export interface TokenAnswer {
  readonly access_token: string;
  readonly refresh_token: string;
}

export interface Issuer extends Server {
  readonly issuer: string;
  readonly clientId: string;
  readonly signedIn: readonly TokenAnswer[];
}

/** Starts the gateway and signs the users in. Then the upstream is stopped, so that a request to it would fail. */
export async function startIssuer(options: IssuerOptions): Promise<Issuer> {
  const { folder, pem, storage = null, signIns, backend } = options;
  const port = await freeOwnPort();
  const issuer = `http://127.0.0.1:${port}`;
  const callback = `${issuer}/oauth/callback`;
  const resource = options.resource ?? issuer;
  const upstream = await startOAuth2Upstream(callback);
  const authServer = authServerPlan(issuer, resource, {
    upstreams: [oauth2Plan('forge', upstream, callback)],
    signingKeys: [await written(folder, 'key.pem', pem)],
    hmacSecrets: [await written(folder, 'hmac', 'a secret of a benchmark '.repeat(2))],
    storage,
  });
  const file = join(folder, 'issuer.json');
  const bundle = gatewayBundle({
    backends: backend === undefined ? [] : [backendPlan('json', backend)],
    incomingAuth: ownTokens(issuer, resource, null),
    authServer,
  });
  await writeFile(file, formatCanonicalJson(bundle));
  const addresses = ['--port', String(port), '--internal-address', '127.0.0.1:0'];
  const server = await startServer(['dist/lintel-runtime.js', '--bundle', file, ...addresses]);
  const clientId = await register(issuer);
  const signedIn = await Promise.all(Array.from({ length: signIns }, () => signIn(issuer, clientId)));
  await upstream.close();
  return { ...server, issuer, clientId, signedIn };
}

async function written(folder: string, name: string, text: string) {
  const file = join(folder, name);
  await writeFile(file, text);
  return { env: null, file };
}

async function register(issuer: string): Promise<string> {
  const body = JSON.stringify({ redirect_uris: [CALLBACK] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${issuer}/oauth/register`, { method: 'POST', body, headers });
  return ((await answer.json()) as { client_id: string }).client_id;
}

async function signIn(issuer: string, clientId: string): Promise<TokenAnswer> {
  const browser = new TestBrowser();
  const verifier = randomBytes(32).toString('base64url');
  const url = new URL(`${issuer}/oauth/authorize`);
  url.search = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid offline_access',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const end = await browser.submit(await browser.open(url.href), 'allow', CALLBACK);
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: end.url.searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    code_verifier: verifier,
  };
  const answer = await fetch(`${issuer}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  if (answer.status !== 200) throw new Error(`the sign-in ended at ${end.url}: ${await answer.text()}`);
  return (await answer.json()) as TokenAnswer;
}
