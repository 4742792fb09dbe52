import { describe, expect, test } from 'vitest';
import { ReconcileError } from '../../../controller/reconcile/index.ts';
import {
  AppliedCluster,
  createConfigMap,
  createGroup,
  createOutcome,
  createUnit,
  digestNamed,
  NAMESPACE,
} from '../../support/applied-cluster.ts';

/** `action Kind/name` of each change. */
const actions = (plan: Awaited<ReturnType<AppliedCluster['plan']>>): readonly string[] =>
  plan.changes.map(({ action, object }) => `${action} ${object.kind}/${object.metadata.name}`);

const failureOf = async (work: Promise<unknown>): Promise<ReconcileError> => {
  const error = await work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ReconcileError);
  return error as ReconcileError;
};

describe('a plan', () => {
  test('a plan of the controller lists the missing objects in order, and writes no object', async () => {
    await using cluster = await AppliedCluster.start();
    const plan = await cluster.plan(createOutcome({ objects: [createGroup('tools')], units: [createUnit('a', 'a')] }));
    expect(actions(plan)).toEqual([
      'create ConfigMap/a-bundle-aaaaaaaaaaaaaaaa',
      'create ConfigMap/a-history',
      'create ServiceAccount/a-vmcp',
      'create MCPGroup/tools',
      'create Service/vmcp-a',
      'create Deployment/a',
    ]);
    expect(plan.changes.every(({ isDrift, difference }) => !isDrift && difference.length === 0)).toBe(true);
    expect(cluster.api.writes()).toEqual([]);
  });

  test('a plan of the controller lists only the changed objects', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(createOutcome({ objects: [createGroup('tools')], units: [createUnit('a', 'a')] }));
    const plan = await cluster.plan(
      createOutcome({ objects: [createGroup('tools', 'New.')], units: [createUnit('a', 'a', { image: 'runtime:2' })] }),
    );
    expect(actions(plan)).toEqual(['configure MCPGroup/tools', 'configure Deployment/a']);
    expect(plan.changes.map(({ difference }) => difference)).toEqual([
      ['spec.description: "Ours." -> "New."'],
      ['spec.template.spec.containers[name=vmcp].image: "runtime:1" -> "runtime:2"'],
    ]);
    expect(plan.unchanged).toBe(4);
    expect(plan.kept).toHaveLength(4);
    expect(plan.changes.some(({ isDrift }) => isDrift)).toBe(false);
  });

  test('the controller recreates an immutable ConfigMap that a revision changes', async () => {
    await using cluster = await AppliedCluster.start();
    const fixed = (value: string) =>
      createOutcome({ objects: [createConfigMap('fixed', { a: value }, { immutable: true })] });
    await cluster.reconcile(fixed('1'));
    const before = cluster.get('ConfigMap', 'fixed')?.metadata.uid;
    const plan = await cluster.reconcile(fixed('2'));
    expect(actions(plan)).toEqual(['recreate ConfigMap/fixed']);
    expect(plan.changes[0]?.difference).toContain('data.a: "1" -> "2"');
    expect(cluster.get('ConfigMap', 'fixed')?.data).toEqual({ a: '2' });
    expect(cluster.get('ConfigMap', 'fixed')?.metadata.uid).not.toBe(before);
    expect(cluster.inventory.map(({ uid }) => uid)).toEqual([cluster.get('ConfigMap', 'fixed')?.metadata.uid]);
  });

  test('the controller does not recreate a Deployment whose selector differs from the revision, and the source stalls', async () => {
    await using cluster = await AppliedCluster.start();
    const [deployment] = createUnit('a', 'a').manifests.filter(({ kind }) => kind === 'Deployment');
    cluster.api.put({ ...deployment, spec: { selector: { matchLabels: { app: 'other' } }, template: {} } } as never);
    const error = await failureOf(cluster.plan(createOutcome({ units: [createUnit('a', 'a')] })));
    expect(error).toMatchObject({ reason: 'DryRunFailed', next: 'stalled' });
    expect(error.message).toMatch(
      /^Deployment team\/a \(VirtualMCPServer team\/a\) is refused: spec.selector: .*immutable/,
    );
  });

  test('a plan of the controller deletes objects before the objects that they need', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(createOutcome({ objects: [createGroup('tools')], units: [createUnit('a', 'a')] }));
    const { deletions } = await cluster.plan(createOutcome({}));
    expect(deletions.map(({ id }) => id)).toEqual([
      'team_a_apps_Deployment',
      'team_vmcp-a__Service',
      'team_tools_lintel.dev_MCPGroup',
      'team_a-vmcp__ServiceAccount',
      'team_a-history__ConfigMap',
      'team_a-bundle-aaaaaaaaaaaaaaaa__ConfigMap',
    ]);
  });

  test('the controller refuses a revision with two objects of the same kind and name', async () => {
    await using cluster = await AppliedCluster.start();
    const origins = { 'ConfigMap/team/a-history': { file: 'a.yaml', line: 3 } };
    const objects = [createConfigMap('a-history', {})];
    const error = await failureOf(cluster.plan(createOutcome({ objects, units: [createUnit('a', 'a')], origins })));
    expect(error.message).toBe(
      'ConfigMap team/a-history is in the repository twice, because of a.yaml:3 and of VirtualMCPServer team/a: give one of the two another name',
    );
  });
});

describe('a refusal of the API server', () => {
  test('a refusal of an object by the API server names the file and line of the object and stalls the source', async () => {
    await using cluster = await AppliedCluster.start();
    const bad = { ...createGroup('tools'), spec: { description: 7 } };
    const origins = { 'MCPGroup/team/tools': { file: 'groups/tools.yaml', line: 4 } };
    const outcome = createOutcome({ objects: [bad, createConfigMap('fine', { a: 'b' })], origins });
    const error = await failureOf(cluster.reconcile(outcome));
    expect(error).toMatchObject({ reason: 'DryRunFailed', next: 'stalled' });
    expect(error.message).toMatch(/^MCPGroup team\/tools \(groups\/tools.yaml:4\) is refused: .*spec\.description/);
    expect(cluster.api.writes()).toEqual([]);
  });

  test.each([
    ['lintel.dev/v1beta1', 'install the CustomResourceDefinitions (`lintel schema crd` writes them)'],
    ['toolhive.stacklok.dev/v1beta1', "install the CustomResourceDefinitions of ToolHive's operator"],
  ])(
    'the controller tries again when the CRDs of %s are missing in the cluster, and the error says what to install',
    async (apiVersion, remedy) => {
      await using cluster = await AppliedCluster.start({ crds: [] });
      const group = { ...createGroup('tools'), apiVersion };
      const error = await failureOf(cluster.reconcile(createOutcome({ objects: [group] })));
      expect(error).toMatchObject({ reason: 'DependencyNotReady', next: 'retry' });
      expect(error.message).toBe(`MCPGroup team/tools: the cluster has no kind MCPGroup of ${apiVersion}: ${remedy}`);
    },
  );

  test('the controller tries again when the namespace of an object is missing', async () => {
    await using cluster = await AppliedCluster.start({ namespaces: [] });
    const error = await failureOf(cluster.reconcile(createOutcome({ objects: [createConfigMap('a', {})] })));
    expect(error).toMatchObject({ reason: 'DependencyNotReady', next: 'retry' });
    expect(error.message).toMatch(/^ConfigMap team\/a: .*namespaces "team" not found; create what is missing$/);
  });

  test('the source stalls when its account may not write a kind, and the error has the RBAC rule that is missing', async () => {
    const account = { namespace: NAMESPACE, name: 'deployer' };
    await using cluster = await AppliedCluster.start({
      account,
      authorize: ({ user, verb, resource }) =>
        !user.name.startsWith('system:serviceaccount:') || resource !== 'deployments' || verb === 'get',
    });
    const error = await failureOf(cluster.reconcile(createOutcome({ units: [createUnit('a', 'a')] })));
    expect(error).toMatchObject({ reason: 'PolicyDenied', next: 'stalled' });
    expect(error.message).toBe(
      'Deployment team/a (VirtualMCPServer team/a): system:serviceaccount:team:deployer may not patch deployments.apps in namespace team: ' +
        'give it a Role there with the rule {"apiGroups":["apps"],"resources":["deployments"],"verbs":["get","create","patch","delete"]}',
    );
    expect(cluster.api.writes()).toEqual([]);
    expect(new Set(cluster.api.logged().map(({ user }) => user.name))).toEqual(
      new Set(['system:serviceaccount:team:deployer']),
    );
  });

  test.each([429, 503] as const)(
    'the controller tries again after a temporary error %d of the API server',
    async status => {
      await using cluster = await AppliedCluster.start();
      cluster.api.faults.each({ verb: 'apply' }, { status, retryAfter: 60 });
      const error = await failureOf(cluster.reconcile(createOutcome({ objects: [createConfigMap('a', {})] })));
      expect(error).toMatchObject({ reason: 'ProgressingWithRetry', next: 'retry' });
    },
  );

  test('the error for several refused objects begins with the refusal that a person has to correct', async () => {
    await using cluster = await AppliedCluster.start();
    cluster.api.faults.next({ verb: 'get', name: 'aaa' }, { status: 409 });
    const objects = [createGroup('aaa'), { ...createGroup('bad'), spec: { description: 7 } }];
    const error = await failureOf(cluster.plan(createOutcome({ objects })));
    expect(error.next).toBe('stalled');
    expect(error.message).toMatch(/^MCPGroup team\/bad is refused: .* \(\+1 more\)$/);
  });
});

describe('a bundle', () => {
  const bundle = 'a-bundle-aaaaaaaaaaaaaaaa';

  test('the controller does not write an existing bundle again, even if its compressed bytes differ', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(createOutcome({ units: [createUnit('a', 'a')] }));
    cluster.restart();
    const plan = await cluster.reconcile(createOutcome({ units: [createUnit('a', 'a', { text: 'other bytes' })] }));
    expect(actions(plan)).toEqual([]);
    expect(cluster.get('ConfigMap', bundle)?.data).toEqual({ 'bundle.json': 'a' });
  });

  test('the source stalls when the ConfigMap of a bundle exists with another digest', async () => {
    await using cluster = await AppliedCluster.start();
    const annotations = { 'lintel.dev/bundle-digest': digestNamed('b') };
    cluster.api.put({ ...createConfigMap(bundle, {}), metadata: { name: bundle, namespace: NAMESPACE, annotations } });
    const error = await failureOf(cluster.reconcile(createOutcome({ units: [createUnit('a', 'a')] })));
    expect(error).toMatchObject({ reason: 'FieldConflict', next: 'stalled' });
    expect(error.message).toContain(`ConfigMap team/${bundle} exists and is not bundle ${digestNamed('a')}`);
    expect(cluster.api.writes()).toEqual([]);
  });

  test('the controller creates a bundle again that a person deleted', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(createOutcome({ units: [createUnit('a', 'a')] }));
    cluster.api.remove(cluster.keyOf('ConfigMap', bundle));
    const plan = await cluster.reconcile(createOutcome({ units: [createUnit('a', 'a')] }));
    expect(plan.changes.map(({ action, isDrift }) => ({ action, isDrift }))).toEqual([
      { action: 'create', isDrift: true },
    ]);
  });
});
