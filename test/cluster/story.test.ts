/** The life of a repository in a cluster with a real API server. Each test continues in the state that the test before it has left. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject, ObjectMeta } from '../../controller/kube/index.ts';
import { GROUP, gateway, inlineGateway } from '../e2e/specs.ts';
import { installed } from '../support/installed.ts';
import type { AuditEntry } from '../support/kube-api/real.ts';
import { type SdkServer, startSdkServer } from '../support/sdk-server.ts';
import { CONTROLLER_USER, type KeptController, LIMIT_MS, ours, RealCluster, SOURCE } from './real-cluster.ts';

const GATEWAY = ours('VirtualMCPServer', 'eng');
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'mcp', name: 'eng' };

/** All types of objects of a gateway. */
const TYPES = [
  { apiVersion: 'lintel.dev/v1beta1', kind: 'MCPGroup' },
  { apiVersion: 'lintel.dev/v1beta1', kind: 'VirtualMCPServer' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
];

let cluster: RealCluster;
let backend: SdkServer;
let controller: KeptController;

const eng = (tool: string, more = '') =>
  inlineGateway('eng', backend.url, `{ workload: backend, filter: [${tool}] }`) + more;
const ops = () => `${inlineGateway('ops', backend.url)}  replicas: 2\n`;
const good = (tool: string) => ({ 'group.yaml': GROUP, 'eng.yaml': eng(tool), 'ops.yaml': ops() });

beforeAll(async () => {
  backend = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'alpha' }, { name: 'beta' }] });
  cluster = await RealCluster.start();
  controller = await cluster.controller();
}, LIMIT_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await backend?.close();
});
afterEach(() => expect(cluster.violations).toEqual([]));

/** `Kind/name` of every object that the source created, with a value that changes when the object is written. */
async function brought(): Promise<Readonly<Record<string, string | undefined>>> {
  const lists = await Promise.all(TYPES.map(type => cluster.list(type)));
  const mine = lists.flat().filter(({ metadata }) => metadata.name !== 'lintel-deployer');
  return Object.fromEntries(mine.map(({ kind, metadata }) => [`${kind}/${metadata.name}`, writtenOf(metadata)]));
}

/** A text that changes when an object is written. For objects with a status it is the generation, because controllers write statuses at any time. */
function writtenOf({ uid, generation, labels, annotations, resourceVersion }: ObjectMeta): string {
  return JSON.stringify(generation === undefined ? [uid, resourceVersion] : [uid, generation, labels, annotations]);
}

/** `verb group:resource` of what roles allow, without the other API group, which this cluster does not serve. */
function rightsOf(...roles: readonly string[]): readonly string[] {
  const rules = installed().flatMap(({ kind, metadata: { name }, rules = [] }) =>
    kind.endsWith('Role') && roles.includes(name) ? (rules as readonly Rule[]) : [],
  );
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups
      .filter(group => group !== 'toolhive.stacklok.dev')
      .flatMap(group => verbs.flatMap(verb => resources.map(resource => `${verb} ${group}:${resource}`))),
  );
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** Requests a reconcile by annotation, and waits until it is complete. */
async function cycle(): Promise<void> {
  await cluster.nudge();
  const asked = (await cluster.get(SOURCE))?.metadata.annotations?.['lintel.dev/requested-at'];
  await cluster.until(async () => (await cluster.status()).lastHandledReconcileAt === asked);
}

/** A second account with the rights of the sample's, which the controller may also impersonate. */
const SECOND = 'second-deployer';

async function allowSecond(): Promise<void> {
  const sample = installed('sample').filter(({ metadata: { name } }) =>
    /^lintel-(?:deployer|impersonation)/.test(name),
  );
  for (const object of JSON.parse(JSON.stringify(sample).replaceAll('lintel-deployer', SECOND)) as KubeObject[]) {
    const { name } = object.metadata;
    // The role of all deployers is shared; objects for the first account only get another name.
    const roleRef = (object.roleRef ?? {}) as { readonly kind?: string; readonly name?: string };
    const isShared = roleRef.kind === 'ClusterRole';
    await cluster.apply({
      ...object,
      metadata: { ...object.metadata, name: name.replace('lintel-impersonation', `${SECOND}-impersonation`) },
      ...(isShared && { roleRef: { ...roleRef, name: 'lintel-deployer' } }),
      ...(roleRef.name === 'lintel-impersonation' && { roleRef: { ...roleRef, name: `${SECOND}-impersonation` } }),
    });
  }
}

/** The column in `kubectl get gatewaysources`, from the API server's table. */
async function suspendedColumn(): Promise<unknown> {
  const { body } = await cluster.api.request('GET', '/apis/lintel.dev/v1beta1/namespaces/mcp/gatewaysources', {
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  });
  const { columnDefinitions, rows } = body as unknown as {
    readonly columnDefinitions: readonly { readonly name: string }[];
    readonly rows: readonly { readonly cells: readonly unknown[] }[];
  };
  const column = columnDefinitions.findIndex(({ name }) => name === 'Suspended');
  expect([column > 0, rows.length]).toEqual([true, 1]);
  return rows[0]?.cells[column] ?? undefined;
}

const names = async () =>
  Object.keys(await brought())
    .map(name => name.replace(/-[0-9a-f]{10,}/, '-<digest>'))
    .sort();

const call = async (name: string, tool: string) => {
  const client = await cluster.connect(name);
  try {
    const { content } = await client.callTool({ name: tool, arguments: { text: 'hello' } });
    return content;
  } finally {
    await client.close();
  }
};

const tools = async (name: string) => {
  const client = await cluster.connect(name);
  try {
    return (await client.listTools()).tools.map(tool => tool.name);
  } finally {
    await client.close();
  }
};

describe('the story', { timeout: 3 * LIMIT_MS }, () => {
  test('the API server accepts all objects of controller/install without a warning', () => {
    expect(cluster.warnings).toEqual([]);
  });

  test('the controller turns a commit into objects and pods that answer calls', async () => {
    const commit = cluster.commit(good('alpha'));
    await cluster.follow();
    await cluster.ready(commit);
    expect(await names()).toEqual([
      'ConfigMap/eng-bundle-<digest>',
      'ConfigMap/eng-history',
      'ConfigMap/ops-bundle-<digest>',
      'ConfigMap/ops-history',
      'Deployment/eng',
      'Deployment/ops',
      'MCPGroup/tools',
      'NetworkPolicy/eng',
      'NetworkPolicy/ops',
      'PodDisruptionBudget/ops',
      'Service/vmcp-eng',
      'Service/vmcp-ops',
      'ServiceAccount/eng-vmcp',
      'ServiceAccount/ops-vmcp',
      'VirtualMCPServer/eng',
      'VirtualMCPServer/ops',
    ]);
    expect(await tools('eng')).toEqual(['backend_alpha']);
    expect(await call('eng', 'backend_alpha')).toEqual([{ type: 'text', text: 'alpha' }]);
    await cluster.until(async () => {
      const events = await cluster.list({ apiVersion: 'v1', kind: 'Event' });
      const reasons = events
        .filter(({ involvedObject }) => (involvedObject as { readonly name?: string }).name === 'eng')
        .map(({ reason }) => reason);
      return ['ServiceCreated', 'DeploymentCreated'].every(reason => reasons.includes(reason));
    });
  });

  test('the status of each gateway shows the bundle that it serves', async () => {
    for (const key of [GATEWAY, ours('VirtualMCPServer', 'ops')]) {
      await cluster.until(async () => (await cluster.condition('Ready', key))?.status === 'True');
    }
    expect(await cluster.status(GATEWAY)).toMatchObject({
      phase: 'Ready',
      observedGeneration: 1,
      url: 'http://vmcp-eng.mcp.svc.cluster.local:4483',
      backendCount: 1,
      discoveredBackends: [{ name: 'backend', status: 'ready', url: backend.url }],
    });
    expect(await cluster.condition('BundleActive', GATEWAY)).toMatchObject({ status: 'True', reason: 'Active' });
    await cluster.until(async () => (await cluster.status(ours('MCPGroup', 'tools'))).phase === 'Ready');
    expect(await cluster.status(ours('MCPGroup', 'tools'))).toMatchObject({ observedGeneration: 1, serverCount: 0 });
    expect(await cluster.condition('Compiled', GATEWAY)).toMatchObject({ status: 'True' });
    expect(await cluster.status()).toMatchObject({ gatewaysReady: '2/2', observedGeneration: 1 });
  });

  test('a second cycle of the controller without a new commit writes no object', async () => {
    const before = await brought();
    await cycle();
    expect(await brought()).toEqual(before);
  });

  test('a restarted controller writes no object, because it does not take the defaults of the API server for drift', async () => {
    const before = await brought();
    expect(await controller.end()).toBe(0);
    controller = await cluster.controller();
    await cycle();
    expect(await brought()).toEqual(before);
    expect(await cluster.condition('Ready')).toMatchObject({ status: 'True' });
  });

  test('the controller restores objects that a person edits or deletes', async () => {
    const before = await cluster.get(DEPLOYMENT);
    await cluster.edit(DEPLOYMENT, { spec: { paused: true, template: { spec: { hostNetwork: true } } } });
    await cluster.until(async () => isDeepStrictEqual((await cluster.get(DEPLOYMENT))?.spec, before?.spec));
    await cluster.rolledOut('eng');
    const service = { apiVersion: 'v1', kind: 'Service', namespace: 'mcp', name: 'vmcp-eng' };
    await cluster.remove(service);
    await cluster.until(() => cluster.get(service));
    await cluster.until(async () => (await cluster.condition('Ready'))?.status === 'True');
    expect(await tools('eng')).toEqual(['backend_alpha']);
  });

  test('the controller removes fields that another field manager adds to the spec of a VirtualMCPServer, which the GatewaySource owns', async () => {
    const before = await cluster.get(GATEWAY);
    expect(before?.metadata.ownerReferences).toEqual([
      {
        ...{ apiVersion: SOURCE.apiVersion, kind: SOURCE.kind, name: SOURCE.name },
        uid: (await cluster.get(SOURCE))?.metadata.uid,
      },
    ]);
    for (const manager of ['kubectl-edit', 'argocd-controller', 'lintel']) {
      const policies = ['permit(principal, action, resource);'];
      const authzConfig = { type: 'inline', inline: { policies } };
      await cluster.edit(GATEWAY, { spec: { replicas: 3, incomingAuth: { authzConfig } } }, manager);
      await cluster.until(async () => isDeepStrictEqual((await cluster.get(GATEWAY))?.spec, before?.spec));
    }
    await cluster.until(async () => (await cluster.condition('Ready'))?.status === 'True');
    const written = await brought();
    await cycle();
    expect(await brought()).toEqual(written);
  });

  test('the controller changes nothing for a commit with a mistake, and the status names the file and the mistake', async () => {
    const before = await brought();
    const spec = (await cluster.get(GATEWAY))?.spec;
    const { lastAppliedRevision } = await cluster.status();
    const mistake = gateway('eng', '{ aggregation: { conflictResolution: prefics } }');
    const bad = cluster.commit({ ...good('beta'), 'eng.yaml': mistake });
    await cluster.nudge();
    await cluster.until(async () => (await cluster.condition('Stalled'))?.status === 'True');
    expect(await cluster.status()).toMatchObject({
      lastAttemptedRevision: `main@sha1:${bad}`,
      lastAppliedRevision,
      diagnostics: [
        { severity: 'error', file: 'gateways/eng.yaml', line: 7 },
        { severity: 'warning', code: 'LNT6020' },
        { severity: 'warning', code: 'LNT4016' },
      ],
    });
    expect(await cluster.condition('Ready')).toMatchObject({ status: 'False', reason: 'CompilationFailed' });
    expect(await cluster.condition('Compiled')).toMatchObject({ status: 'False', reason: 'CompilationFailed' });
    await cluster.until(async () => (await cluster.condition('Compiled', GATEWAY))?.status === 'False');
    expect(await cluster.status(GATEWAY)).toMatchObject({ phase: 'Ready' });
    expect(await tools('eng')).toEqual(['backend_alpha']);
    expect(await brought()).toEqual(before);
    expect((await cluster.get(GATEWAY))?.spec).toEqual(spec);
  });

  test('the gateway serves the bundle of a commit that corrects the mistake of the previous commit', async () => {
    const commit = cluster.commit(good('beta'));
    await cluster.nudge();
    await cluster.ready(commit);
    expect(await tools('eng')).toEqual(['backend_beta']);
    await cluster.until(async () => (await cluster.condition('Compiled', GATEWAY))?.status === 'True');
    await cluster.until(async () => (await cluster.condition('BundleActive', GATEWAY))?.status === 'True');
  });

  test('the gateway keeps its last good bundle when its new pods cannot start', async () => {
    const { gateways } = await cluster.status();
    const [former] = gateways as readonly { readonly digest: string }[];
    // An option of newer runtimes.
    const template = `  podTemplateSpec:
    spec: { containers: [{ name: vmcp, args: [--of-a-newer-runtime] }] }
`;
    cluster.commit({ 'group.yaml': GROUP, 'eng.yaml': eng('alpha', template), 'ops.yaml': ops() });
    await cluster.nudge();
    await cluster.until(async () => (await cluster.condition('RolledBack'))?.status === 'True');
    expect(await cluster.condition('RolledBack')).toMatchObject({ reason: 'BundleRejected' });
    expect(await cluster.condition('Ready')).toMatchObject({ status: 'False', reason: 'BundleRejected' });
    expect((await cluster.condition('RolledBack'))?.message).toContain('--of-a-newer-runtime');
    expect(await cluster.status()).toMatchObject({
      gatewaysReady: '1/2',
      gateways: [{ name: 'eng', digest: former?.digest, activeDigest: former?.digest }, { name: 'ops' }],
    });
    await cluster.until(async () => (await cluster.pods('eng')).length === 1);
    expect(await tools('eng')).toEqual(['backend_beta']);
    const commit = cluster.commit(good('beta'));
    await cluster.nudge();
    await cluster.ready(commit);
    expect(await cluster.condition('RolledBack')).toBeUndefined();
  });

  test('the controller applies no commit of a suspended GatewaySource, which keeps its condition Ready, and kubectl shows the suspension', async () => {
    const found = await cluster.condition('Ready');
    expect(await suspendedColumn()).toBe(false);
    const before = await brought();
    await cluster.edit(SOURCE, { spec: { suspend: true } });
    await cluster.until(async () => (await cluster.condition('Suspended'))?.status === 'True');
    expect(await suspendedColumn()).toBe(true);
    expect(await cluster.condition('Ready')).toEqual(found);
    const commit = cluster.commit(good('alpha'));
    await cluster.nudge();
    await cluster.edit(SOURCE, { spec: { suspend: false } });
    await cluster.ready(commit);
    expect(await cluster.condition('Suspended')).toBeUndefined();
    expect(await suspendedColumn()).toBe(false);
    expect(await brought()).not.toEqual(before);
    expect(await tools('eng')).toEqual(['backend_alpha']);
  });

  test('the controller applies the objects of a GatewaySource with the service account that the GatewaySource names', async () => {
    await allowSecond();
    await cluster.edit(SOURCE, { spec: { serviceAccountName: SECOND } });
    const generation = (await cluster.get(SOURCE))?.metadata.generation;
    await cluster.until(async () => (await cluster.status()).observedGeneration === generation);
    await cluster.until(async () => (await cluster.condition('Ready'))?.status === 'True');
    const seen = (await cluster.api.audit()).length;
    const commit = cluster.commit(good('beta'));
    await cluster.nudge();
    await cluster.ready(commit);
    expect(await tools('eng')).toEqual(['backend_beta']);
    const isPatch = ({ verb, requestURI }: AuditEntry) => verb === 'patch' && requestURI.includes('/deployments/eng');
    const named = async () =>
      (await cluster.api.audit())
        .slice(seen)
        .filter(isPatch)
        .map(({ impersonatedUser }) => impersonatedUser?.username);
    await cluster.until(async () => (await named()).length > 0);
    expect(new Set(await named())).toEqual(new Set([`system:serviceaccount:mcp:${SECOND}`]));
    await cluster.edit(SOURCE, { spec: { serviceAccountName: 'lintel-deployer' } });
    await cycle();
    await cluster.remove({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'mcp', name: SECOND });
  });

  test('after a commit names another service account for a gateway, new pods of the gateway run with this account', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner', namespace: 'mcp' } };
    await cluster.apply(account);
    const accounts = async () => {
      const pods = (await cluster.list({ apiVersion: 'v1', kind: 'Pod' })) as readonly (KubeObject & {
        readonly spec: { readonly serviceAccountName: string };
      })[];
      return pods.filter(({ metadata }) => metadata.name.startsWith('eng-')).map(({ spec }) => spec.serviceAccountName);
    };
    expect(await accounts()).toEqual(['eng-vmcp']);
    const commit = cluster.commit({ ...good('beta'), 'eng.yaml': eng('beta', '  serviceAccount: runner\n') });
    await cluster.nudge();
    await cluster.ready(commit);
    await cluster.rolledOut('eng');
    expect(await accounts()).toEqual(['runner']);
    expect(await names()).not.toContain('ServiceAccount/eng-vmcp');
    expect(await tools('eng')).toEqual(['backend_beta']);
    const back = cluster.commit(good('beta'));
    await cluster.nudge();
    await cluster.ready(back);
    await cluster.rolledOut('eng');
    expect(await accounts()).toEqual(['eng-vmcp']);
    await cluster.remove({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'mcp', name: 'runner' });
  });

  test('the controller deletes a removed gateway only after a person approves the deletion', async () => {
    const commit = cluster.commit({ 'group.yaml': GROUP, 'eng.yaml': eng('beta') });
    await cluster.nudge();
    await cluster.until(async () => (await cluster.condition('Ready'))?.reason === 'PruneBlocked');
    const { lastAttemptedRevision } = await cluster.status();
    expect(lastAttemptedRevision).toBe(`main@sha1:${commit}`);
    expect(await names()).toContain('Deployment/ops');
    await cluster.annotate(SOURCE, { 'lintel.dev/allow-deletions': String(lastAttemptedRevision) });
    await cluster.ready(commit);
    expect((await names()).filter(name => name.includes('ops'))).toEqual([]);
    await cluster.until(async () => (await cluster.pods('ops')).length === 0);
    expect(await tools('eng')).toEqual(['backend_beta']);
  });

  test('a commit that deletes the last spec waits for approval, and the next commit without specs is applied without approval', async () => {
    const commit = cluster.repository.commit({ 'README.md': 'no gateways' });
    await cluster.nudge();
    await cluster.until(async () => (await cluster.condition('Ready'))?.reason === 'PruneBlocked');
    expect((await cluster.condition('Ready'))?.message).toMatch(
      /^the revision has no objects, and \d+ objects would be deleted/,
    );
    expect(await cluster.status()).toMatchObject({
      lastAttemptedRevision: `main@sha1:${commit}`,
      gatewaysReady: '1/1',
    });
    expect(await tools('eng')).toEqual(['backend_beta']);
    await cluster.annotate(SOURCE, { 'lintel.dev/allow-deletions': commit });
    await cluster.ready(commit);
    await cluster.until(async () => (await cluster.pods('eng')).length === 0);
    const next = cluster.repository.commit({ 'README.md': 'still no gateways' });
    await cluster.nudge();
    await cluster.ready(next);
  });

  test('the controller deletes all objects of a deleted GatewaySource', async () => {
    await cluster.remove(SOURCE);
    await cluster.until(async () => (await cluster.get(SOURCE)) === undefined);
    expect(await names()).toEqual([]);
    await cluster.until(async () => (await cluster.pods('eng')).length === 0);
  });

  test('the API server forbade no request in the tests of this file, and gave the controller no warning', async () => {
    expect(controller.log).not.toContain('the API server warns');
    const refused = (await cluster.api.audit()).filter(({ responseStatus }) => responseStatus?.code === 403);
    expect(refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  });

  test('the controller uses every right of its ClusterRole', async () => {
    const seen = (await cluster.api.audit())
      .filter(({ user, impersonatedUser }) => user.username === CONTROLLER_USER && impersonatedUser === undefined)
      .flatMap(({ verb, objectRef }) => {
        const { apiGroup = '', resource = '', subresource } = objectRef ?? {};
        return [`${verb} ${apiGroup}:${resource}${subresource === undefined ? '' : `/${subresource}`}`];
      });
    const unused = rightsOf('lintel-controller', 'lintel-controller-election').filter(right => !seen.includes(right));
    // Calls that only happen when an object changes during a status write, or an event repeats: they may or may not occur.
    const isForRaces = (right: string) =>
      /^get lintel\.dev:(embeddingservers|mcpgroups|mcpregistries|mcpremoteproxies|mcpservers|virtualmcpservers)$|^patch :events$/.test(
        right,
      );
    expect(unused.filter(right => !isForRaces(right))).toEqual([
      // This test has neither an embedding server, nor a registry, nor a server that runs in the cluster.
      'patch lintel.dev:mcpremoteproxies/status',
      'patch lintel.dev:mcpservers/status',
      'patch lintel.dev:embeddingservers/status',
      'patch lintel.dev:mcpregistries/status',
    ]);
  });
});
