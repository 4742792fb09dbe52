/** An official SDK client signs a user in through real upstreams, and calls tools with its token. */
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import { TestBrowser } from './browser.ts';
import { type IssuingGateway, issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { oauth2Plan, oidcPlan, startOAuth2Upstream, startOidcUpstream, type TestUpstream } from './upstreams.ts';

const CALLBACK = 'http://127.0.0.1:41234/callback';

const opened: { close?(): Promise<void>; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await (one.close?.() ?? one.stop?.());
});

async function chain(options: { issuerPath?: string } = {}): Promise<{
  gateway: IssuingGateway;
  company: TestUpstream;
  forge: TestUpstream;
}> {
  const port = await issuingPort();
  const callback = `http://127.0.0.1:${port}/oauth/callback`;
  const company = await startOidcUpstream(callback);
  const forge = await startOAuth2Upstream(callback);
  const gateway = await startIssuingGateway({
    port,
    ...options,
    upstreams: at => [oidcPlan('company', company, at), oauth2Plan('forge', forge, at)],
  });
  opened.push(company, forge, gateway);
  return { gateway, company, forge };
}

/** The state that an SDK client stores. */
class Keeper implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: 'a test', redirect_uris: [CALLBACK] };
  client: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  sentTo: URL | undefined;
  #verifier = '';

  clientInformation = () => this.client;
  saveClientInformation = (client: OAuthClientInformationMixed) => {
    this.client = client;
  };
  tokens = () => this.kept;
  saveTokens = (tokens: OAuthTokens) => {
    this.kept = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
}

async function signIn(gateway: IssuingGateway, keeper = new Keeper(), browser = new TestBrowser()): Promise<Keeper> {
  expect(await auth(keeper, { serverUrl: gateway.url })).toBe('REDIRECT');
  const page = await browser.open(keeper.sentTo?.href ?? '');
  expect(page.status, page.text).toBe(200);
  const end = await browser.submit(page, 'allow', CALLBACK);
  expect(end.url.href, end.text).toContain(CALLBACK);
  expect(end.url.searchParams.get('iss')).toBe(gateway.issuer);
  const authorizationCode = end.url.searchParams.get('code') ?? '';
  expect(await auth(keeper, { serverUrl: gateway.url, authorizationCode })).toBe('AUTHORIZED');
  return keeper;
}

describe.each([['without a path'], ['with a path', '/auth']])('an issuer %s', (_, issuerPath = '') => {
  test('a client finds the authorization server, registers, lets a person sign in at two upstreams, and connects to the gateway', async () => {
    const { gateway, company, forge } = await chain({ issuerPath });
    const keeper = await signIn(gateway);
    expect(company.grants).toHaveLength(1);
    expect(forge.grants).toEqual(['authorization_code', 'authorization_code']); // First with Basic, then in the body.
    const token = keeper.kept?.access_token ?? '';
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(decodeJwt(token)).toMatchObject({
      iss: gateway.issuer,
      aud: [gateway.origin],
      sub: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-/),
      name: 'alice of the company',
      email: 'alice@example.com',
      client_id: (keeper.client as { client_id: string }).client_id,
      tsid: expect.any(String),
      jti: expect.any(String),
      scope: expect.stringContaining('openid'),
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { authProvider: keeper }));
    expect(await client.listTools()).toEqual({ tools: [] });
    await client.close();
  });
});
