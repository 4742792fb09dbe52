/** A registry server behind a real identity provider: which callers get in, and which entries they see. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { introspecting, startTrustedProvider, type TrustedProvider } from '../../runtime/registry-door/served-door.ts';
import { startIdentityProvider } from '../../support/identity-provider.ts';
import { listAllServers, type RegistryServer, server, sourceFile, startRegistry } from './registry-server.ts';

const OURS = Array.from({ length: 95 }, (_, index) => `com.example/s${String(index).padStart(3, '0')}`);

let corp: TrustedProvider;
let registry: RegistryServer;

beforeAll(async () => {
  corp = await startTrustedProvider();
  registry = await startRegistry({
    'registry.yaml': `registryName: demo
sources:
  - { name: ours, file: { path: DIR/ours.json }, claims: { team: [a, b] } }
  - { name: open, file: { path: DIR/open.json } }
registries:
  - { name: main, sources: [ours], claims: { org: example } }
  - { name: open, sources: [open] }
auth:
  oauth:
    resourceUrl: https://registry.example
    publicPaths: [/registry/open]
    providers:
${corp.yaml(introspecting(corp))}
  authz: { roles: { superAdmin: [{ role: admin }] } }
`,
    'ours.json': sourceFile(OURS.map(name => server(name))),
    'open.json': sourceFile([server('com.example/open')]),
  });
});

afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await corp.close();
});

const EVERYTHING = OURS.map(name => `${name}@1.0.0`);

test.each(['jwt', 'opaque'] as const)(
  'a client with a token (%s) of the provider pages through all entries of a registry server',
  async format => {
    const token = await corp.token({ format, claims: { org: 'example', team: ['b'] } });
    expect(await listAllServers(registry.main, 30, token)).toEqual(EVERYTHING);
  },
);

test.each([
  ['of another team', { org: 'example', team: 'c' }, []],
  ['of a super admin', { role: 'admin' }, EVERYTHING],
])('a registry server shows a caller %s the entries that its claims allow', async (_, claims, seen) => {
  expect(await listAllServers(registry.main, 100, await corp.token({ claims }))).toEqual(seen);
});

test('a registry server answers 403 to a caller whose organization may not read the registry', async () => {
  const authorization = `Bearer ${await corp.token({ claims: { org: 'other' } })}`;
  const response = await fetch(registry.main, { headers: { authorization } });
  expect([response.status, await response.json()]).toEqual([
    403,
    { error: 'forbidden: insufficient claims for registry' },
  ]);
});

test('the 401 of a registry server leads to its protected resource metadata, which names the provider', async () => {
  const response = await fetch(registry.main);
  const challenge = response.headers.get('www-authenticate') ?? '';
  const metadata = /resource_metadata="([^"]*)"/.exec(challenge)?.[1] ?? '';
  expect([response.status, metadata]).toEqual([401, 'https://registry.example/.well-known/oauth-protected-resource']);
  const { pathname } = new URL(metadata);
  expect(await (await fetch(registry.url + pathname)).json()).toEqual({
    resource: 'https://registry.example',
    authorization_servers: [corp.idp.issuer],
    bearer_methods_supported: ['header'],
    resource_documentation: 'https://registry.example/openapi.json',
  });
});

test('a public registry of a registry server with authentication needs no token', async () => {
  expect(await listAllServers(registry.registries.open ?? '')).toEqual(['com.example/open@1.0.0']);
  const document = (await (await fetch(`${registry.url}/openapi.json`)).json()) as { readonly openapi: string };
  expect(document.openapi).toMatch(/^3\.1\./);
});

test('/status of a registry server names its provider and keys, and its log contains no token', async () => {
  const token = await corp.token({ audience: 'another' });
  const response = await fetch(registry.main, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(401);
  const { authentication } = (await (await fetch(`${registry.internal}/status`)).json()) as {
    readonly authentication: object;
  };
  expect(authentication).toEqual({
    mode: 'oauth',
    providers: [
      {
        name: 'corp',
        issuer: corp.idp.issuer,
        keys: expect.any(Number),
        lastFetch: expect.any(String),
        message: '',
        staleAuthorities: null,
      },
    ],
  });
  const signature = token.split('.').at(-1) ?? '';
  expect(signature).not.toBe('');
  expect(registry.program.stderr.text).not.toContain(signature);
});

test('a registry server accepts a provider without TLS on the same machine, as the compiler does', async () => {
  const local = await startIdentityProvider();
  onTestFinished(() => local.close());
  const audience = 'http://127.0.0.1:8080';
  await using served = await startRegistry({
    'registry.yaml': `registryName: demo
sources: [{ name: ours, file: { path: DIR/servers.json } }]
registries: [{ name: main, sources: [ours] }]
auth:
  oauth:
    resourceUrl: ${audience}
    providers: [{ name: local, issuerUrl: "${local.issuer}", audience: "${audience}", allowPrivateIP: true }]
`,
    'servers.json': sourceFile([server('com.example/a')]),
  });
  const token = await local.issue({ audience, claims: { sub: 'ann' } });
  expect(await listAllServers(served.main, 30, token)).toEqual(['com.example/a@1.0.0']);
});
