/**
 * Mutating webhooks, such as those of service meshes and image mirrors: their changes are not drift, and the controller does not revert them.
 */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../controller/kube/index.ts';
import { GROUP, inlineGateway } from '../e2e/specs.ts';
import { type SdkServer, startSdkServer } from '../support/sdk-server.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/tls-fixture.ts';
import { LIMIT_MS, NAMESPACE, RealCluster } from './real-cluster.ts';

interface Patch {
  readonly op: 'add' | 'replace';
  readonly path: string;
  readonly value: unknown;
}

interface Review {
  readonly request: {
    readonly uid: string;
    readonly dryRun?: boolean;
    readonly object: KubeObject & {
      readonly spec: {
        readonly template: { readonly spec: { readonly containers: readonly { name: string; image: string }[] } };
      };
    };
  };
}

const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE, name: 'eng' };
const WEBHOOK = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/changes';

const LABEL: Patch = { op: 'add', path: '/metadata/labels/example.com~1team', value: 'platform' };

let cluster: RealCluster;
let backend: SdkServer;
let server: Server;
let count = 0;
/** What the webhook changes in a Deployment. */
let change: (object: Review['request']['object']) => readonly Patch[] = () => [];
/** Number of requests to the webhook that were not dry runs. */
let written = 0;

function commit(): string {
  count += 1;
  return cluster.commit({
    'group.yaml': GROUP,
    'eng.yaml': inlineGateway('eng', backend.url, `{ workload: backend, filter: [tool-${count}] }`),
  });
}

beforeAll(async () => {
  backend = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'alpha' }] });
  server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const { uid, object, dryRun } = (JSON.parse(Buffer.concat(chunks).toString('utf8')) as Review).request;
      if (dryRun !== true) written += 1;
      const patch = Buffer.from(JSON.stringify(change(object))).toString('base64');
      response.setHeader('content-type', 'application/json');
      const review = { uid, allowed: true, patchType: 'JSONPatch', patch };
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: review }));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  cluster = await RealCluster.start();
  const { status, text } = await cluster.api.client.apply(WEBHOOK, 'kubectl', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'changes' },
    webhooks: [
      {
        name: 'changes.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: 5,
        clientConfig: {
          url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
          caBundle: Buffer.from(TEST_CERTIFICATE).toString('base64'),
        },
        rules: [
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] },
        ],
      },
    ],
  } as unknown as KubeObject);
  if (status >= 300) throw new Error(text);
  await cluster.controller();
  await cluster.follow();
}, LIMIT_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  await backend?.close();
  server?.closeAllConnections();
  server?.close();
});

const image =
  (to: string): typeof change =>
  () => [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: to }];

const withSidecar: typeof change = object => {
  const isThere = object.spec.template.spec.containers.some(({ name }) => name === 'proxy');
  return isThere
    ? []
    : [{ op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'proxy', image: 'mesh:1' } }];
};

/** How often the test triggers a reconcile, which would revert the webhook's changes. */
const RUNS = 3;

test.each<[what: string, patches: typeof change]>([
  ['a label', () => [LABEL]],
  ['a container', withSidecar],
  ['another image', image('mirror.example.com/lintel-runtime:1')],
])(
  'the controller keeps %s that a mutating webhook adds, and does not count it as drift',
  { timeout: 2 * LIMIT_MS },
  async (_what, patches) => {
    change = patches;
    const revision = commit();
    await cluster.nudge();
    await cluster.ready(revision);
    const before = { written, generation: await generation() };
    for (let times = 0; times < RUNS; times++) {
      const handled = (await cluster.status()).lastHandledReconcileAt;
      await cluster.nudge();
      await cluster.until(async () => (await cluster.status()).lastHandledReconcileAt !== handled);
    }
    expect({ written, generation: await generation() }).toEqual(before);
    expect((await cluster.condition('Ready'))?.status).toBe('True');
    const { body } = await cluster.api.request('GET', `/api/v1/namespaces/${NAMESPACE}/events`);
    const reasons = (body.items as unknown as { readonly reason: string }[]).map(({ reason }) => reason);
    expect(reasons.filter(reason => reason.startsWith('Drift'))).toEqual([]);
    expect(cluster.violations).toEqual([]);
  },
);

async function generation(): Promise<number | undefined> {
  return (await cluster.get(DEPLOYMENT))?.metadata.generation;
}
