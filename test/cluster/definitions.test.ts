/** A controller that is newer than the CRDs, as after a Helm upgrade, reports this until the CRDs are upgraded. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GROUP } from '../e2e/specs.ts';
import { installed } from '../support/installed.ts';
import { LIMIT_MS, RealCluster } from './real-cluster.ts';

const DEFINITION = 'mcpgroups.lintel.dev';
const PATH = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${DEFINITION}`;

let cluster: RealCluster;

beforeAll(async () => {
  cluster = await RealCluster.start();
}, LIMIT_MS);
afterAll(() => cluster?.[Symbol.asyncDispose]());

interface Definition {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: {
        readonly openAPIV3Schema: { readonly properties: { readonly spec: { readonly properties: object } } };
      };
    }[];
  };
}

/** An older version of the CRD, which lacks a field. */
async function downgrade(): Promise<void> {
  const { body } = await cluster.api.request('GET', PATH);
  const older = structuredClone(body) as unknown as Definition;
  for (const { schema } of older.spec.versions)
    delete (schema.openAPIV3Schema.properties.spec.properties as { description?: unknown }).description;
  const answer = await cluster.api.request('PUT', PATH, { body: older });
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

  const newer = installed().find(({ metadata }) => metadata.name === DEFINITION);
  await cluster.apply({ ...newer });
  await cluster.until(async () => (await cluster.condition('DefinitionsOutdated')) === undefined);
  expect(cluster.violations).toEqual([]);
});
