/** A full life cycle with the built controller: a commit, pods that serve it, a bad commit that changes nothing, and the shutdown. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { GROUP, gateway, inlineGateway } from '../specs.ts';
import { LIMIT_MS, NAMESPACE, TestCluster } from './cluster.ts';

let cluster: TestCluster;
let backend: SdkServer;

beforeAll(async () => {
  backend = await startSdkServer({ transport: 'streamable-http', tools: [{ name: 'alpha' }, { name: 'beta' }] });
  cluster = await TestCluster.start();
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  await backend.close();
});

const GATEWAY = { apiVersion: 'lintel.dev/v1beta1', kind: 'VirtualMCPServer', namespace: NAMESPACE, name: 'eng' };
const filtered = (tool: string) => inlineGateway('eng', backend.url, `{ workload: backend, filter: [${tool}] }`);

test(
  'the controller applies a commit and its changes, changes nothing for a mistake, and deletes all objects with the source',
  async () => {
    const first = cluster.commit({ 'group.yaml': GROUP, 'gateway.yaml': filtered('alpha') });
    cluster.follow();
    const controller = cluster.controller();
    await cluster.ready(first);
    expect(await cluster.tools()).toEqual(['backend_alpha']);
    await cluster.until(() => cluster.condition('Ready', GATEWAY)?.status === 'True');
    expect(cluster.status(GATEWAY)).toMatchObject({ phase: 'Ready', backendCount: 1 });
    const digest = cluster.status().digest;

    const second = cluster.commit({ 'group.yaml': GROUP, 'gateway.yaml': filtered('beta') });
    cluster.nudge();
    await cluster.ready(second);
    expect(cluster.status().digest).not.toBe(digest);
    await cluster.until(() => cluster.pods().length === 1);
    expect(await cluster.tools()).toEqual(['backend_beta']);

    const bad = cluster.commit({
      'group.yaml': GROUP,
      'gateway.yaml': gateway('eng', '{ aggregation: { conflictResolution: prefics } }'),
    });
    cluster.nudge();
    await cluster.until(() => cluster.condition('Stalled')?.status === 'True');
    expect(cluster.status().lastAttemptedRevision).toBe(`main@sha1:${bad}`);
    expect(cluster.status().lastAppliedRevision).toBe(`main@sha1:${second}`);
    expect(cluster.condition('Ready')).toMatchObject({ status: 'False', reason: 'CompilationFailed' });
    expect(cluster.status().diagnostics).toMatchObject([{ severity: 'error', file: 'gateway.yaml', line: 7 }]);
    expect(await cluster.tools()).toEqual(['backend_beta']);

    cluster.api.remove({
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'GatewaySource',
      namespace: NAMESPACE,
      name: 'gateways',
    });
    await cluster.until(() => cluster.source() === undefined);
    for (const [apiVersion, kind] of [
      ['lintel.dev/v1beta1', 'VirtualMCPServer'],
      ['lintel.dev/v1beta1', 'MCPGroup'],
      ['apps/v1', 'Deployment'],
      ['v1', 'Service'],
      ['v1', 'ConfigMap'],
      ['v1', 'ServiceAccount'],
      ['networking.k8s.io/v1', 'NetworkPolicy'],
    ] as const) {
      expect([kind, cluster.api.objects({ apiVersion, kind }, NAMESPACE)]).toEqual([kind, []]);
    }
    await cluster.until(() => cluster.pods().length === 0);

    controller.kill('SIGTERM');
    expect(await controller.exitCode()).toBe(0);
    // Each outcome once, however many reconciles had it.
    const isAbout = ({ source }: LogLine) => source === `${NAMESPACE}/gateways`;
    const lines = readLog(controller.stderr.text).filter(isAbout);
    const outcomes = lines.filter(({ reason }) => reason !== 'Progressing');
    expect(outcomes).toEqual([
      expect.objectContaining({ level: 'info', reason: 'Succeeded', revision: `main@sha1:${first}` }),
      expect.objectContaining({ level: 'info', reason: 'Succeeded', revision: `main@sha1:${second}` }),
      expect.objectContaining({ level: 'warn', reason: 'CompilationFailed', revision: `main@sha1:${bad}` }),
      expect.objectContaining({ level: 'info', msg: 'the source is deleted', objects: expect.any(Number) }),
    ]);
    expect(lines.filter(({ applied }) => applied !== undefined).map(({ revision }) => revision)).toEqual([
      `main@sha1:${first}`,
      `main@sha1:${second}`,
    ]);
  },
  6 * LIMIT_MS,
);

test(
  'one of two controllers leads, a webhook call to the follower reaches the leader, and the follower takes over at once',
  async () => {
    await using other = await TestCluster.start();
    const elect = [
      '--leader-elect',
      '--leader-election-namespace',
      'lintel-system',
      '--webhook-address',
      '127.0.0.1:0',
    ];
    const first = other.controller(...elect);
    const { internal } = await first.announcement<Listening>();
    await other.until(() => first.stderr.text.includes('"watching GatewaySources"'));
    const second = other.controller(...elect);
    const { webhook, internal: waiting } = await second.announcement<Listening>();
    // Both are ready, but only one leads.
    await other.until(async () => (await fetch(`${waiting}/readyz`)).ok);
    expect(await page(internal)).toContain('leader_election_master_status{name="lintel-controller"} 1');
    expect(await page(waiting)).toContain('leader_election_master_status{name="lintel-controller"} 0');

    const commit = other.commit({ 'group.yaml': GROUP, 'gateway.yaml': filtered('alpha') });
    other.secret('hook', { token: 'shared-secret' });
    other.follow({ interval: '1h', webhook: { secretRef: { name: 'hook' } } });
    await other.ready(commit);
    // The pages of the leader and of the follower.
    const [acting, watching] = await Promise.all([internal, waiting].map(async url => (await fetch(url)).text()));
    expect(acting).toContain(`>${NAMESPACE}/gateways</td>`);
    expect(acting).not.toContain('only watches');
    expect(watching).toContain('only watches');

    const next = other.commit({ 'group.yaml': GROUP, 'gateway.yaml': filtered('beta') });
    const signature = createHmac('sha256', 'shared-secret').update('{}').digest('hex');
    const delivery = await fetch(`${webhook}/hook/${NAMESPACE}/gateways`, {
      method: 'POST',
      body: '{}',
      headers: { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-event': 'push', 'x-github-delivery': '1' },
    });
    expect(delivery.status).toBe(202);
    await other.ready(next);

    first.kill('SIGTERM');
    expect(await first.exitCode()).toBe(0);
    // The Lease was released: no candidate has to wait for its expiry.
    await other.until(() => second.stderr.text.includes('"watching GatewaySources"'));
    const last = other.commit({ 'group.yaml': GROUP, 'gateway.yaml': filtered('alpha') });
    other.nudge();
    await other.ready(last);
  },
  6 * LIMIT_MS,
);

interface LogLine {
  readonly source?: string;
  readonly reason?: string;
  readonly revision?: string;
  readonly applied?: number;
}

function readLog(text: string): readonly LogLine[] {
  return text
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
}

interface Listening {
  readonly internal: string;
  readonly webhook: string;
}

async function page(internal: string): Promise<string> {
  return await (await fetch(`${internal}/metrics`)).text();
}
