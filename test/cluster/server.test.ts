/** MCPServers and an MCPRemoteProxy from a repository, run by the real API server and the built controller, runtime and bridge. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAM, type Program, ROOT, start } from '../support/process.ts';
import { type SdkServer, startSdkServer } from '../support/sdk-server.ts';
import { LIMIT_MS, ours, RealCluster, SOURCE } from './real-cluster.ts';

const SERVER = ours('MCPServer', 'tickets');
const PROXY = 'mcp-tickets-proxy';
const PEER = join(ROOT, 'test/bridge/servers/sdk-server.mjs');
const object = (kind: string, name: string, spec: string, group = 'lintel.dev') =>
  `apiVersion: ${group}/v1beta1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: mcp }\nspec: ${spec}\n`;
const group = object('MCPGroup', 'tools', '{}');
const filter = object('MCPToolConfig', 'few', '{ toolsFilter: [alpha] }');
const server = (port: string, more = '') =>
  object(
    'MCPServer',
    'tickets',
    `{ image: "r.test/tickets:1", transport: streamable-http, mcpPort: ${port}, toolConfigRef: { name: few }, replicas: 1, groupRef: { name: tools }, authzConfig: { type: inline, inline: { policies: ["permit(principal, action, resource);"], primaryUpstreamProvider: corp } }${more} }`,
  );

let cluster: RealCluster;
let image: SdkServer;
beforeAll(async () => {
  // Plays the container of the image, which shares loopback with its gateway.
  image = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'alpha' }, { name: 'beta' }] });
  cluster = await RealCluster.start();
  await cluster.controller();
}, LIMIT_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await image?.close();
});

describe('a server of the repository', { timeout: 3 * LIMIT_MS }, () => {
  test('an MCPServer runs behind its gateway and reports its status', async () => {
    const { port } = new URL(image.url);
    const commit = cluster.commit({ 'group.yaml': group, 'filter.yaml': filter, 'tickets.yaml': server(port) });
    await cluster.follow();
    await cluster.ready(commit);
    await cluster.until(async () => (await cluster.status(SERVER)).phase === 'Ready');
    const status = await cluster.status(SERVER);
    expect(status).toMatchObject({
      url: `http://${PROXY}.mcp.svc.cluster.local:8080/mcp`,
      readyReplicas: 1,
      observedGeneration: 1,
      message: '1 ready pod',
    });
    const conditions = status.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
    expect(conditions).toEqual(
      expect.arrayContaining([
        'Ready True Ready',
        'BundleActive True Active',
        'Compiled True Succeeded',
        'GroupRefValidated True GroupRefValid',
        'ToolConfigValidated True ToolConfigRefValid',
        'AuthzPrimaryUpstreamProviderIgnored True NoEmbeddedAuthServer',
      ]),
    );
  });

  test('an MCPServer with a tool filter shows the tools of the filter with unchanged names', async () => {
    await using client = await cluster.connect(PROXY).then(one => ({ one, [Symbol.asyncDispose]: () => one.close() }));
    const { tools } = await client.one.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['alpha']);
  });

  test('the controller deletes an MCPServer with all its objects', async () => {
    const gone = cluster.commit({ 'group.yaml': group });
    // The source serves nothing else, so deleting it needs approval.
    await cluster.annotate(SOURCE, { 'lintel.dev/allow-deletions': gone });
    await cluster.nudge();
    await cluster.until(async () => (await cluster.get(SERVER)) === undefined);
    await cluster.ready(gone);
    for (const kind of ['Deployment', 'Service', 'NetworkPolicy', 'ServiceAccount']) {
      const apiVersion = { Deployment: 'apps/v1', NetworkPolicy: 'networking.k8s.io/v1' }[kind] ?? 'v1';
      expect(await cluster.get({ apiVersion, kind, namespace: 'mcp', name: PROXY })).toBeUndefined();
    }
  });
});

describe('a server that speaks over its standard streams', { timeout: 3 * LIMIT_MS }, () => {
  const NOTES = ours('MCPServer', 'notes');
  const notes = (command: string) =>
    object(
      'MCPServer',
      'notes',
      `{ image: "r.test/notes:1", command: ${command}, args: [${PEER}, "$(FOLDER)"], env: [{ name: FOLDER, value: /data }], toolConfigRef: { name: some }, proxyMode: sse }`,
    );
  const some = object('MCPToolConfig', 'some', '{ toolsFilter: [arguments] }');
  let bridge: Program;
  afterAll(() => bridge?.[Symbol.asyncDispose]());

  test('the controller refuses a stdio MCPServer without a command, and its status has the finding', async () => {
    const text = object('MCPServer', 'notes', '{ image: "r.test/notes:1" }');
    const commit = cluster.commit({ 'group.yaml': group, 'some.yaml': some, 'notes.yaml': text });
    await cluster.nudge();
    await cluster.until(async () => JSON.stringify(await cluster.status(SOURCE)).includes('LNT6023'));
    expect(JSON.stringify(await cluster.status(SOURCE))).toContain(commit);
    expect(
      await cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'mcp', name: 'mcp-notes-proxy' }),
    ).toBeUndefined();
  });

  test('a stdio MCPServer runs behind the bridge that an init container copies into its pod', async () => {
    const commit = cluster.commit({ 'group.yaml': group, 'some.yaml': some, 'notes.yaml': notes(process.execPath) });
    await cluster.nudge();
    await cluster.ready(commit);
    const deployment = await cluster.get({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'mcp',
      name: 'mcp-notes-proxy',
    });
    const { initContainers, containers } = podOf(deployment);
    expect(initContainers?.map(({ name }) => name)).toEqual(['bridge']);
    const args = containers[1]?.args ?? [];
    const [shell, health] = [args.indexOf('--shell') + 1, args.indexOf('--health-address') + 1];
    // Plays the container, which shares loopback with its gateway, and expands variables as Kubernetes would.
    const own = args
      .with(shell, '/bin/sh')
      .with(health, '127.0.0.1:0')
      .map(arg => arg.replace('$(FOLDER)', '/data'));
    bridge = start(PROGRAM.bridge, own, { env: { FOLDER: '/data' }, limitMs: LIMIT_MS });
    await bridge.announcement();
    await cluster.until(async () => (await cluster.status(NOTES)).phase === 'Ready');
    expect(await cluster.status(NOTES)).toMatchObject({
      url: 'http://mcp-notes-proxy.mcp.svc.cluster.local:8080/sse',
      readyReplicas: 1,
      message: '1 ready pod',
    });
    const connected = async () => {
      const one = await cluster.connect('mcp-notes-proxy');
      return { one, [Symbol.asyncDispose]: () => one.close() };
    };
    // The gateway started before the bridge, and probes again after a while.
    await cluster.until(async () => {
      await using client = await connected();
      const { tools } = await client.one.listTools();
      return tools.map(({ name }) => name).join() === 'arguments';
    });
    await using client = await connected();
    const { content } = await client.one.callTool({ name: 'arguments', arguments: {} });
    expect(content).toMatchObject([{ text: '["/data"]' }]);
  });

  test('the status of a stdio MCPServer says that the program of the MCPServer does not answer', async () => {
    await bridge[Symbol.asyncDispose]();
    await cluster.until(async () => (await cluster.status(NOTES)).phase === 'Failed');
    expect((await cluster.status(NOTES)).message).toMatch(/^The server does not answer: /);
  });
});

describe('a remote server', { timeout: 3 * LIMIT_MS }, () => {
  const FAR = ours('MCPRemoteProxy', 'far');
  const far = object(
    'MCPRemoteProxy',
    'far',
    '{ remoteUrl: "https://far.invalid/mcp", replicas: 1, authzConfig: { type: inline, inline: { policies: ["permit(principal, action, resource);"], primaryUpstreamProvider: corp } } }',
  );

  test('the status of an MCPRemoteProxy has the address of its gateway and says why the gateway cannot reach the remote server', async () => {
    const commit = cluster.commit({ 'group.yaml': group, 'far.yaml': far });
    await cluster.annotate(SOURCE, { 'lintel.dev/allow-deletions': commit });
    await cluster.nudge();
    await cluster.ready(commit);
    await cluster.until(async () => (await cluster.status(FAR)).phase === 'Failed');
    const status = await cluster.status(FAR);
    expect(status).toMatchObject({
      url: 'http://mcp-far-remote-proxy.mcp.svc.cluster.local:8080/mcp',
      message: expect.stringMatching(/^The server does not answer: backend "far": the connection failed/),
    });
    expect(status.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual(
      expect.arrayContaining([
        'Ready False NotReady',
        'BundleActive True Active',
        'Compiled True Succeeded',
        'AuthzPrimaryUpstreamProviderIgnored True NoEmbeddedAuthServer',
      ]),
    );
  });
});

interface Container {
  readonly name: string;
  readonly args?: readonly string[];
}

function podOf(deployment: unknown) {
  const { spec } = deployment as {
    readonly spec: {
      readonly template: {
        readonly spec: { readonly initContainers?: readonly Container[]; readonly containers: readonly Container[] };
      };
    };
  };
  return spec.template.spec;
}

test('the API server forbade the controller no request in the tests of this file', async () => {
  const refused = (await cluster.api.audit()).filter(({ responseStatus }) => responseStatus?.code === 403);
  expect(refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
});
