/** From specs to callers: the built programs, tokens of a real identity provider, policies on groups and arguments, both SDKs. */
import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { StatusPage } from '#runtime';
import { type IdentityProvider, startIdentityProvider, type TokenWish } from '../../support/identity-provider.ts';
import { PROGRAM, type Program, start, type TemporaryFolder } from '../../support/process.ts';
import { BUILT_IN_TOOLS, type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, buildInto, FREE_PORTS, ready } from '../served.ts';

const RESOURCE = 'https://mcp.corp.example/mcp';
const METADATA = '/.well-known/oauth-protected-resource';

const POLICIES = [
  'permit (principal in Group::"staff", action == Action::"call_tool", resource) when { resource.name like "tools_*" };',
  'forbid (principal, action, resource == Tool::"tools_roots");',
  'permit (principal in Group::"interns", action == Action::"call_tool", resource == Tool::"tools_echo") when { context has arg_topic && context.arg_topic like "draft:*" };',
  'permit (principal in Group::"staff", action == Action::"read_resource", resource);',
];

const specs = (issuer: string, backend: string) => `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp }
spec:
  type: inline
  inline: { issuer: "${issuer}", insecureAllowHTTP: true, jwksAllowPrivateIP: true }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth:
    type: oidc
    oidcConfigRef: { name: corp, audience: "${RESOURCE}", resourceUrl: "${RESOURCE}", scopes: [mcp] }
    authzConfig:
      type: inline
      inline: { policies: ${JSON.stringify(POLICIES)} }
  outgoingAuth: { source: inline }
  config:
    backends:
      - { name: tools, url: "${backend}", transport: streamable-http }
`;

let idp: IdentityProvider;
let backend: SdkServer;
let folder: TemporaryFolder;
let runtime: Program;
let url: string;
let internal: string;

beforeAll(async () => {
  [idp, backend] = await Promise.all([startIdentityProvider(), startSdkServer({ transport: 'streamable-http' })]);
  folder = await buildInto({ 'all.yaml': specs(idp.issuer, backend.url) });
  runtime = start(PROGRAM.runtime, ['--bundle', 'out', ...FREE_PORTS], { cwd: folder.path });
  const announcement = await runtime.announcement<Announcement>();
  await ready(announcement);
  ({ url, internal } = announcement);
});

afterAll(async () => {
  await runtime[Symbol.asyncDispose]();
  await Promise.all([idp.close(), backend.close(), folder[Symbol.asyncDispose]()]);
});

const tokenOf = (sub: string, groups: readonly string[], more: TokenWish = {}) =>
  idp.issue({ audience: RESOURCE, scope: 'mcp', ...more, claims: { sub, groups } });

interface AnyClient {
  listTools(): Promise<{ tools: readonly { name: string }[] }>;
  listResources(): Promise<{ resources: readonly { uri: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const CLIENTS = {
  'in a session': async requestInit => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
    return client as unknown as AnyClient;
  },
  'without sessions': async requestInit => {
    const client = new StatelessClient({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StatelessTransport(new URL(url), { requestInit }));
    return client as unknown as AnyClient;
  },
} satisfies { [kind: string]: (requestInit: RequestInit) => Promise<AnyClient> };

/** Which tools each caller may call, and with which arguments. */
const MAY: readonly (readonly [
  sub: string,
  groups: readonly string[],
  args: Record<string, unknown>,
  may: readonly string[],
])[] = [
  ['ann', ['staff'], {}, BUILT_IN_TOOLS.filter(name => name !== 'roots')],
  ['ira', ['interns'], { topic: 'draft: plan' }, ['echo']],
  ['gus', [], {}, []],
];

/** Tools that answer without elicitation or delay. */
const QUICK = ['echo', 'progress', 'log', 'fail', 'roots'] as const;

describe.each(Object.entries(CLIENTS))('a client %s', (_, connect) => {
  test.each(MAY)(
    'a client lists exactly the tools that the caller %s may call',
    async (sub, groups, args, may) => {
      const client = await connect({ headers: { Authorization: `Bearer ${await tokenOf(sub, groups)}` } });
      onTestFinished(() => client.close());
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(may.map(name => `tools_${name}`).sort());
      for (const name of QUICK) {
        const call = client.callTool({ name: `tools_${name}`, arguments: args });
        if (may.includes(name)) await expect(call, name).resolves.toHaveProperty('content');
        else await expect(call, name).rejects.toThrow(`unknown tool "tools_${name}"`);
      }
      const { resources } = await client.listResources();
      expect(resources.length > 0).toBe(sub === 'ann');
    },
    60_000,
  );

  test('a gateway decides by the arguments of a call if a policy reads them', async () => {
    const client = await connect({ headers: { Authorization: `Bearer ${await tokenOf('ira', ['interns'])}` } });
    onTestFinished(() => client.close());
    const call = (args: Record<string, unknown>) => client.callTool({ name: 'tools_echo', arguments: args });
    await expect(call({ topic: 'draft: plan' })).resolves.toHaveProperty('content');
    for (const args of [{}, { topic: 'final' }, { topic: 7 }]) await expect(call(args)).rejects.toThrow();
  });
});

const MESSAGE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

async function answerTo(headers: Record<string, string>) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: MESSAGE,
  });
  const challenge = answer.headers.get('www-authenticate');
  return { status: answer.status, challenge, body: answer.status === 200 ? null : await answer.json() };
}

test('a gateway answers a missing and a wrong token with different errors, and WWW-Authenticate leads to its resource metadata', async () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const where = `resource_metadata="https://mcp.corp.example${METADATA}/mcp"`;
  const missing = await answerTo({});
  expect(missing).toMatchObject({ status: 401, body: { error: 'missing_token' } });
  expect(missing.challenge).toContain(where);
  expect(missing.challenge).not.toContain('error=');

  const foreign = await answerTo(bearer(await tokenOf('ann', ['staff'], { audience: 'https://other.example' })));
  expect(foreign).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
  expect(foreign.challenge).toContain('error="invalid_token"');
  expect(foreign.challenge).toContain(where);

  expect(await answerTo({ authorization: 'Basic YTpi' })).toMatchObject({ status: 401 });
  expect(await answerTo(bearer('a b'))).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  expect(await answerTo(bearer(await tokenOf('ann', ['staff'])))).toMatchObject({ status: 200 });
});

test('a gateway serves the same protected resource metadata with and without the path of its MCP endpoint in the URL', async () => {
  for (const path of [METADATA, `${METADATA}/mcp`]) {
    const answer = await fetch(new URL(path, url));
    expect(await answer.json()).toMatchObject({
      resource: RESOURCE,
      authorization_servers: [idp.issuer],
      scopes_supported: ['mcp'],
      bearer_methods_supported: ['header'],
    });
  }
});

test('/status shows the authentication, the policy engine, and that the provider is reachable', async () => {
  const page = (await (await fetch(`${internal}/status`)).json()) as StatusPage;
  expect(page.authentication).toMatchObject({
    type: 'oidc',
    providers: [{ name: 'corp', issuer: idp.issuer, message: '' }],
  });
  expect(page.authorization).toMatchObject({ engine: 'cedar', policyCount: POLICIES.length });
});
