/** An EmbeddingServer from a repository, with the real API server and the built controller. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GROUP } from '../e2e/specs.ts';
import { LIMIT_MS, ours, RealCluster } from './real-cluster.ts';

const SERVER = ours('EmbeddingServer', 'words');
const SET = { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace: 'mcp', name: 'words' };
const server = (size: string) => `apiVersion: lintel.dev/v1beta1
kind: EmbeddingServer
metadata: { name: words, namespace: mcp }
spec: { modelCache: { size: ${size} } }
`;

let cluster: RealCluster;
beforeAll(async () => {
  cluster = await RealCluster.start();
  await cluster.controller();
}, LIMIT_MS);
afterAll(() => cluster?.[Symbol.asyncDispose]());

test('an embedding server runs, reports its status, and gets a new StatefulSet after a change of an immutable field', {
  timeout: 3 * LIMIT_MS,
}, async () => {
  const commit = cluster.commit({ 'group.yaml': GROUP, 'words.yaml': server('1Gi') });
  await cluster.follow();
  await cluster.ready(commit);
  await cluster.until(async () => (await cluster.status(SERVER)).phase === 'Pending');
  expect(await cluster.get({ apiVersion: 'v1', kind: 'Service', namespace: 'mcp', name: 'words' })).toBeDefined();
  // There is no kubelet for StatefulSets here, so the test writes their status.
  const set = await cluster.get(SET);
  for (const [status, phase] of [
    [{ replicas: 1 }, 'Downloading'],
    [{ replicas: 1, readyReplicas: 1 }, 'Ready'],
  ] as const) {
    const path = `/apis/apps/v1/namespaces/mcp/statefulsets/words/status`;
    const answer = await cluster.api.request('PATCH', path, {
      body: { status },
      contentType: 'application/merge-patch+json',
    });
    expect(answer.status, answer.text).toBe(200);
    await cluster.until(async () => (await cluster.status(SERVER)).phase === phase);
  }
  expect(await cluster.status(SERVER)).toMatchObject({
    readyReplicas: 1,
    url: 'http://words.mcp.svc.cluster.local:8080',
    observedGeneration: 1,
  });

  const larger = cluster.commit({ 'group.yaml': GROUP, 'words.yaml': server('2Gi') });
  await cluster.nudge();
  await cluster.ready(larger);
  const again = await cluster.get(SET);
  expect(again?.metadata.uid).not.toBe(set?.metadata.uid);
  expect(again?.spec).toMatchObject({
    volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '2Gi' } } } }],
  });
});
