/** The gateway of an MCPServer as its manifests start it: the built programs, tokens of a real identity provider, limits in a real Redis. */
import { readFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { runLintel } from '../../support/lintel.ts';
import { withPeers } from '../../support/peers.ts';
import { PROGRAM, type Program, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, FREE_PORTS, ready } from '../served.ts';

const POLICIES = [
  'permit(principal in Group::"staff", action == Action::"call_tool", resource);',
  'forbid(principal, action, resource == Tool::"fail");',
];

const specs = (issuer: string, mcpPort: number, redis: string) => `apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: tickets, namespace: mcp }
spec:
  image: registry.example.com/tickets:3
  transport: streamable-http
  mcpPort: ${mcpPort}
  oidcConfigRef: { name: corp, audience: tickets }
  authzConfig: { type: inline, inline: { policies: ${JSON.stringify(POLICIES)} } }
  toolConfigRef: { name: few }
  sessionStorage: { provider: redis, address: "${redis}" }
  rateLimiting: { tools: [{ name: search, shared: { maxTokens: 1, refillPeriod: 1h } }] }
---
apiVersion: lintel.dev/v1beta1
kind: MCPToolConfig
metadata: { name: few, namespace: mcp }
spec: { toolsFilter: [echo, fail, search] }
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp, namespace: mcp }
spec: { type: inline, inline: { issuer: "${issuer}", insecureAllowHTTP: true, jwksAllowPrivateIP: true } }
`;

interface Emitted {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
}

withPeers('redis-server').describe('the gateway of a server', () => {
  let idp: IdentityProvider;
  let image: SdkServer;
  let redis: RedisServer;
  let folder: TemporaryFolder;
  let runtime: Program;
  let url: string;

  beforeAll(async () => {
    // The SDK's server plays the image's container, which shares loopback with its gateway.
    [idp, image, redis] = await Promise.all([
      startIdentityProvider(),
      startSdkServer({ transport: 'streamable-http', tools: [{ name: 'search' }] }),
      RedisServer.start(),
    ]);
    folder = await temporaryFolder({ 'specs/all.yaml': specs(idp.issuer, image.port, redis.address) });
    const built = await runLintel(['build', 'specs', '--out', 'out', '--manifests', 'manifests'], { cwd: folder.path });
    expect(built).toMatchObject({ code: 0 });
    const emitted = parseAllDocuments(await readFile(folder.file('manifests/mcp/server-tickets.yaml'), 'utf8')).map(
      document => document.toJS() as Emitted,
    );
    const bundle = emitted.find(({ kind }) => kind === 'ConfigMap')?.data?.['bundle.json'] ?? expect.fail();
    const containers = emitted.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec.containers ?? [];
    expect(containers.map(({ name }) => name)).toEqual(['proxy', 'mcp']);
    const [option, mounted = ''] = containers[0]?.args ?? [];
    expect([option, mounted]).toEqual(['--bundle', expect.stringMatching(/^\/etc\/lintel\/bundle\/sha256-/)]);
    await folder.write({ [`${mounted.slice(1)}/bundle.json`]: bundle });
    runtime = start(PROGRAM.runtime, ['--bundle', folder.file(mounted.slice(1)), ...FREE_PORTS]);
    const announcement = await runtime.announcement<Announcement>();
    await ready(announcement);
    ({ url } = announcement);
  }, 120_000);

  afterAll(async () => {
    await runtime?.[Symbol.asyncDispose]();
    await redis?.[Symbol.asyncDispose]();
    await Promise.all([idp?.close(), image?.close(), folder?.[Symbol.asyncDispose]()]);
  });

  const connect = async (token: string) => {
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
    return { client, [Symbol.asyncDispose]: () => client.close() };
  };
  const tokenOf = (audience: string, groups: readonly string[]) =>
    idp.issue({ audience, claims: { sub: 'ann', groups } });

  test('a served MCPServer answers 401 to a caller without a token and to a caller with a token for another server', async () => {
    // On a busy machine a gateway is ready before its backend has responded.
    await expect.poll(() => image.initializations).toBeGreaterThan(0);
    const before = image.initializations;
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const none = await fetch(url, request);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer /)]);
    await expect(connect(await tokenOf('elsewhere', ['staff']))).rejects.toThrow('invalid_token');
    expect(image.initializations).toBe(before);
  });

  test('a served MCPServer shows only the tools that its filter and policies allow, under the names that the server gives them', async () => {
    await using staff = await connect(await tokenOf('tickets', ['staff']));
    const names = async () => (await staff.client.listTools()).tools.map(({ name }) => name);
    await expect.poll(names).toEqual(['echo', 'search']);
    await expect(staff.client.callTool({ name: 'echo', arguments: {} })).resolves.not.toHaveProperty('isError', true);
    // One is forbidden, the other filtered out.
    for (const name of ['fail', 'log'])
      await expect(staff.client.callTool({ name, arguments: {} }), name).rejects.toThrow(`unknown tool "${name}"`);
  });

  test('a served MCPServer shows no tools to a caller whom no policy permits to call a tool', async () => {
    await using guest = await connect(await tokenOf('tickets', []));
    expect((await guest.client.listTools()).tools).toEqual([]);
    await expect(guest.client.callTool({ name: 'echo', arguments: {} })).rejects.toThrow('unknown tool "echo"');
  });

  test('a served MCPServer applies the rate limit of a tool to calls', async () => {
    await using staff = await connect(await tokenOf('tickets', ['staff']));
    const answers = [];
    for (let call = 0; call < 2; call++) answers.push(await staff.client.callTool({ name: 'search', arguments: {} }));
    expect(answers.map(({ isError }) => isError === true)).toEqual([false, true]);
    expect(answers[1]).toMatchObject({ structuredContent: { code: 429 } });
  });
});
