/** Each step of a sign-in, broken in each way: the command names the step and how to fix it. */
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

test('all steps work at a correct server', async () => {
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
  ['everyone is let in', 'challenge', 'open', () => ({ 'POST /mcp': json({ jsonrpc: '2.0', id: 1, result: {} }) })],
  ['a redirect', 'challenge', 'redirected', () => ({ 'POST /mcp': status(308, { location: '/mcp/' }) })],
  ['403', 'challenge', 'forbidden', () => ({ 'POST /mcp': status(403) })],
  ['no such path', 'challenge', 'no-mcp', without('POST /mcp')],
  ['a server that fails', 'challenge', 'failing', () => ({ 'POST /mcp': status(502) })],
  ['400 before 401', 'challenge', 'no-challenge', () => ({ 'POST /mcp': status(400) })],
  ['a relative metadata URL', 'challenge', 'metadata-url-invalid', challenge('Bearer resource_metadata="/meta"')],
  ['no resource metadata', 'resource metadata', 'resource-metadata-missing', without(RESOURCE)],
  ['a page for it', 'resource metadata', 'resource-metadata-unusable', () => ({ [RESOURCE]: html })],
  ['a list for it', 'resource metadata', 'resource-metadata-unusable', () => ({ [RESOURCE]: json([]) })],
  ['500 for it', 'resource metadata', 'resource-metadata-unusable', () => ({ [RESOURCE]: status(500) })],
  [
    'a document that is too large',
    'resource metadata',
    'resource-metadata-unusable',
    () => ({ [RESOURCE]: json({ filling: 'x'.repeat(300_000) }) }),
  ],
  [
    'a redirect in a circle',
    'resource metadata',
    'resource-metadata-unusable',
    () => ({ [RESOURCE]: status(302, { location: '/.well-known/oauth-protected-resource/mcp' }) }),
  ],
  [
    'metadata at the address of a metadata service',
    'resource metadata',
    'resource-metadata-unusable',
    challenge('Bearer resource_metadata="http://169.254.169.254/latest"'),
  ],
  ['no resource', 'resource metadata', 'resource-missing', resource(() => ({ resource: undefined }))],
  ['another host', 'resource metadata', 'resource-differs', resource(() => ({ resource: 'http://inner:4483/mcp' }))],
  ['a path beside', 'resource metadata', 'resource-differs', resource(origin => ({ resource: `${origin}/mc` }))],
  [
    'no authorization server',
    'resource metadata',
    'no-authorization-server',
    resource(() => ({ authorization_servers: [] })),
  ],
  [
    'an authorization server that is no URL',
    'resource metadata',
    'authorization-server-invalid',
    resource(() => ({ authorization_servers: ['login.example.com'] })),
  ],
  [
    'tokens in the body alone',
    'resource metadata',
    'no-header-tokens',
    resource(() => ({ bearer_methods_supported: ['body'] })),
  ],
  ['no issuer metadata', 'issuer metadata', 'issuer-metadata-missing', without(ISSUER)],
  ['a page for it', 'issuer metadata', 'issuer-metadata-unusable', () => ({ [ISSUER]: html, [OPENID]: html })],
  [
    'an issuer where nothing listens',
    'issuer metadata',
    'issuer-metadata-unusable',
    resource(() => ({ authorization_servers: ['http://127.0.0.1:10'] })),
  ],
  [
    'the path of the issuer before the well-known one',
    'issuer metadata',
    'issuer-metadata-misplaced',
    origin => ({
      [RESOURCE]: json(resourceDocument(origin, { authorization_servers: [`${origin}/tenant`] })),
      [`GET /tenant${ISSUER_METADATA}`]: json(issuerDocument(origin, { issuer: `${origin}/tenant` })),
    }),
  ],
  ['no issuer in it', 'issuer metadata', 'issuer-missing', issuer(() => ({ issuer: undefined }))],
  ['a slash too many', 'issuer metadata', 'issuer-differs', issuer(origin => ({ issuer: `${origin}/` }))],
  [
    'no authorization endpoint',
    'issuer metadata',
    'authorization-endpoint-invalid',
    issuer(() => ({ authorization_endpoint: undefined })),
  ],
  [
    'a relative token endpoint',
    'issuer metadata',
    'token-endpoint-invalid',
    issuer(() => ({ token_endpoint: '/token' })),
  ],
  ['no codes', 'issuer metadata', 'no-code', issuer(() => ({ response_types_supported: ['token'] }))],
  [
    'codes that cannot be redeemed',
    'issuer metadata',
    'no-authorization-code',
    issuer(() => ({ grant_types_supported: ['client_credentials'] })),
  ],
  ['no authorization endpoint there', 'endpoints', 'no-authorization-endpoint', without('GET /authorize')],
  ['no token endpoint there', 'endpoints', 'no-token-endpoint', without('POST /token')],
  [
    'an authorization endpoint where nothing listens',
    'endpoints',
    'authorization-endpoint-unreachable',
    issuer(() => ({ authorization_endpoint: 'http://127.0.0.1:10/authorize' })),
  ],
  ['no registration', 'registration', 'no-registration', issuer(() => ({ registration_endpoint: undefined }))],
  [
    'a relative registration endpoint',
    'registration',
    'registration-endpoint-invalid',
    issuer(() => ({ registration_endpoint: '/register' })),
  ],
  ['nothing about PKCE', 'PKCE', 'no-s256', issuer(() => ({ code_challenge_methods_supported: undefined }))],
  ['plain PKCE alone', 'PKCE', 'no-s256', issuer(() => ({ code_challenge_methods_supported: ['plain'] }))],
];

test.each(BROKEN)('with %s the sign-in breaks at %s', async (_, hop, id, change) => {
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

test('docs/operate.md shows what is printed', async () => {
  const report = await examine(resource(() => ({ resource: 'http://vmcp-office.mcp.svc.cluster.local:4483' })));
  const text = renderText(report).replaceAll(world?.origin ?? '', 'https://mcp.example.com');
  expect(readFileSync('docs/operate.md', 'utf8')).toContain(
    `$ npx lintel doctor auth https://mcp.example.com/mcp\n${text}`,
  );
});

test('a slash that makes two issuers is shown', async () => {
  const report = await examine(issuer(origin => ({ issuer: `${origin}/` })));
  expect(renderText(report)).toContain(
    `is of issuer ${world?.origin}/, and "authorization_servers" names ${world?.origin}: a slash at the end`,
  );
});

const REGISTRATION: readonly Row[] = [
  [
    'registration for those with a token',
    'registration',
    'registration-closed',
    () => ({ 'POST /register': json({ error: 'invalid_token' }, 401) }),
  ],
  [
    'registration that refuses loopback',
    'registration',
    'registration-refused',
    () => ({ 'POST /register': json({ error: 'invalid_redirect_uri', error_description: 'https only' }, 400) }),
  ],
  ['registration without an id', 'registration', 'registration-refused', () => ({ 'POST /register': json({}, 201) })],
  [
    'registration that changes the redirect URI',
    'registration',
    'redirect-uri-changed',
    () => ({ 'POST /register': json({ client_id: 'a', redirect_uris: ['https://elsewhere.example/'] }, 201) }),
  ],
  [
    'registration where nothing listens',
    'registration',
    'registration-unreachable',
    issuer(() => ({ registration_endpoint: 'http://127.0.0.1:10/register' })),
  ],
  [
    'a sign-in that is refused',
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

test.each(REGISTRATION)('%s: with --register the sign-in breaks at %s', async (_, hop, id, change) => {
  const report = await examine(change, { registers: true });
  expect(report.firstBroken).toBe(hop);
  expect(report.hops.find(one => one.hop === hop)?.problems).toMatchObject([{ id }]);
});

const WARNED: readonly Row[] = [
  ['no header at all', 'challenge', 'no-www-authenticate', () => ({ 'POST /mcp': status(401) })],
  ['Basic in place of Bearer', 'challenge', 'no-bearer-challenge', challenge('Basic realm="a, Bearer"')],
  ['no response types', 'issuer metadata', 'no-code', issuer(() => ({ response_types_supported: undefined }))],
  ['an endpoint that fails', 'endpoints', 'token-endpoint-failing', () => ({ 'POST /token': status(500) })],
  [
    'no public clients',
    'registration',
    'no-public-clients',
    issuer(() => ({ token_endpoint_auth_methods_supported: ['client_secret_basic'] })),
  ],
  ['plain next to S256', 'PKCE', 'plain-pkce', issuer(() => ({ code_challenge_methods_supported: ['plain', 'S256'] }))],
  [
    'PKCE that nobody demands',
    'PKCE',
    'pkce-not-demanded',
    () => ({
      'GET /authorize': ({ path }, response) =>
        void response.writeHead(path.includes('client_id') ? 302 : 400, { location: '/login' }).end(),
    }),
  ],
];

test.each(WARNED)('with %s clients continue, and %s has a warning', async (_, hop, id, change) => {
  const report = await examine(change, { registers: true });
  expect(report.works).toBe(true);
  expect(report.hops.filter(({ outcome }) => outcome !== 'works')).toMatchObject([
    { hop, outcome: 'warning', problems: [{ id, isBreaking: false }] },
  ]);
  expect(renderText(report)).toContain(`look at: ${hop}`);
});

test('a server that does not answer is no broken hop of its own', async () => {
  const report = await examineAuth(new URL('http://127.0.0.1:10/mcp'), {
    registers: false,
    clientId: undefined,
    timeoutMs: 60_000,
  });
  expect(report).toMatchObject({ works: false, isReached: false, firstBroken: 'challenge' });
});

test('a server that never ends its answer is reported', async () => {
  world = await startOAuthWorld(() => ({ [RESOURCE]: () => {} }));
  const report = await examineAuth(new URL(world.url), { registers: false, clientId: undefined, timeoutMs: 300 });
  expect(report.firstBroken).toBe('resource metadata');
  expect(renderText(report)).toContain('no answer within 0.3 s');
});

const FOUND: readonly (readonly [what: string, change: (origin: string) => Answers])[] = [
  [
    'metadata without a path, where the challenge says nothing',
    origin => ({
      'POST /mcp': status(401, { 'www-authenticate': 'Bearer' }),
      [RESOURCE]: undefined,
      'GET /.well-known/oauth-protected-resource': json(resourceDocument(origin, { resource: origin })),
    }),
  ],
  [
    'an issuer with a path, whose metadata has it behind the well-known path',
    origin => ({
      [RESOURCE]: json(resourceDocument(origin, { authorization_servers: [`${origin}/tenant`] })),
      [`${ISSUER}/tenant`]: json(issuerDocument(origin, { issuer: `${origin}/tenant` })),
    }),
  ],
  [
    'OpenID Connect with the path of the issuer before the well-known path',
    origin => ({
      [RESOURCE]: json(resourceDocument(origin, { authorization_servers: [`${origin}/tenant`] })),
      'GET /tenant/.well-known/openid-configuration': json(issuerDocument(origin, { issuer: `${origin}/tenant` })),
    }),
  ],
  ['an OpenID document alone', origin => ({ [ISSUER]: undefined, [OPENID]: json(issuerDocument(origin)) })],
  [
    'HTTP+SSE, which asks at GET',
    origin => ({
      'POST /mcp': status(405),
      'GET /mcp': status(401, {
        'www-authenticate': `Basic realm="x", Bearer error="invalid_token" , resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      }),
    }),
  ],
  [
    'clients by their metadata documents',
    issuer(() => ({ registration_endpoint: undefined, client_id_metadata_document_supported: true })),
  ],
  [
    'metadata after a redirect',
    origin => ({
      [RESOURCE]: status(301, { location: '/meta' }),
      'GET /meta': json(resourceDocument(origin)),
    }),
  ],
];

test.each(FOUND)('%s is found as clients find it', async (_, change) => {
  expect(await examine(change)).toMatchObject({ works: true, firstBroken: null });
});

test('a client that was registered by hand needs no way to register', async () => {
  const change = issuer(() => ({ registration_endpoint: undefined }));
  expect(await examine(change, { clientId: 'by-hand' })).toMatchObject({ works: true });
});

test('with --register a client is registered, a sign-in begun, and the registration ended', async () => {
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

test('no secret of the server is shown', async () => {
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

test('texts of a server cannot move the cursor', async () => {
  const report = await examine(resource(() => ({ resource: 'http://x/\u001b[2J' })));
  expect(renderText(report)).not.toContain('\u001b');
});
