import { describe, expect, test } from 'vitest';
import {
  AppliedCluster,
  createConfigMap,
  createOutcome,
  createSecret,
  createUnit,
  NAMESPACE,
} from '../../support/applied-cluster.ts';

const fromSecret = (name: string, key: string, optional?: boolean): object => ({
  name: 'TOKEN',
  valueFrom: { secretKeyRef: { name, key, ...(optional === undefined ? {} : { optional }) } },
});

const revision = (...env: object[]) => createOutcome({ units: [createUnit('a', 'a', { env })] });

describe('a Secret that pods need', () => {
  test.each([
    [
      'is missing',
      [],
      'Secret team/idp, which Deployment team/a needs, does not exist: create it with "client-secret"',
    ],
    [
      'lacks the key',
      [createSecret('idp', { other: 'hunter2' })],
      'Secret team/idp has no key "client-secret", which Deployment team/a needs: add it',
    ],
  ])(
    'the controller writes no object while a Secret that the pods of a gateway need %s',
    async (_, objects, message) => {
      await using cluster = await AppliedCluster.start();
      for (const object of objects) cluster.api.put(object);
      const failed = cluster.reconcile(revision(fromSecret('idp', 'client-secret')));
      await expect(failed).rejects.toMatchObject({ reason: 'DependencyNotReady', next: 'retry', message });
      expect(cluster.api.writes()).toEqual([]);
      expect(cluster.missingSecrets).toEqual([`Deployment a: ${message}`]);
    },
  );

  test('the controller reads a required Secret once, and applies the revision', async () => {
    await using cluster = await AppliedCluster.start();
    cluster.api.put(createSecret('idp', { 'client-secret': 'hunter2' }));
    const outcome = revision(fromSecret('idp', 'client-secret'));
    const plan = await cluster.reconcile(outcome);
    expect(plan.notes).toEqual([]);
    expect(JSON.stringify(plan)).not.toContain('hunter2');
    const before = cluster.api.logged({ kind: 'Secret' }).length;
    await cluster.reconcile(outcome);
    expect(cluster.api.logged({ kind: 'Secret' })).toHaveLength(before);
  });

  test('the controller notes that the account of the source may not read a Secret, and applies the revision', async () => {
    await using cluster = await AppliedCluster.start({
      account: { namespace: NAMESPACE, name: 'deployer' },
      authorize: ({ resource }) => resource !== 'secrets',
    });
    const { notes } = await cluster.reconcile(revision(fromSecret('idp', 'client-secret')));
    expect(notes).toEqual([
      expect.stringMatching(/^Secret team\/idp could not be checked: get Secret team\/idp: secrets "idp" is forbidden/),
    ]);
    expect(cluster.get('Deployment', 'a')).toBeDefined();
  });

  test('after the account of the source may read a Secret, the controller reads the Secret and notes that it is missing', async () => {
    let mayRead = false;
    await using cluster = await AppliedCluster.start({
      account: { namespace: NAMESPACE, name: 'deployer' },
      authorize: ({ resource }) => mayRead || resource !== 'secrets',
    });
    const outcome = revision(fromSecret('idp', 'client-secret'));
    await cluster.reconcile(outcome);
    mayRead = true;
    expect((await cluster.reconcile(outcome)).notes).toBeUndefined();
    expect((await cluster.reconcile(outcome, { hasNotes: true })).notes).toEqual([
      'Secret team/idp, which Deployment team/a needs, does not exist: create it with "client-secret"',
    ]);
    cluster.api.put(createSecret('idp', { 'client-secret': 'hunter2' }));
    expect((await cluster.reconcile(outcome, { hasNotes: true })).notes).toEqual([]);
  });

  test('the controller notes that an optional Secret is missing, and applies the revision', async () => {
    await using cluster = await AppliedCluster.start();
    const { notes } = await cluster.reconcile(revision(fromSecret('idp', 'client-secret', true)));
    expect(notes).toEqual([
      'Secret team/idp, which Deployment team/a needs, does not exist: create it with "client-secret"',
    ]);
  });
});

test('the controller accepts a pod that needs a ConfigMap which the same revision creates', async () => {
  await using cluster = await AppliedCluster.start();
  const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'ca', key: 'ca.crt' } } }];
  const units = [createUnit('a', 'a', { env })];
  await expect(cluster.plan(createOutcome({ units }))).rejects.toMatchObject({ reason: 'DependencyNotReady' });
  const plan = await cluster.plan(createOutcome({ units, objects: [createConfigMap('ca', { 'ca.crt': 'pem' })] }));
  expect(plan.changes).toHaveLength(6);
});
