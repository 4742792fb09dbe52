import { describe, expect, test } from 'vitest';
import { PartlyApplied } from '../../../controller/reconcile/index.ts';
import {
  AppliedCluster,
  createConfigMap,
  createGroup,
  createOutcome,
  createUnit,
} from '../../support/applied-cluster.ts';

const signal = (): AbortSignal => AbortSignal.timeout(200_000);

const revision = (letter: string, description = letter) =>
  createOutcome({
    objects: [createGroup('tools', description), createConfigMap('settings', {})],
    units: [createUnit('a', letter)],
  });

/** The kinds of the objects that were written, in order; consecutive objects of one kind count once. */
const writtenKinds = (cluster: AppliedCluster): readonly string[] =>
  cluster.api.writes().flatMap(({ kind }, at, all) => (all[at - 1]?.kind === kind ? [] : [kind]));

describe('applying', () => {
  test('the controller applies objects in steps, and begins a step only when the previous step is complete', async () => {
    await using cluster = await AppliedCluster.start();
    const ended: string[] = [];
    let isEarly = false;
    cluster.api.onRequest = ({ kind, dryRun, verb }, phase) => {
      if (dryRun || verb !== 'apply') return;
      if (phase === 'after') ended.push(kind);
      if (kind === 'Deployment' && phase === 'before') isEarly ||= !ended.includes('Service') || ended.length < 6;
    };
    await cluster.reconcile(revision('a'));
    expect(isEarly).toBe(false);
    expect(ended.indexOf('MCPGroup')).toBe(4);
    expect(ended.slice(5)).toEqual(['Service', 'Deployment']);
  });

  test('the controller writes only the objects that a new revision changes', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(revision('a'));
    const before = cluster.api.writes().length;
    await cluster.reconcile(revision('a', 'new'));
    expect(
      cluster.api
        .writes()
        .slice(before)
        .map(({ kind, name }) => `${kind}/${name}`),
    ).toEqual(['MCPGroup/tools']);
  });

  test('an apply that fails half-way reports the objects that it applied, and can be repeated', async () => {
    await using cluster = await AppliedCluster.start();
    cluster.api.faults.each({ kind: 'Service', dryRun: false, verb: 'apply' }, { status: 503, retryAfter: 60 });
    const plan = await cluster.plan(revision('a'));
    const error = await cluster.destination.apply(plan.changes, signal()).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(PartlyApplied);
    const { entries, cause } = error as PartlyApplied;
    expect(entries.map(({ id }) => id)).toEqual([
      'team_a-bundle-aaaaaaaaaaaaaaaa__ConfigMap',
      'team_a-history__ConfigMap',
      'team_settings__ConfigMap',
      'team_a-vmcp__ServiceAccount',
      'team_tools_lintel.dev_MCPGroup',
    ]);
    expect(cause).toMatchObject({ reason: 'ProgressingWithRetry', next: 'retry' });
    expect((error as Error).message).toMatch(/^Service team\/vmcp-a \(VirtualMCPServer team\/a\): apply Service/);
    expect(cluster.get('Deployment', 'a')).toBeUndefined();
    expect(cluster.outcomes.filter(outcome => /Service\b|Deployment/.test(outcome))).toEqual([
      'create Service refused',
    ]);

    cluster.api.faults.clear();
    cluster.inventory = entries;
    const again = await cluster.reconcile(revision('a'));
    expect(again.changes.map(({ object }) => object.kind)).toEqual(['Service', 'Deployment']);
    expect(cluster.inventoried()).toHaveLength(7);
    expect(cluster.outcomes.slice(-2)).toEqual(['create Service', 'create Deployment']);
  });

  test('an apply that is interrupted reports the objects that it applied', async () => {
    await using cluster = await AppliedCluster.start();
    const plan = await cluster.plan(revision('a'));
    const interrupted = new AbortController();
    cluster.api.onRequest = ({ kind }, phase) => {
      if (kind === 'MCPGroup' && phase === 'after') interrupted.abort(new Error('a newer revision'));
    };
    const error = await cluster.destination.apply(plan.changes, interrupted.signal).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(PartlyApplied);
    expect((error as PartlyApplied).cause).toMatchObject({ message: 'a newer revision' });
    expect((error as PartlyApplied).entries).toHaveLength(4);
    expect(cluster.get('Service', 'vmcp-a')).toBeUndefined();
  });

  test('the controller recognizes a write that took effect although the API server sent no answer', async () => {
    await using cluster = await AppliedCluster.start();
    cluster.api.faults.each({ kind: 'Deployment', verb: 'apply', dryRun: false }, { drop: 'after' });
    await expect(cluster.reconcile(revision('a'))).rejects.toThrow(PartlyApplied);
    cluster.api.faults.clear();
    const plan = await cluster.reconcile(revision('a'));
    expect(plan.changes).toEqual([]);
    expect(cluster.inventoried()).toContain('Deployment/a');
  });

  test('the controller adds only its source label and two annotations to an object', async () => {
    const name = 'g'.repeat(70);
    await using cluster = await AppliedCluster.start({ source: { namespace: 'team', name } });
    await cluster.reconcile(createOutcome({ objects: [createConfigMap('settings', {})] }));
    const { labels, annotations } = cluster.get('ConfigMap', 'settings')?.metadata ?? {};
    expect(Object.keys(labels ?? {})).toEqual(['lintel.dev/source']);
    expect(labels?.['lintel.dev/source']).toMatch(/^team\.g{49}-[0-9a-f]{8}$/);
    expect(annotations?.['lintel.dev/source']).toBe(`team/${name}`);
    expect(Object.keys(annotations ?? {}).sort()).toEqual(['lintel.dev/desired-hash', 'lintel.dev/source']);
  });
});

describe('requests', () => {
  const fifty = (changed?: number) =>
    createOutcome({
      objects: [createGroup('tools')],
      units: Array.from({ length: 50 }, (_, at) => createUnit(`g${at}`, at === changed ? 'b' : 'a')),
    });

  test('the controller sends no request for an unchanged revision', async () => {
    await using cluster = await AppliedCluster.start({ isCached: true });
    await cluster.reconcile(fifty());
    await cluster.caughtUp();
    const before = cluster.api.logged().length;
    const plan = await cluster.reconcile(fifty());
    expect(plan).toMatchObject({ changes: [], deletions: [], unchanged: 251 });
    expect(cluster.api.logged().slice(before)).toEqual([]);
  });

  test('the controller sends requests only for the objects of the one changed gateway among fifty', async () => {
    await using cluster = await AppliedCluster.start({ isCached: true });
    await cluster.reconcile(fifty());
    await cluster.activate(fifty());
    await cluster.caughtUp();
    const before = cluster.api.logged().length;
    await cluster.reconcile(fifty(7));
    const asked = cluster.api.logged().slice(before);
    // Calls of one step are sent together.
    const called = asked.map(({ verb, kind, name, dryRun }) => `${verb}${dryRun ? ' (dry run)' : ''} ${kind}/${name}`);
    expect(called.toSorted()).toEqual([
      'apply (dry run) ConfigMap/g7-bundle-bbbbbbbbbbbbbbbb',
      'apply (dry run) Deployment/g7',
      'apply ConfigMap/g7-bundle-bbbbbbbbbbbbbbbb',
      'apply Deployment/g7',
      'get ConfigMap/g7-bundle-bbbbbbbbbbbbbbbb',
      'get Deployment/g7',
    ]);
    expect(called.slice(-2)).toEqual(['apply ConfigMap/g7-bundle-bbbbbbbbbbbbbbbb', 'apply Deployment/g7']);
  });

  test('the controller sends no request after changes of a status, of replicas or of labels of other managers', async () => {
    await using cluster = await AppliedCluster.start({ isCached: true });
    const outcome = createOutcome({ objects: [createGroup('tools')], units: [createUnit('a', 'a')] });
    await cluster.reconcile(outcome);
    cluster.edit('Deployment', 'a', 'horizontal-autoscaler', ({ spec }) => ({
      spec: { ...(spec as object), replicas: 4 },
    }));
    cluster.edit('MCPGroup', 'tools', 'operator', () => ({ status: { phase: 'Ready' } }));
    cluster.edit('Service', 'vmcp-a', 'kubectl-label', ({ metadata }) => ({
      metadata: { ...metadata, labels: { ...metadata.labels, theirs: 'yes' } },
    }));
    await cluster.caughtUp();
    const before = cluster.api.logged().length;
    expect((await cluster.reconcile(outcome)).changes).toEqual([]);
    expect(cluster.api.logged().slice(before)).toEqual([]);
    expect(cluster.get('Deployment', 'a')?.spec).toMatchObject({ replicas: 4 });
  });

  test('the controller reads each object once after a restart, and writes no object', async () => {
    await using cluster = await AppliedCluster.start({ isCached: true });
    await cluster.reconcile(revision('a'));
    await cluster.caughtUp();
    cluster.restart();
    const before = cluster.api.writes().length;
    const plan = await cluster.reconcile(revision('a'));
    expect(plan).toMatchObject({ changes: [], unchanged: 7 });
    expect(cluster.api.writes()).toHaveLength(before);
    const requests = cluster.api.logged().length;
    await cluster.reconcile(revision('a'));
    expect(cluster.api.logged()).toHaveLength(requests);
  });
});

test('the controller applies custom resources, Services and Deployments last, in this order', async () => {
  await using cluster = await AppliedCluster.start();
  await cluster.reconcile(revision('a'));
  const kinds = writtenKinds(cluster);
  expect(kinds.slice(-3)).toEqual(['MCPGroup', 'Service', 'Deployment']);
  expect(new Set(kinds.slice(0, -3))).toEqual(new Set(['ConfigMap', 'ServiceAccount']));
});
