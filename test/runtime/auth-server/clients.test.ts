/** Clients of other vendors sign a user in, call the gateway, renew their tokens and call it again. */
import {
  auth as authV2,
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client';
import { auth as authV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TestBrowser } from './browser.ts';
import { callerStatus } from './client.ts';
import { type IssuingGateway, issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream, type TestUpstream } from './upstreams.ts';

const CALLBACK = 'http://127.0.0.1:41234/callback';

let gateway: IssuingGateway;
let forge: TestUpstream;
beforeAll(async () => {
  const port = await issuingPort();
  forge = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
  gateway = await startIssuingGateway({ port, upstreams: at => [oauth2Plan('forge', forge, at)] });
});
afterAll(async () => {
  await gateway.stop();
  await forge.close();
});

/** The URL at which the client listens, with the parameters that it receives. */
async function signIn(url: URL | undefined): Promise<URL> {
  const browser = new TestBrowser();
  const page = await browser.open(url?.href ?? '', CALLBACK);
  return (await browser.submit(page, 'allow', CALLBACK)).url;
}

interface Kept {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
}

/** What both versions of the SDK need from their application. */
class Keeper {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: 'a test',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
  };
  client: object | undefined;
  kept: Kept | undefined;
  sentTo: URL | undefined;
  #verifier = '';
  clientInformation = () => this.client as never;
  saveClientInformation = (client: object) => {
    this.client = client;
  };
  tokens = () => this.kept as never;
  saveTokens = (tokens: Kept) => {
    this.kept = tokens;
  };
  invalidateCredentials = () => {
    this.kept = undefined;
  };
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
}

const SDKS = {
  'the SDK, version 1': {
    auth: (keeper: Keeper, code?: URL) =>
      authV1(keeper, {
        serverUrl: gateway.url,
        // It requests only the scopes of the resource, and a refresh token is none of them.
        scope: 'openid offline_access',
        ...(code === undefined ? {} : { authorizationCode: code.searchParams.get('code') ?? '' }),
      }),
    call: async (keeper: Keeper) => {
      const client = new ClientV1({ name: 'test', version: '1' });
      await client.connect(new TransportV1(new URL(gateway.url), { authProvider: keeper }));
      const { tools } = await client.listTools();
      await client.close();
      return tools;
    },
  },
  'the SDK, version 2': {
    auth: (keeper: Keeper, code?: URL) =>
      authV2(keeper, {
        serverUrl: gateway.url,
        ...(code === undefined
          ? {}
          : {
              authorizationCode: code.searchParams.get('code') ?? '',
              iss: code.searchParams.get('iss') ?? '',
            }),
      }),
    call: async (keeper: Keeper) => {
      const client = new ClientV2({ name: 'test', version: '1' });
      await client.connect(new TransportV2(new URL(gateway.url), { authProvider: keeper }));
      const { tools } = await client.listTools();
      await client.close();
      return tools;
    },
  },
};

describe.each(Object.entries(SDKS))('%s', (_, sdk) => {
  test('a client of the MCP SDK signs in, calls the gateway, and renews its tokens by itself', async () => {
    const keeper = new Keeper();
    expect(await sdk.auth(keeper)).toBe('REDIRECT');
    expect(await sdk.auth(keeper, await signIn(keeper.sentTo))).toBe('AUTHORIZED');
    expect(await sdk.call(keeper)).toEqual([]);
    const first = keeper.kept?.access_token ?? '';
    keeper.kept = { ...(keeper.kept as Kept), access_token: `${first.slice(0, -8)}AAAAAAAA` };
    expect(await sdk.call(keeper)).toEqual([]);
    expect(keeper.kept.access_token).not.toBe(first);
  });

  test('a client of the MCP SDK makes its user sign in again when the upstream refuses to renew the upstream token', async () => {
    const keeper = new Keeper();
    forge.accessSeconds = 1;
    onTestFinished(() => {
      forge.refreshes = true;
    });
    await sdk.auth(keeper);
    await sdk.auth(keeper, await signIn(keeper.sentTo));
    forge.accessSeconds = 3600;
    forge.refreshes = false;
    const token = keeper.kept?.access_token ?? '';
    await expect.poll(() => callerStatus(gateway, token), { interval: 250 }).toBe(401);
    keeper.sentTo = undefined;
    await expect(sdk.call(keeper)).rejects.toThrow();
    expect(await sdk.auth(keeper, await signIn(keeper.sentTo))).toBe('AUTHORIZED');
    expect(await sdk.call(keeper)).toEqual([]);
  });
});

test('the client library oauth4webapi, with all its checks, finds the authorization server, registers, signs in and renews a token', async () => {
  const http = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(gateway.issuer);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...http }),
  );
  const registration = await oauth.dynamicClientRegistrationRequest(server, { redirect_uris: [CALLBACK] }, http);
  const client = await oauth.processDynamicClientRegistrationResponse(registration);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'email offline_access',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: gateway.origin,
    state,
  }).toString();
  const answer = oauth.validateAuthResponse(server, client, await signIn(url), state);
  const none = oauth.None();
  const first = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, none, answer, CALLBACK, verifier, http),
  );
  const renewed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, none, first.refresh_token ?? '', http),
  );
  const request = new Request(gateway.origin, { headers: { authorization: `Bearer ${renewed.access_token}` } });
  const claims = await oauth.validateJwtAccessToken(server, request, gateway.origin, http);
  expect(claims).toMatchObject({ client_id: client.client_id, scope: 'email offline_access' });
});
