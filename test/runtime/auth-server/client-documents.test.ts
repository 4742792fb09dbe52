/** Clients whose `client_id` is the URL of a document that describes them. */
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ClientDocuments, isDocumentUrl } from '../../../runtime/authserver/client-documents.ts';
import { type RawServer, startRawServer } from '../../support/raw-server.ts';
import { type BareIssuer, clientTo, startBareIssuer } from './bare-issuer.ts';
import { CALLBACK, RawOAuthClient } from './client.ts';
import { startIssuingGateway } from './issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream } from './upstreams.ts';

const HOST = 'app.test';
const ID = `https://${HOST}/client.json`;

const PLAN = {
  scopes: ['email', 'offline_access', 'openid', 'profile'],
  registration: { baselineScopes: [], allowsSecrets: false, secretRedirectUris: ['https://app.test/secret'] },
};

const DOCUMENT = { client_id: ID, client_name: 'An app', redirect_uris: [CALLBACK] };

/** Responses of the host by path; by default a document whose identifier is its own URL. */
let host: RawServer;
let answers: Record<string, { readonly status?: number; readonly body?: unknown; readonly headers?: object }> = {};
beforeAll(async () => {
  host = await startRawServer(({ path }, out) => {
    const { status = 200, body, headers } = answers[path] ?? {};
    const text = body ?? { ...DOCUMENT, client_id: `https://${HOST}${path}` };
    out
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof text === 'string' ? text : JSON.stringify(text));
  });
});
afterAll(() => host.close());
afterEach(() => {
  answers = {};
});

const fetches = (path = '/client.json') => host.requests.filter(request => request.path === path).length;

let clock = Date.now();
function documents(settings: { maxCached?: number; freshSeconds?: number } = {}): ClientDocuments {
  const client = clientTo({ [HOST]: host.origin });
  const options = { plan: PLAN, settings: { maxCached: 256, freshSeconds: 300, ...settings }, client };
  return new ClientDocuments({ ...options, now: () => clock });
}

describe('the URL of a client metadata document', () => {
  test.each<[id: string, isOne: boolean]>([
    [ID, true],
    ['https://app.test:8443/a/client.json', true],
    ['https://app.test/client?v=1', true],
    ['http://app.test/client.json', false],
    ['https://app.test/', false],
    ['https://app.test', false],
    ['https://app.test/client.json#part', false],
    ['https://user@app.test/client.json', false],
    ['https://:pass@app.test/client.json', false],
    ['https://app.test/a/../client.json', false],
    ['https://app.test/a/%2e%2e/client.json', false],
    ['https://APP.test/client.json', false],
    ['https://app.test:443/client.json', false],
    ['https://аpp.test/client.json', false],
    ['https://app.test\\client.json', false],
    [' https://app.test/client.json', false],
    ['https://app.test/client.json\r\nHost: other', false],
    ['the name of a client that has registered', false],
  ])('the authorization server treats the client id "%s" as the URL of a metadata document: %s', (id, expected) => {
    expect(isDocumentUrl(id)).toBe(expected);
  });

  test('the authorization server refuses a client id whose URL is longer than the limit', () => {
    expect(isDocumentUrl(`https://app.test/${'a'.repeat(2048)}`)).toBe(false);
  });
});

describe('a client metadata document', () => {
  test('the authorization server reads a client from its metadata document, and drops grants that the server does not support', async () => {
    const body = {
      ...DOCUMENT,
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code', 'token'],
      scope: 'openid email calendar',
      token_endpoint_auth_method: 'none',
      logo_uri: 'https://app.test/logo.png',
      jwks_uri: 'https://app.test/keys',
    };
    answers = { '/client.json': { body } };
    expect(await documents().find(ID)).toEqual({
      client_id: ID,
      client_name: 'An app',
      application_type: 'native',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid email',
      token_endpoint_auth_method: 'none',
    });
  });

  test.each<[string, (typeof answers)[string], string]>([
    ['with the id of another client', { body: { ...DOCUMENT, client_id: `${ID}x` } }, 'refused'],
    ['without a client_id', { body: { ...DOCUMENT, client_id: undefined } }, 'refused'],
    ['that is a JSON list', { body: '[]' }, 'refused'],
    ['that is not JSON', { body: '<html>' }, 'refused'],
    ['with a client_secret', { body: { ...DOCUMENT, client_secret: 's' } }, 'refused'],
    [
      'that asks for a client secret',
      { body: { ...DOCUMENT, token_endpoint_auth_method: 'client_secret_post' } },
      'refused',
    ],
    [
      'that asks for private_key_jwt',
      { body: { ...DOCUMENT, token_endpoint_auth_method: 'private_key_jwt' } },
      'refused',
    ],
    ['without redirect URIs', { body: { ...DOCUMENT, redirect_uris: undefined } }, 'refused'],
    ['with a redirect URI of a script', { body: { ...DOCUMENT, redirect_uris: ['javascript:alert(1)'] } }, 'refused'],
    [
      'with a redirect URI for clients with a secret',
      { body: { ...DOCUMENT, redirect_uris: ['https://app.test/secret'] } },
      'refused',
    ],
    ['that asks for another grant', { body: { ...DOCUMENT, grant_types: ['client_credentials'] } }, 'refused'],
    ['that asks for the implicit flow', { body: { ...DOCUMENT, response_types: ['token'] } }, 'refused'],
    ['that is too large', { body: { ...DOCUMENT, more: 'x'.repeat(16 * 1024) } }, 'refused'],
    [
      'that is answered with a redirect',
      { status: 302, headers: { location: 'https://app.test/other.json' } },
      'refused',
    ],
    ['that is answered with 404', { status: 404 }, 'refused'],
    ['that is answered with 410', { status: 410 }, 'refused'],
    ['that is answered with 500', { status: 500 }, 'unavailable'],
    ['that is answered with 429', { status: 429 }, 'unavailable'],
  ])('the authorization server reads no client from a metadata document %s', async (_, answer, reason) => {
    answers = { '/client.json': answer };
    await expect(documents().find(ID)).rejects.toMatchObject({ name: 'ClientDocumentError', reason });
  });

  test('the authorization server fetches a client metadata document once for concurrent requests, and again after its cached copy is old', async () => {
    const all = documents({ freshSeconds: 60 });
    const before = fetches();
    await Promise.all(Array.from({ length: 20 }, () => all.find(ID)));
    await all.find(ID);
    expect(fetches() - before).toBe(1);
    clock += 61_000;
    answers = { '/client.json': { body: { ...DOCUMENT, redirect_uris: ['https://app.test/new'] } } };
    expect((await all.find(ID)).redirect_uris).toEqual(['https://app.test/new']);
    expect(fetches() - before).toBe(2);
  });

  test('a client document stays valid for a day while its host is down, and becomes invalid when its host answers 410', async () => {
    const all = documents({ freshSeconds: 60 });
    await all.find(ID);
    answers = { '/client.json': { status: 503 } };
    clock += 23 * 3600_000;
    expect(await all.find(ID)).toMatchObject({ client_id: ID });
    const before = fetches();
    await all.find(ID);
    // The document is not fetched for each request.
    expect(fetches()).toBe(before);
    clock += 2 * 3600_000;
    await expect(all.find(ID)).rejects.toMatchObject({ reason: 'unavailable' });
    const other = documents({ freshSeconds: 60 });
    answers = {};
    await other.find(ID);
    answers = { '/client.json': { status: 404 } };
    clock += 61_000;
    await expect(other.find(ID)).rejects.toMatchObject({ reason: 'refused' });
    answers = { '/client.json': { status: 503 } };
    clock += 11_000;
    await expect(other.find(ID)).rejects.toMatchObject({ reason: 'unavailable' });
  });

  test('after an invalid client metadata document, the authorization server waits before it fetches the document again', async () => {
    const all = documents();
    answers = { '/client.json': { status: 404 } };
    const before = fetches();
    for (let time = 0; time < 5; time++) await expect(all.find(ID)).rejects.toThrow();
    expect(fetches() - before).toBe(1);
    clock += 10_001;
    answers = {};
    expect(await all.find(ID)).toMatchObject({ client_id: ID });
  });

  test('the error that a client gets about its metadata document reveals nothing about the network of the gateway', async () => {
    const all = new ClientDocuments({
      plan: PLAN,
      settings: { maxCached: 1, freshSeconds: 1 },
      client: { request: () => Promise.reject(new Error('db.internal leads to 10.1.2.3')), close: async () => {} },
    });
    const error = await all.find(ID).catch(thrown => thrown);
    expect([error.message, error.cause.message]).toEqual([
      'the metadata document of the client: it cannot be fetched now',
      'db.internal leads to 10.1.2.3',
    ]);
  });
});

describe('many client documents', () => {
  const idOf = (number: number) => `https://${HOST}/many/${number}`;

  test('the authorization server fetches at most a few new client metadata documents a second, and keeps those of active clients cached', async () => {
    const all = documents({ maxCached: 10, freshSeconds: 60 });
    await all.find(ID);
    all.keep(ID);
    const before = host.requests.length;
    const outcomes = await Promise.allSettled(Array.from({ length: 500 }, (_, number) => all.find(idOf(number))));
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(20);
    expect(host.requests.length - before).toBeLessThanOrEqual(20);
    expect(all.size).toBeLessThanOrEqual(10);
    // The client's document is renewed while the client is in use.
    clock += 61_000;
    const flood = Promise.allSettled(Array.from({ length: 500 }, (_, number) => all.find(idOf(1000 + number))));
    expect(await all.find(ID)).toMatchObject({ client_id: ID });
    await flood;
    clock += 61_000;
    answers = { '/client.json': { status: 503 } };
    expect(await all.find(ID)).toMatchObject({ client_id: ID });
  });

  test('the authorization server never keeps more client documents than the limit, even when all their clients are active', async () => {
    const all = documents({ maxCached: 3 });
    for (let number = 0; number < 5; number++) {
      await all.find(idOf(number));
      all.keep(idOf(number));
    }
    expect(all.size).toBe(3);
    await all.find(idOf(9));
    expect(all.size).toBe(3);
  });
});

describe('at the authorization server', () => {
  const clientDocuments = { maxCached: 256, freshSeconds: 1 };
  let issuer: BareIssuer;
  beforeAll(async () => {
    issuer = await startBareIssuer({ plan: () => ({ clientDocuments }), hosts: { [HOST]: host.origin } });
  });
  afterAll(() => issuer.close());

  function clientOf(id = ID): RawOAuthClient {
    const client = new RawOAuthClient(issuer);
    client.id = id;
    return client;
  }

  test('the consent page shows the host of the client metadata document, and a person stays signed in while this host is down', async () => {
    const client = clientOf();
    const page = await client.browser.open(client.authorizationUrl(), CALLBACK);
    expect([page.status, page.text]).toEqual([200, expect.stringMatching(/An app.*Application of.*app\.test/s)]);
    const tokens = await client.signIn();
    answers = { '/client.json': { status: 503 } };
    await new Promise(resolve => setTimeout(resolve, 1_500));
    const { status, body } = await client.refresh(tokens.refresh_token);
    expect([status, body]).toEqual([200, expect.objectContaining({ access_token: expect.any(String) })]);
  });

  test('the authorization server answers invalid_client if a client document was removed, and asks to retry if it cannot be fetched', async () => {
    const id = `https://${HOST}/leaving.json`;
    const client = clientOf(id);
    const { refresh_token: token } = await client.signIn();
    answers = { '/leaving.json': { status: 410 } };
    await new Promise(resolve => setTimeout(resolve, 1_500));
    expect(await client.refresh(token)).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
    const away = clientOf(`https://${HOST}/away.json`);
    answers = { '/away.json': { status: 500 } };
    // Clients discard their tokens at invalid_client.
    expect((await away.refresh(token)).body).toMatchObject({ error: 'temporarily_unavailable' });
    const page = await away.visit();
    expect([page.url.origin, page.text]).toEqual([issuer.issuer, expect.stringContaining('cannot be looked up now')]);
  });

  test('the authorization server refuses a redirect URI that is not in the client document', async () => {
    const { url, text } = await clientOf().visit({ redirect_uri: 'https://evil.example/callback' });
    expect([url.origin, text]).toEqual([issuer.issuer, expect.stringContaining('an unknown address')]);
  });

  test('the authorization server refuses a code if a client with another metadata document sends it', async () => {
    const client = clientOf();
    const code = await client.code();
    const thief = clientOf(`https://${HOST}/thief.json`);
    expect(await thief.redeem(code, { code_verifier: client.verifier })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  test('the metadata of the authorization server announces that it accepts client metadata documents', async () => {
    const metadata = await (await fetch(`${issuer.issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({ client_id_metadata_document_supported: true });
  });
});

test('the HTTP client of the gateway does not fetch client documents from private addresses', async () => {
  const inside = await startRawServer((_request, out) => void out.end('{}'));
  onTestFinished(() => inside.close());
  const upstream = await startOAuth2Upstream('http://127.0.0.1:1/callback');
  onTestFinished(() => upstream.close());
  const gateway = await startIssuingGateway({
    upstreams: at => [oauth2Plan('forge', upstream, at)],
    plan: { clientDocuments: { maxCached: 256, freshSeconds: 300 } },
  });
  onTestFinished(() => gateway.stop());
  for (const where of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1']) {
    const client = new RawOAuthClient(gateway);
    client.id = new URL(`https://${where}:${inside.port}/client.json`).href;
    const { url, text } = await client.visit();
    expect([where, url.origin, text]).toEqual([
      where,
      gateway.origin,
      expect.stringContaining('cannot be looked up now'),
    ]);
    expect(text).not.toContain('private');
  }
  expect(inside.connections).toBe(0);
});

test('the authorization server refuses a client id that is a URL, and fetches nothing, when client documents are turned off', async () => {
  const before = fetches();
  const issuer = await startBareIssuer({ hosts: { [HOST]: host.origin } });
  onTestFinished(() => issuer.close());
  const client = new RawOAuthClient(issuer);
  client.id = ID;
  expect((await client.visit()).text).toContain('not known here');
  expect(fetches()).toBe(before);
});
