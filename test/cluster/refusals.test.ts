/**
 * When a real API server refuses objects of a GatewaySource, the status of the source gives the reason, the running objects stay unchanged, and the
 * controller recovers by itself once the API server accepts the objects.
 */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../controller/kube/index.ts';
import { GROUP, inlineGateway } from '../e2e/specs.ts';
import { installed } from '../support/installed.ts';
import { type SdkServer, startSdkServer } from '../support/sdk-server.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/tls-fixture.ts';
import { LIMIT_MS, NAMESPACE, ours, RealCluster, SOURCE } from './real-cluster.ts';

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE, name: 'eng' };

/** The gateway's name in messages, and their end when a policy denies it. */
const ENG = 'Deployment mcp/eng (gateways/eng.yaml:2)';
const CHANGE = 'change the spec so that the policy allows the object, or have the policy changed';

let cluster: RealCluster;
let backend: SdkServer;
let count = 0;

/** Makes another commit that changes the gateway and its Deployment. */
function change(): string {
  count += 1;
  return cluster.commit({
    'group.yaml': GROUP,
    'eng.yaml': inlineGateway('eng', backend.url, `{ workload: backend, filter: [tool-${count}] }`),
  });
}

/** Waits until the source is not ready at a commit for a reason, and returns its message without the revision. */
async function refused(commit: string, reason: string, about = /./): Promise<string> {
  let message = '';
  await cluster.nudge();
  await cluster.until(async () => {
    const condition = await cluster.condition('Ready');
    message = condition?.message ?? '';
    const isOfCommit = message.startsWith(`main@sha1:${commit}: `);
    return isOfCommit && condition?.status === 'False' && condition.reason === reason && about.test(message);
  });
  return message.slice(`main@sha1:${commit}: `.length);
}

const templateOf = async () =>
  JSON.stringify(((await cluster.get(DEPLOYMENT))?.spec as { template?: object })?.template);

/** The path of a ValidatingAdmissionPolicy, which only administrators may write. */
const POLICY = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/frozen';
const BINDING = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/frozen';
const WEBHOOK = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/images';
const QUOTA = `/api/v1/namespaces/${NAMESPACE}/resourcequotas/few`;

/** Deployments, of which the controller changes none without a dry run. */
const DEPLOYMENTS = [
  { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
];

async function apply(path: string, object: object): Promise<void> {
  const { status, text } = await cluster.api.client.apply(path, 'kubectl', object as KubeObject);
  if (status >= 300) throw new Error(`${path}: ${text}`);
}

async function remove(path: string): Promise<void> {
  const { status, text } = await cluster.api.request('DELETE', path);
  if (status >= 300) throw new Error(`${path}: ${text}`);
}

/** Waits until the API server gives this answer to a change of the Deployment, because a policy takes effect only after a moment. */
async function answers(expected: RegExp | 'allowed'): Promise<void> {
  await cluster.until(async () => {
    const { status, text } = await cluster.api.request(
      'PATCH',
      `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/eng`,
      {
        body: { metadata: { annotations: { 'example.com/asked': 'true' } } },
        contentType: 'application/merge-patch+json',
        query: { dryRun: 'All' },
      },
    );
    return expected === 'allowed' ? status === 200 : expected.test(text);
  });
}

beforeAll(async () => {
  backend = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'alpha' }] });
  cluster = await RealCluster.start();
  await cluster.controller();
  await cluster.follow();
  await cluster.edit(SOURCE, { spec: { interval: '10s' } });
  await cluster.ready(change());
}, LIMIT_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await backend?.close();
});
afterEach(() => expect(cluster.violations).toEqual([]));

describe('an object is refused', { timeout: 3 * LIMIT_MS }, () => {
  test('the GatewaySource reports the message of an admission policy of the cluster that refuses an object', async () => {
    const before = await templateOf();
    await apply(POLICY, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'frozen' },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules: DEPLOYMENTS },
        validations: [{ expression: 'false', message: 'no changes before Monday' }],
      },
    });
    await apply(BINDING, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'frozen' },
      spec: { policyName: 'frozen', validationActions: ['Deny'] },
    });
    await answers(/no changes before Monday/);
    const commit = change();
    expect(await refused(commit, 'PolicyDenied')).toBe(
      `${ENG}: ValidatingAdmissionPolicy 'frozen' with binding 'frozen' denied request: no changes before Monday; ${CHANGE}`,
    );
    expect(await templateOf()).toBe(before);
    await remove(BINDING);
    await remove(POLICY);
    // Without a trigger.
    await cluster.ready(commit);
    expect(await templateOf()).not.toBe(before);
  });

  test('the GatewaySource reports a webhook that denies an object, gives no answer, or cannot be reached', async () => {
    let answer: 'deny' | 'hang' | 'allow' = 'deny';
    const server: Server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', chunk => chunks.push(chunk));
      request.on('end', () => {
        if (answer === 'hang') return;
        const { uid } = JSON.parse(Buffer.concat(chunks).toString('utf8')).request;
        const allowed = answer === 'allow';
        const review = { uid, allowed, status: { code: 403, message: 'images must be signed' } };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: review }));
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const failed = (why: string) =>
      `${ENG}: try to apply Deployment mcp/eng: Internal error occurred: failed calling webhook "images.example.com": failed to call webhook: Post "https://127.0.0.1:${port}/?timeout=1s": ${why}; the controller tries again: check whether webhook images.example.com answers`;
    await apply(WEBHOOK, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'images' },
      webhooks: [
        {
          name: 'images.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          timeoutSeconds: 1,
          clientConfig: {
            url: `https://127.0.0.1:${port}/`,
            caBundle: Buffer.from(TEST_CERTIFICATE).toString('base64'),
          },
          rules: DEPLOYMENTS,
        },
      ],
    });
    await answers(/images must be signed/);
    const before = await templateOf();
    const commit = change();
    expect(await refused(commit, 'PolicyDenied')).toBe(
      `${ENG}: admission webhook "images.example.com" denied the request: images must be signed; ${CHANGE}`,
    );
    answer = 'hang';
    expect(await refused(commit, 'ProgressingWithRetry')).toBe(failed('context deadline exceeded'));
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
    expect(await refused(commit, 'ProgressingWithRetry', /connection refused/)).toBe(
      failed(`dial tcp 127.0.0.1:${port}: connect: connection refused`),
    );
    expect(await templateOf()).toBe(before);
    await remove(WEBHOOK);
    await answers('allowed');
    await cluster.nudge();
    await cluster.ready(commit);
  });

  test('the GatewaySource reports a ResourceQuota that refuses an object', async () => {
    const hard = { 'count/configmaps': '1' };
    await apply(QUOTA, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few' }, spec: { hard } });
    // No quota controller runs here, so the test writes the used amount.
    await cluster.api.request('PATCH', `${QUOTA}/status`, {
      body: { status: { hard, used: hard } },
      contentType: 'application/merge-patch+json',
    });
    const commit = change();
    expect(await refused(commit, 'PolicyDenied')).toMatch(
      /^ConfigMap mcp\/(eng-bundle-[0-9a-f]{16}) \(gateways\/eng\.yaml:2\): try to apply ConfigMap mcp\/\1: configmaps "\1" is forbidden: exceeded quota: few, requested: count\/configmaps=1, used: count\/configmaps=1, limited: count\/configmaps=1; the controller tries again: raise the quota, or delete objects that count against it$/,
    );
    await remove(QUOTA);
    await cluster.nudge();
    await cluster.ready(commit);
  });

  test('the GatewaySource reports a missing CustomResourceDefinition', async () => {
    const definition = installed().find(
      ({ kind, metadata }) => kind === 'CustomResourceDefinition' && metadata.name.startsWith('mcpgroups.'),
    );
    const { apiVersion, kind, metadata } = definition as unknown as KubeObject;
    const group = ours('MCPGroup', 'tools');
    await cluster.remove({ apiVersion, kind, name: metadata.name });
    await cluster.until(async () => (await cluster.get(group)) === undefined);
    const commit = change();
    expect(await refused(commit, 'DependencyNotReady')).toBe(
      'MCPGroup mcp/tools (gateways/group.yaml:2): the cluster has no kind MCPGroup of lintel.dev/v1beta1: install the CustomResourceDefinitions (`lintel schema crd` writes them)',
    );
    await cluster.apply(definition as object);
    await cluster.ready(commit);
    await cluster.until(async () => (await cluster.get(group)) !== undefined);
  });

  test('the GatewaySource reports that an object belongs to another controller', async () => {
    const name = 'ops';
    const object = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        namespace: NAMESPACE,
        name: `vmcp-${name}`,
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: crypto.randomUUID(), controller: true },
        ],
      },
      spec: { ports: [{ port: 80 }] },
    };
    await cluster.apply(object);
    count += 1;
    const commit = cluster.commit({ 'group.yaml': GROUP, 'ops.yaml': inlineGateway(name, backend.url) });
    expect(await refused(commit, 'FieldConflict')).toBe(
      'Service mcp/vmcp-ops is controlled by ReplicaSet x, whose controller would undo what is applied: give one of them another name, or stop that controller',
    );
    await cluster.remove({ apiVersion: 'v1', kind: 'Service', namespace: NAMESPACE, name: `vmcp-${name}` });
    await cluster.edit(SOURCE, { metadata: { annotations: { 'lintel.dev/allow-deletions': `main@sha1:${commit}` } } });
    await cluster.until(async () => String((await cluster.status()).lastAppliedRevision).endsWith(commit));
  });

  test('the GatewaySource reports that the namespace of an object is being deleted', async () => {
    await cluster.api.request('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
    const commit = cluster.commit({
      'group.yaml': GROUP,
      'ops.yaml': inlineGateway('ops', backend.url),
      'new.yaml': inlineGateway('new', backend.url),
    });
    expect(await refused(commit, 'DependencyNotReady')).toMatch(
      /^ConfigMap mcp\/new-bundle-[0-9a-f]{16} \(gateways\/new\.yaml:2\): its namespace is being deleted; create the namespace again once it is gone \(\+\d+ more\)$/,
    );
  });
});
