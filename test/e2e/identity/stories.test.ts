/** Three gateways that looked safe, modelled on published incidents. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { StatusPage } from '#runtime';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { runLintel } from '../../support/lintel.ts';
import { eventually, PROGRAM, run, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { type RawServer, startRawServer } from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, FREE_PORTS, ready } from '../served.ts';
import { GROUP, inlineGateway } from '../specs.ts';
import { type Host, inNetwork } from './network.ts';

const AUDIENCE = 'https://mcp.corp.example/mcp';

let idp: IdentityProvider;
let backend: SdkServer;

beforeAll(async () => {
  [idp, backend] = await Promise.all([startIdentityProvider(), startSdkServer({ transport: 'streamable-http' })]);
});

afterAll(() => Promise.all([idp.close(), backend.close()]));

/** Accepts users with a token of the issuer. */
function signIn(issuer: string, more: string): string {
  return `---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp }
spec: { type: inline, inline: { issuer: "${issuer}", insecureAllowHTTP: true${more} } }
`;
}

const demandingTokens = (text: string) =>
  text.replace(
    '{ type: anonymous }',
    `{ type: oidc, oidcConfigRef: { name: corp, audience: "${AUDIENCE}", resourceUrl: "${AUDIENCE}" } }`,
  );

async function built(folder: TemporaryFolder, specs: string): Promise<void> {
  await folder.write({ 'specs/all.yaml': specs });
  const { code, stderr } = await runLintel(['build', 'specs', '--out', 'out'], { cwd: folder.path });
  if (code !== 0) throw new Error(stderr);
}

async function served(folder: TemporaryFolder, hosts: { readonly [name: string]: Host } = {}) {
  const args = ['--bundle', 'out', '--watch', ...FREE_PORTS];
  const runtime = start(PROGRAM.runtime, args, inNetwork(hosts, { cwd: folder.path }));
  onTestFinished(() => runtime[Symbol.asyncDispose]());
  const announcement = await runtime.announcement<Announcement>();
  await ready(announcement);
  const { url, internal } = announcement;
  const status = async () => (await (await fetch(`${internal}/status`)).json()) as StatusPage;
  const initialize = async (headers: Record<string, string> = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
    });
    await answer.text();
    return answer.status;
  };
  return { runtime, url, status, initialize };
}

const bearer = async () => ({
  authorization: `Bearer ${await idp.issue({ audience: AUDIENCE, claims: { sub: 'ann' } })}`,
});

describe('turning authentication on left it off', () => {
  test('/status of a gateway that cannot load a new bundle names the security settings that still come from the former bundle', async () => {
    await using folder = await temporaryFolder();
    const open = `${GROUP}---\n${inlineGateway('eng', backend.url)}`;
    await built(folder, open);
    const { runtime, status, initialize } = await served(folder);
    expect((await status()).bundle).toMatchObject({ refused: null, staleSecurity: [] });

    // The token for fetching the key set is not mounted.
    const keyToken = folder.file('key-token');
    const more = `, jwksAllowPrivateIP: true, jwksAuthTokenPath: "${keyToken}"`;
    await built(folder, demandingTokens(open) + signIn(idp.issuer, more));
    const { bundle, authentication } = await eventually(async () => {
      const page = await status();
      return page.bundle.refused === null ? undefined : page;
    });
    expect(bundle.refused).toContain(keyToken);
    expect(bundle.staleSecurity).toEqual(['incomingAuth']);
    expect(authentication.type).toBe('anonymous');
    expect(await initialize()).toBe(200);
    expect(await runtime.stderr.next(/the new bundle is refused, and the running bundle stays/)).toBeDefined();
    expect(runtime.stderr.text).toContain('"staleSecurity":["incomingAuth"]');

    await folder.write({ 'key-token': 'a token' });
    const now = await eventually(async () => {
      const page = await status();
      return page.authentication.type === 'oidc' ? page : undefined;
    });
    expect(now.bundle).toMatchObject({ refused: null, staleSecurity: [] });
    expect(await initialize()).toBe(401);
    expect(await initialize(await bearer())).toBe(200);
  });

  test('a runtime that refuses its first bundle exits with code 2 and never listens', async () => {
    await using folder = await temporaryFolder();
    const specs = `${demandingTokens(`${GROUP}---\n${inlineGateway('eng', backend.url)}`)}${signIn(idp.issuer, ', jwksAuthTokenPath: "/nowhere/token", jwksAllowPrivateIP: true')}`;
    await built(folder, specs);
    const { code, stdout, stderr } = await run(PROGRAM.runtime, ['--bundle', 'out', ...FREE_PORTS], {
      cwd: folder.path,
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('/nowhere/token');
  });

  test('a gateway admits no caller of an OIDC provider on a private address that is not allowed, and /status says why', async () => {
    await using folder = await temporaryFolder();
    const issuer = 'http://id.corp.example';
    const open = `${GROUP}---\n${inlineGateway('eng', backend.url)}`;
    await built(folder, demandingTokens(open) + signIn(issuer, ''));
    const port = Number(new URL(idp.origin).port);
    const { status, initialize } = await served(folder, { 'id.corp.example': { address: '10.0.0.9', port } });
    expect(await initialize()).toBe(401);
    expect(await initialize(await bearer())).not.toBe(200);
    const [provider] = (
      await eventually(async () => {
        const { authentication } = await status();
        return authentication.providers[0]?.message === '' ? undefined : authentication;
      })
    ).providers;
    expect(provider?.message).toMatch(/10\.0\.0\.9.*not allowed|not allowed.*10\.0\.0\.9/);
  });
});

describe('valid, running, no credential', () => {
  const withHeader = (url: string) =>
    `${GROUP}---\n${inlineGateway('eng', url)}`.replace(
      '{ source: inline }',
      '{ source: inline, default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: key } } }',
    );
  const KEY = `---
apiVersion: lintel.dev/v1beta1
kind: MCPExternalAuthConfig
metadata: { name: key }
spec: { type: headerInjection, headerInjection: { headerName: X-Key, valueSecretRef: { name: keys, key: k } } }
`;

  let door: RawServer;
  beforeAll(async () => {
    door = await startRawServer((_request, response) => void response.writeHead(500).end());
  });
  afterAll(() => door.close());

  test('`lintel build` fails if a credential is not described by any object', async () => {
    await using folder = await temporaryFolder({ 'all.yaml': withHeader(door.origin) });
    const { code, stdout, stderr } = await runLintel(['build', '.', '--out', 'out'], { cwd: folder.path });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('error[LNT2001] unresolved-reference: no MCPExternalAuthConfig named "key"');
  });

  test('a gateway does not start without a required secret, and its backend gets no request', async () => {
    await using folder = await temporaryFolder();
    await built(folder, withHeader(door.origin) + KEY);
    const { code, stderr } = await run(PROGRAM.runtime, ['--bundle', 'out', ...FREE_PORTS], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toContain('LINTEL_HEADER_INJECTION_VALUE_KEY');
    expect(door.requests).toEqual([]);
  });
});

describe('the gateway that was safe, and could buy things', () => {
  const DESTRUCTIVE = { readOnlyHint: false, destructiveHint: true };
  const tools = ['search', 'buy', 'pod_exec'].map(name => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object' as const },
    annotations: name === 'search' ? { readOnlyHint: true } : DESTRUCTIVE,
  }));
  let shop: SdkServer;
  let cluster: SdkServer;

  beforeAll(async () => {
    [shop, cluster] = await Promise.all([
      startSdkServer({ transport: 'streamable-http', tools }),
      startSdkServer({ transport: 'streamable-http', tools }),
    ]);
  });
  afterAll(() => Promise.all([shop.close(), cluster.close()]));

  /** The allow-list of one backend, which looks like the gateway's. */
  const specs = (visibility: string) => `${GROUP}---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
  outgoingAuth: { source: inline }
  config:
    backends:
      - { name: shop, url: "${shop.url}", transport: streamable-http }
      - { name: cluster, url: "${cluster.url}", transport: streamable-http }
    aggregation:
      ${visibility}
      tools:
        - { workload: shop, filter: [search] }
`;

  test('the finding about anonymous access to tools lists destructive tools first, if the tool lock has the tools', async () => {
    await using folder = await temporaryFolder({ 'specs/all.yaml': specs('conflictResolution: prefix') });
    expect((await runLintel(['lock', 'specs'], { cwd: folder.path })).code).toBe(0);
    const args = ['check', 'specs', '--format', 'compact', '--fail-on', 'warning'];
    const { code, stdout } = await runLintel(args, { cwd: folder.path });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /warning\[LNT4001\]: anonymous callers reach .*\(2 destructive\).*: "cluster_buy", "cluster_pod_exec"/,
    );
  });

  test('a gateway with defaultToolVisibility: deny shows only the listed tools, and no other tool can be called', async () => {
    await using folder = await temporaryFolder();
    await built(folder, specs('defaultToolVisibility: deny'));
    const { url } = await served(folder);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
    onTestFinished(() => client.close());
    // Backends are discovered one by one.
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    await expect.poll(names).toEqual(['shop_search']);
    for (const name of ['cluster_pod_exec', 'shop_buy']) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow();
    }
  });
});
