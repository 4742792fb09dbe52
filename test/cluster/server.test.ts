/** An MCPServer of a repository, run by the real API server, the built controller and the built runtime. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SdkServer, startSdkServer } from '../support/sdk-server.ts';
import { LIMIT_MS, ours, RealCluster, SOURCE } from './real-cluster.ts';

const SERVER = ours('MCPServer', 'tickets');
const PROXY = 'mcp-tickets-proxy';
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
  // It stands for the container of the image, which shares loopback with its gateway.
  image = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'alpha' }, { name: 'beta' }] });
  cluster = await RealCluster.start();
  await cluster.controller();
}, LIMIT_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await image?.close();
});

describe('a server of the repository', { timeout: 3 * LIMIT_MS }, () => {
  test('is run behind its gateway, and says where it stands', async () => {
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

  test('shows the tools of its filter, by their names', async () => {
    await using client = await cluster.connect(PROXY).then(one => ({ one, [Symbol.asyncDispose]: () => one.close() }));
    const { tools } = await client.one.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['alpha']);
  });

  test('goes with its objects', async () => {
    const gone = cluster.commit({ 'group.yaml': group });
    // It is all that the source serves, so its end needs consent.
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

test('the API server had nothing to warn of, and refused nobody', async () => {
  const refused = (await cluster.api.audit()).filter(({ responseStatus }) => responseStatus?.code === 403);
  expect(refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
});
