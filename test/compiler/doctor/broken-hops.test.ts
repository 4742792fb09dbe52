/** `lintel doctor` names the step of a sign-in that is broken, and how to fix it; for each step and each kind of failure. */
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { examineAuth } from '../../../compiler/doctor/index.ts';
import {
  type Answers,
  html,
  ISSUER_METADATA,
  issuerDocument,
  json,
  type OAuthWorld,
  REGISTRATION_SECRETS,
  resourceDocument,
  startOAuthWorld,
  status,
} from './oauth-world.ts';
import { renderText } from './rendered.ts';

const RESOURCE = 'GET /.well-known/oauth-protected-resource/mcp';
const ISSUER = `GET ${ISSUER_METADATA}`;
const OPENID = 'GET /.well-known/openid-configuration';

let world: OAuthWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function examine(change?: (origin: string) => Answers, options: { registers?: boolean; clientId?: string } = {}) {
  world = await startOAuthWorld(change);
  const { registers = false, clientId } = options;
  return examineAuth(new URL(world.url), { registers, clientId, timeoutMs: 60_000 });
}

const challenge = (header: string) => () => ({ 'POST /mcp': status(401, { 'www-authenticate': header }) });
const resource = (change: (origin: string) => object) => (origin: string) => ({
  [RESOURCE]: json(resourceDocument(origin, change(origin))),
});
const issuer = (change: (origin: string) => object) => (origin: string) => ({
  [ISSUER]: json(issuerDocument(origin, change(origin))),
});
const without = (answer: string) => () => ({ [answer]: undefined });

test('lintel doctor auth finds no problem at a correct server', async () => {
  const report = await examine();
  expect(report).toMatchObject({ works: true, isReached: true, firstBroken: null });
  expect(report.hops.map(({ hop, outcome }) => [hop, outcome])).toEqual([
    ['challenge', 'works'],
    ['resource metadata', 'works'],
    ['issuer metadata', 'works'],
    ['endpoints', 'works'],
    ['registration', 'works'],
    ['PKCE', 'works'],
  ]);
  expect(world?.requests.filter(({ path }) => path.startsWith('/register'))).toEqual([]);
});

type Row = readonly [what: string, hop: string, id: string, change: (origin: string) => Answers];

const BROKEN: readonly Row[] = [
  ['every caller is let in', 'challenge', 'open', () => ({ 'POST /mcp': json({ jsonrpc: '2.0', id: 1, result: {} }) })],
  ['the server redirects', 'challenge', 'redirected', () => ({ 'POST /mcp': status(308, { location: '/mcp/' }) })],
  ['the server answers 403', 'challenge', 'forbidden', () => ({ 'POST /mcp': status(403) })],
  ['the MCP path answers 404', 'challenge', 'no-mcp', without('POST /mcp')],
  ['the server answers 502', 'challenge', 'failing', () => ({ 'POST /mcp': status(502) })],
  ['the server answers 400 before 401', 'challenge', 'no-challenge', () => ({ 'POST /mcp': status(400) })],
  [
    'the resource metadata URL is relative',
    'challenge',
    'metadata-url-invalid',
    challenge('Bearer resource_metadata="/meta"'),
  ],
  ['the resource metadata is missing', 'resource metadata', 'resource-metadata-missing', without(RESOURCE)],
  [
    'the resource metadata is an HTML page',
    'resource metadata',
    'resource-metadata-unusable',
    () => ({ [RESOURCE]: html }),
  ],
  [
    'the resource metadata is a list',
    'resource metadata',
    'resource-metadata-unusable',
    () => ({ [RESOURCE]: json([]) }),
  ],
  [
    'the resource metadata answers 500',
    'resource metadata',
    'resource-metadata-unusable',
    () => ({ [RESOURCE]: status(500) }),
  ],
  [
    'the resource metadata is too large',
    'resource metadata',
    'resource-metadata-unusable',
    () => ({ [RESOURCE]: json({ filling: 'x'.repeat(300_000) }) }),
  ],
  [
    'the resource metadata redirects in a circle',
    'resource metadata',
    'resource-metadata-unusable',
    () => ({ [RESOURCE]: status(302, { location: '/.well-known/oauth-protected-resource/mcp' }) }),
  ],
  [
    'the resource metadata is at a cloud metadata address',
    'resource metadata',
    'resource-metadata-unusable',
    challenge('Bearer resource_metadata="http://169.254.169.254/latest"'),
  ],
  [
    'the resource metadata names no resource',
    'resource metadata',
    'resource-missing',
    resource(() => ({ resource: undefined })),
  ],
  [
    'the resource is on another host',
    'resource metadata',
    'resource-differs',
    resource(() => ({ resource: 'http://inner:4483/mcp' })),
  ],
  [
    'the resource has another path',
    'resource metadata',
    'resource-differs',
    resource(origin => ({ resource: `${origin}/mc` })),
  ],
  [
    'the resource metadata names no authorization server',
    'resource metadata',
    'no-authorization-server',
    resource(() => ({ authorization_servers: [] })),
  ],
  [
    'the authorization server is no URL',
    'resource metadata',
    'authorization-server-invalid',
    resource(() => ({ authorization_servers: ['login.example.com'] })),
  ],
  [
    'tokens are accepted in the body only',
    'resource metadata',
    'no-header-tokens',
    resource(() => ({ bearer_methods_supported: ['body'] })),
  ],
  ['the issuer metadata is missing', 'issuer metadata', 'issuer-metadata-missing', without(ISSUER)],
  [
    'the issuer metadata is an HTML page',
    'issuer metadata',
    'issuer-metadata-unusable',
    () => ({ [ISSUER]: html, [OPENID]: html }),
  ],
  [
    'nothing listens at the issuer',
    'issuer metadata',
    'issuer-metadata-unusable',
    resource(() => ({ authorization_servers: ['http://127.0.0.1:10'] })),
  ],
  [
    'the issuer path comes before the well-known path',
    'issuer metadata',
    'issuer-metadata-misplaced',
    origin => ({
      [RESOURCE]: json(resourceDocument(origin, { authorization_servers: [`${origin}/tenant`] })),
      [`GET /tenant${ISSUER_METADATA}`]: json(issuerDocument(origin, { issuer: `${origin}/tenant` })),
    }),
  ],
  ['the issuer metadata names no issuer', 'issuer metadata', 'issuer-missing', issuer(() => ({ issuer: undefined }))],
  [
    'the issuer has a slash too many',
    'issuer metadata',
    'issuer-differs',
    issuer(origin => ({ issuer: `${origin}/` })),
  ],
  [
    'the authorization endpoint is missing in the metadata',
    'issuer metadata',
    'authorization-endpoint-invalid',
    issuer(() => ({ authorization_endpoint: undefined })),
  ],
  [
    'the token endpoint is relative',
    'issuer metadata',
    'token-endpoint-invalid',
    issuer(() => ({ token_endpoint: '/token' })),
  ],
  [
    'the server issues no authorization codes',
    'issuer metadata',
    'no-code',
    issuer(() => ({ response_types_supported: ['token'] })),
  ],
  [
    'the server redeems no authorization codes',
    'issuer metadata',
    'no-authorization-code',
    issuer(() => ({ grant_types_supported: ['client_credentials'] })),
  ],
  ['the authorization endpoint answers 404', 'endpoints', 'no-authorization-endpoint', without('GET /authorize')],
  ['the token endpoint answers 404', 'endpoints', 'no-token-endpoint', without('POST /token')],
  [
    'nothing listens at the authorization endpoint',
    'endpoints',
    'authorization-endpoint-unreachable',
    issuer(() => ({ authorization_endpoint: 'http://127.0.0.1:10/authorize' })),
  ],
  [
    'the server offers no client registration',
    'registration',
    'no-registration',
    issuer(() => ({ registration_endpoint: undefined })),
  ],
  [
    'the registration endpoint is relative',
    'registration',
    'registration-endpoint-invalid',
    issuer(() => ({ registration_endpoint: '/register' })),
  ],
  [
    'the metadata does not mention PKCE',
    'PKCE',
    'no-s256',
    issuer(() => ({ code_challenge_methods_supported: undefined })),
  ],
  [
    'the server supports only plain PKCE',
    'PKCE',
    'no-s256',
    issuer(() => ({ code_challenge_methods_supported: ['plain'] })),
  ],
];

test.each(BROKEN)('lintel doctor auth reports that %s, at the step "%s"', async (_, hop, id, change) => {
  const report = await examine(change);
  expect(report.works).toBe(false);
  expect(report.firstBroken).toBe(hop);
  const [problem] = report.hops.find(one => one.hop === hop)?.problems ?? [];
  expect(problem).toMatchObject({ id, isBreaking: true });
  expect(problem?.advice).not.toBe('');
  const text = renderText(report);
  expect(text).toContain(`Sign-in breaks at: ${hop}`);
  expect(text).toContain(`fix: ${problem?.advice}`);
});

test('docs/operate.md shows the text that lintel doctor auth prints', async () => {
  const report = await examine(resource(() => ({ resource: 'http://vmcp-office.mcp.svc.cluster.local:4483' })));
  const text = renderText(report).replaceAll(world?.origin ?? '', 'https://mcp.example.com');
  expect(readFileSync('docs/operate.md', 'utf8')).toContain(
    `$ npx lintel doctor auth https://mcp.example.com/mcp\n${text}`,
  );
});

test('lintel doctor auth points out that two issuers differ by a slash at the end', async () => {
  const report = await examine(issuer(origin => ({ issuer: `${origin}/` })));
  expect(renderText(report)).toContain(
    `is of issuer ${world?.origin}/, and "authorization_servers" names ${world?.origin}: a slash at the end`,
  );
});

const REGISTRATION: readonly Row[] = [
  [
    'registration requires a token',
    'registration',
    'registration-closed',
    () => ({ 'POST /register': json({ error: 'invalid_token' }, 401) }),
  ],
  [
    'registration refuses a loopback redirect URI',
    'registration',
    'registration-refused',
    () => ({ 'POST /register': json({ error: 'invalid_redirect_uri', error_description: 'https only' }, 400) }),
  ],
  [
    'registration returns no client id',
    'registration',
    'registration-refused',
    () => ({ 'POST /register': json({}, 201) }),
  ],
  [
    'registration changes the redirect URI',
    'registration',
    'redirect-uri-changed',
    () => ({ 'POST /register': json({ client_id: 'a', redirect_uris: ['https://elsewhere.example/'] }, 201) }),
  ],
  [
    'nothing listens at the registration endpoint',
    'registration',
    'registration-unreachable',
    issuer(() => ({ registration_endpoint: 'http://127.0.0.1:10/register' })),
  ],
  [
    'the authorization endpoint refuses the sign-in',
    'PKCE',
    'request-refused',
    () => ({
      'GET /authorize': ({ path }, response) => {
        const back = new URL(path, 'http://x').searchParams.get('redirect_uri');
        response.writeHead(302, { location: `${back ?? '/'}?error=invalid_scope` }).end();
      },
    }),
  ],
];

test.each(REGISTRATION)(
  'lintel doctor auth --register reports that %s, at the step "%s"',
  async (_, hop, id, change) => {
    const report = await examine(change, { registers: true });
    expect(report.firstBroken).toBe(hop);
    expect(report.hops.find(one => one.hop === hop)?.problems).toMatchObject([{ id }]);
  },
);

const WARNED: readonly Row[] = [
  ['a 401 has no WWW-Authenticate header', 'challenge', 'no-www-authenticate', () => ({ 'POST /mcp': status(401) })],
  [
    'the challenge is Basic in place of Bearer',
    'challenge',
    'no-bearer-challenge',
    challenge('Basic realm="a, Bearer"'),
  ],
  [
    'the issuer metadata lists no response types',
    'issuer metadata',
    'no-code',
    issuer(() => ({ response_types_supported: undefined })),
  ],
  ['the token endpoint answers 500', 'endpoints', 'token-endpoint-failing', () => ({ 'POST /token': status(500) })],
  [
    'the server registers no public clients',
    'registration',
    'no-public-clients',
    issuer(() => ({ token_endpoint_auth_methods_supported: ['client_secret_basic'] })),
  ],
  [
    'the server supports plain PKCE next to S256',
    'PKCE',
    'plain-pkce',
    issuer(() => ({ code_challenge_methods_supported: ['plain', 'S256'] })),
  ],
  [
    'the server does not require PKCE',
    'PKCE',
    'pkce-not-demanded',
    () => ({
      'GET /authorize': ({ path }, response) =>
        void response.writeHead(path.includes('client_id') ? 302 : 400, { location: '/login' }).end(),
    }),
  ],
];

test.each(WARNED)(
  'lintel doctor auth warns that %s, at the step "%s", and says that clients can sign in',
  async (_, hop, id, change) => {
    const report = await examine(change, { registers: true });
    expect(report.works).toBe(true);
    expect(report.hops.filter(({ outcome }) => outcome !== 'works')).toMatchObject([
      { hop, outcome: 'warning', problems: [{ id, isBreaking: false }] },
    ]);
    expect(renderText(report)).toContain(`look at: ${hop}`);
  },
);

test("lintel doctor auth reports that it cannot reach a server if nothing listens at the server's address", async () => {
  const report = await examineAuth(new URL('http://127.0.0.1:10/mcp'), {
    registers: false,
    clientId: undefined,
    timeoutMs: 60_000,
  });
  expect(report).toMatchObject({ works: false, isReached: false, firstBroken: 'challenge' });
});

test('lintel doctor auth reports a server that never answers the request for its resource metadata', async () => {
  world = await startOAuthWorld(() => ({ [RESOURCE]: () => {} }));
  const report = await examineAuth(new URL(world.url), { registers: false, clientId: undefined, timeoutMs: 300 });
  expect(report.firstBroken).toBe('resource metadata');
  expect(renderText(report)).toContain('no answer within 0.3 s');
});

const FOUND: readonly (readonly [what: string, change: (origin: string) => Answers])[] = [
  [
    'resource metadata at the root if the challenge does not name it',
    origin => ({
      'POST /mcp': status(401, { 'www-authenticate': 'Bearer' }),
      [RESOURCE]: undefined,
      'GET /.well-known/oauth-protected-resource': json(resourceDocument(origin, { resource: origin })),
    }),
  ],
  [
    'metadata of an issuer with a path behind the well-known path',
    origin => ({
      [RESOURCE]: json(resourceDocument(origin, { authorization_servers: [`${origin}/tenant`] })),
      [`${ISSUER}/tenant`]: json(issuerDocument(origin, { issuer: `${origin}/tenant` })),
    }),
  ],
  [
    'OpenID Connect metadata with the issuer path before the well-known path',
    origin => ({
      [RESOURCE]: json(resourceDocument(origin, { authorization_servers: [`${origin}/tenant`] })),
      'GET /tenant/.well-known/openid-configuration': json(issuerDocument(origin, { issuer: `${origin}/tenant` })),
    }),
  ],
  ['OpenID Connect metadata only', origin => ({ [ISSUER]: undefined, [OPENID]: json(issuerDocument(origin)) })],
  [
    'an HTTP+SSE server that sends the challenge at GET',
    origin => ({
      'POST /mcp': status(405),
      'GET /mcp': status(401, {
        'www-authenticate': `Basic realm="x", Bearer error="invalid_token" , resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      }),
    }),
  ],
  [
    'client identification by metadata documents',
    issuer(() => ({ registration_endpoint: undefined, client_id_metadata_document_supported: true })),
  ],
  [
    'resource metadata after a redirect',
    origin => ({
      [RESOURCE]: status(301, { location: '/meta' }),
      'GET /meta': json(resourceDocument(origin)),
    }),
  ],
];

test.each(FOUND)('lintel doctor auth finds no problem in what MCP clients accept: %s', async (_, change) => {
  expect(await examine(change)).toMatchObject({ works: true, firstBroken: null });
});

test('lintel doctor auth with a client id does not require client registration', async () => {
  const change = issuer(() => ({ registration_endpoint: undefined }));
  expect(await examine(change, { clientId: 'by-hand' })).toMatchObject({ works: true });
});

test('lintel doctor auth --register registers a client, begins a sign-in and deletes the registration', async () => {
  const report = await examine(undefined, { registers: true });
  expect(report).toMatchObject({ works: true });
  expect(report.hops.every(({ outcome }) => outcome === 'works')).toBe(true);
  expect(world?.requests.map(({ method, path }) => `${method} ${path.split('?', 1)[0]}`)).toEqual([
    'POST /mcp',
    'GET /.well-known/oauth-protected-resource/mcp',
    `GET ${ISSUER_METADATA}`,
    'GET /authorize',
    'POST /token',
    'POST /register',
    'GET /authorize',
    'GET /authorize',
    'DELETE /register/registered',
  ]);
  const [, second] = world?.requests.filter(({ path }) => path.includes('client_id')) ?? [];
  expect(second?.path).toContain('scope=tools');
  expect(second?.path).toContain(`resource=${encodeURIComponent(world?.url ?? '')}`);
});

test('lintel doctor auth shows no secret of the server', async () => {
  const token = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJlLXNpZ25hdHVyZQ';
  const worlds: ((origin: string) => Answers)[] = [
    () => ({}),
    () => ({ 'POST /register': json({ error: 'invalid_token', error_description: `not ${token}` }, 401) }),
    origin => ({ 'POST /mcp': status(302, { location: `${origin}/login?token=${token}` }) }),
    resource(origin => ({ authorization_servers: [`${origin}/?token=${token}`] })),
    () => ({
      'GET /authorize': ({ path }, response) => {
        const back = new URL(path, 'http://x').searchParams.get('redirect_uri');
        response.writeHead(302, { location: `${back ?? '/'}?error=server_error&code=${token}` }).end();
      },
    }),
  ];
  for (const change of worlds) {
    const report = await examine(change, { registers: true });
    const shown = JSON.stringify(report) + renderText(report);
    for (const secret of [...REGISTRATION_SECRETS, token]) expect(shown).not.toContain(secret);
    await world?.close();
  }
});

test('lintel doctor auth escapes control characters in texts of a server', async () => {
  const report = await examine(resource(() => ({ resource: 'http://x/\u001b[2J' })));
  expect(renderText(report)).not.toContain('\u001b');
});
