/** A controller that is newer than the CRDs, as after a Helm upgrade, reports this until the CRDs are upgraded. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GROUP } from '../e2e/specs.ts';
import { installed } from '../support/installed.ts';
import { GROUPS, GROUPS_PATH, makeOlder } from './older-groups.ts';
import { LIMIT_MS, RealCluster } from './real-cluster.ts';

let cluster: RealCluster;

beforeAll(async () => {
  cluster = await RealCluster.start();
}, LIMIT_MS);
afterAll(() => cluster?.[Symbol.asyncDispose]());

async function downgrade(): Promise<void> {
  const { body } = await cluster.api.request('GET', GROUPS_PATH);
  const answer = await cluster.api.request('PUT', GROUPS_PATH, { body: makeOlder(body) });
  if (answer.status !== 200) throw new Error(answer.text);
}

test('the GatewaySource, an event and the log of the controller report outdated CustomResourceDefinitions until an upgrade', {
  timeout: LIMIT_MS,
}, async () => {
  await downgrade();
  const controller = await cluster.controller();
  const commit = cluster.commit({ 'group.yaml': GROUP });
  await cluster.follow();
  await cluster.ready(commit);
  await cluster.until(async () => (await cluster.condition('DefinitionsOutdated'))?.status === 'True');
  const { reason, message } = (await cluster.condition('DefinitionsOutdated')) ?? {};
  expect(reason).toBe('DefinitionsOutdated');
  expect(message).toContain('they lack spec.description of MCPGroup. ');
  expect(controller.log).toContain('the CustomResourceDefinitions in the cluster are older than this controller');
  const events = { apiVersion: 'v1', kind: 'Event' };
  await cluster.until(async () => (await cluster.list(events)).some(event => event.reason === 'DefinitionsOutdated'));
  // It needs no permission of its own: every account may read the API server's discovery documents.
  const refused = (await cluster.api.audit()).filter(({ responseStatus }) => responseStatus?.code === 403);
  expect(refused).toEqual([]);

  const newer = installed().find(({ metadata }) => metadata.name === GROUPS);
  await cluster.apply({ ...newer });
  await cluster.until(async () => (await cluster.condition('DefinitionsOutdated')) === undefined);
  expect(cluster.violations).toEqual([]);
});
