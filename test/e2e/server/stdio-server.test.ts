/** A stdio server as its manifests start it: its gateway and its bridge, each in a process of its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, type Program, ROOT, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { type Announcement, FREE_PORTS, ready } from '../served.ts';

const PEER = join(ROOT, 'test/bridge/servers/sdk-server.mjs');
const SECRET = 'value-of-the-secret';

const specs = (issuer: string) => `apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: notes, namespace: mcp }
spec:
  image: registry.example.com/notes:2
  command: ${process.execPath}
  args: [${PEER}, --folder, "$(FOLDER)", "$5"]
  env: [{ name: FOLDER, value: /data }]
  secrets: [{ name: notes, key: token, targetEnvName: NOTES_TOKEN }]
  oidcConfigRef: { name: corp, audience: notes }
  authzConfig:
    type: inline
    inline: { policies: ['permit(principal in Group::"staff", action == Action::"call_tool", resource);'] }
  toolConfigRef: { name: few }
---
apiVersion: lintel.dev/v1beta1
kind: MCPToolConfig
metadata: { name: few, namespace: mcp }
spec: { toolsFilter: [arguments, complain, crash, environment] }
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp, namespace: mcp }
spec: { type: inline, inline: { issuer: "${issuer}", insecureAllowHTTP: true, jwksAllowPrivateIP: true } }
`;

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly startupProbe?: { readonly httpGet?: { readonly path: string; readonly port: number } };
}

interface Emitted {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
}

/** Expands a container's arguments as the kubelet does: `$(NAME)` gives the container's variable, and `$$` a dollar sign. */
function expanded(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$(?:(\$)|\((\w+)\))/g, (whole, dollar?: string, name = '') =>
    dollar === undefined ? (variables[name] ?? whole) : '$',
  );
}

describe('a server over its standard streams', () => {
  let idp: IdentityProvider;
  let folder: TemporaryFolder;
  let bridge: Program;
  let runtime: Program;
  let health: string;
  let url: string;

  beforeAll(async () => {
    idp = await startIdentityProvider();
    folder = await temporaryFolder({ 'specs/all.yaml': specs(idp.issuer) });
    const built = await runLintel(['build', 'specs', '--out', 'out', '--manifests', 'manifests'], { cwd: folder.path });
    expect(built).toMatchObject({ code: 0 });
    const text = await readFile(folder.file('manifests/mcp/server-notes.yaml'), 'utf8');
    const emitted = parseAllDocuments(text).map(document => document.toJS() as Emitted);
    const bundle = emitted.find(({ kind }) => kind === 'ConfigMap')?.data?.['bundle.json'] ?? expect.fail();
    const containers = emitted.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec.containers ?? [];
    const [proxy, mcp] = containers;
    expect([proxy?.name, mcp?.name]).toEqual(['proxy', 'mcp']);
    // The variables that Kubernetes takes from the Secret.
    const variables = Object.fromEntries(
      (mcp?.env ?? []).map(({ name, value, valueFrom }) => [name, valueFrom === undefined ? (value ?? '') : SECRET]),
    );
    bridge = start(PROGRAM.bridge, bridgeArguments(mcp, variables), { env: variables });
    const listening = await bridge.announcement<{ readonly url: string; readonly health: string }>();
    health = listening.health;
    await folder.write({ 'bundle/bundle.json': bundle });
    // The bundle expects the bridge at its default port, which may be in use when several tests run.
    runtime = start(PROGRAM.runtime, ['--bundle', folder.file('bundle'), '--bridge', listening.url, ...FREE_PORTS]);
    const announcement = await runtime.announcement<Announcement>();
    await ready(announcement);
    ({ url } = announcement);
  });

  afterAll(async () => {
    await runtime?.[Symbol.asyncDispose]();
    await bridge?.[Symbol.asyncDispose]();
    await Promise.all([idp?.close(), folder?.[Symbol.asyncDispose]()]);
  });

  /** The container's arguments, with free ports, and this machine's shell instead of the copied one. */
  function bridgeArguments(container: Container | undefined, variables: Readonly<Record<string, string>>): string[] {
    const args = (container?.args ?? []).map(arg => expanded(arg, variables));
    const shell = args.indexOf('--shell');
    expect(args[shell + 1]).toBe('/lintel-bridge/lib/ld.so --library-path /lintel-bridge/lib /lintel-bridge/sh');
    const { path, port } = container?.startupProbe?.httpGet ?? expect.fail();
    expect(path).toBe('/health');
    const probed = args.indexOf('--health-address');
    expect(args[probed + 1]).toBe(`0.0.0.0:${port}`);
    return ['--port', '0', ...args.with(shell + 1, '/bin/sh').with(probed + 1, '127.0.0.1:0')];
  }

  const connect = async (groups: readonly string[]) => {
    const client = new Client({ name: 'test', version: '1' });
    const token = await idp.issue({ audience: 'notes', claims: { sub: 'ann', groups } });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as never);
    const call = async (name: string, args: object = {}) => {
      const { content } = await client.callTool({ name, arguments: { ...args } });
      return (content as [{ readonly text: string }])[0].text;
    };
    return { client, call, [Symbol.asyncDispose]: () => client.close() };
  };

  test('the pod of a stdio MCPServer answers the health probe of the kubelet', async () => {
    expect((await fetch(`${health}/health`)).status).toBe(200);
  });

  test('the gateway of a stdio MCPServer answers 401 to callers without a token', async () => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect((await fetch(url, request)).status).toBe(401);
  });

  test('the gateway of a stdio MCPServer shows the tools that its filter and policies allow', async () => {
    await using staff = await connect(['staff']);
    const names = async () => (await staff.client.listTools()).tools.map(({ name }) => name).sort();
    await expect.poll(names).toEqual(['arguments', 'complain', 'crash', 'environment']);
    await using guest = await connect([]);
    expect((await guest.client.listTools()).tools).toEqual([]);
    await expect(guest.call('environment')).rejects.toThrow('unknown tool "environment"');
  });

  test('a stdio MCPServer gets its arguments and variables as Kubernetes would expand them', async () => {
    await using staff = await connect(['staff']);
    expect(JSON.parse(await staff.call('arguments'))).toEqual(['--folder', '/data', '$5']);
    expect(JSON.parse(await staff.call('environment'))).toMatchObject({ FOLDER: '/data', NOTES_TOKEN: SECRET });
  });

  test('the bridge of a stdio MCPServer writes no value of a Secret to its log', async () => {
    await using staff = await connect(['staff']);
    await staff.call('complain', { words: `the token is ${SECRET}` });
    await expect.poll(() => bridge.stderr.text).toContain('the token is [NOTES_TOKEN]');
    expect(bridge.stderr.text).not.toContain(SECRET);
  });

  test('the bridge starts a stdio MCPServer again after a crash', async () => {
    await using staff = await connect(['staff']);
    await expect(staff.call('crash')).rejects.toThrow();
    await expect
      .poll(async () => {
        await using again = await connect(['staff']);
        return await again.call('arguments').catch(() => '');
      })
      .toContain('--folder');
  });
});
