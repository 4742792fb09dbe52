import { describe, expect, test } from 'vitest';
import { createCommitReport } from '../../../controller/forge/create-commit-report.ts';
import { exposures, OFFERS, SPECS } from '../../compiler/exposure/sample.ts';
import { COMMIT, condition, error, outcome, PROGRESSING, READY, REVISION, source, told, unit } from './telling.ts';

const STALLED = condition('Stalled', 'True', 'CompilationFailed', 'LNT1003 gateways/eng.yaml:7: unknown field');
const notReady = (reason: string) => condition('Ready', 'False', reason, reason);

describe('the source as a whole', () => {
  test.each([
    ['stalled', [STALLED, notReady('CompilationFailed')], 'failure'],
    ['rolled back', [condition('RolledBack', 'True', 'BundleRejected', 'back'), READY], 'failure'],
    ['an unhealthy rollout', [notReady('HealthCheckFailed')], 'failure'],
    ['a deletion that waits for approval', [notReady('PruneBlocked')], 'failure'],
    ['a repository that cannot be reached', [notReady('FetchFailed')], 'pending'],
    ['a retry', [notReady('ProgressingWithRetry')], 'pending'],
    ['in progress', [PROGRESSING], 'pending'],
    ['no conditions yet', [], 'pending'],
    ['ready', [READY], 'success'],
  ] as const)(
    'the commit status of a source is failure, pending or success for the conditions of the source: %s',
    (_, conditions, state) => {
      expect(createCommitReport(told(conditions))?.state).toBe(state);
    },
  );

  test('the commit status is a failure for a commit that the controller refuses before the checkout', () => {
    const refused = told([condition('Stalled', 'True', 'SignatureInvalid', 'no signature')], { tree: undefined });
    expect(createCommitReport(refused)).toMatchObject({ commit: COMMIT, revision: REVISION, state: 'failure' });
    const unknown = { ...refused, status: { ...refused.status, lastAttemptedRevision: 'main' } };
    expect(createCommitReport(unknown)).toBeUndefined();
  });
});

describe('a gateway', () => {
  const eng = unit('eng');
  const digest = eng.digest ?? '';
  const applied = (more: object) => ({
    gateways: [{ kind: 'gateway' as const, namespace: 'team', name: 'eng', digest, ...more }],
  });
  const resultOf = (one: Parameters<typeof told>[1], conditions = [PROGRESSING]) => {
    const [result] = createCommitReport(told(conditions, { outcome: outcome([eng]), ...one }))?.units ?? [];
    return result && [result.state, result.description];
  };

  test.each([
    ['not applied yet', {}, ['pending', 'rolling out']],
    ['applied', { status: applied({}) }, ['pending', 'rolling out']],
    [
      'with pods that are not ready yet',
      {
        status: applied({}),
        rollouts: [{ unit: eng, digest, state: 'progressing' as const, message: '1/3 pods' }],
      },
      ['pending', '1/3 pods'],
    ],
    ['that runs', { status: applied({ activeDigest: digest }) }, ['success', `active at ${COMMIT.slice(0, 12)}`]],
    [
      'that runs, with the number of its pods',
      {
        status: applied({ activeDigest: digest }),
        rollouts: [{ unit: eng, digest, state: 'active' as const, message: 'active on 3/3 pods' }],
      },
      ['success', `active on 3/3 pods at ${COMMIT.slice(0, 12)}`],
    ],
    [
      'that ran and whose pods are not ready for a moment',
      {
        status: applied({ activeDigest: digest }),
        rollouts: [{ unit: eng, digest, state: 'progressing' as const, message: '0 of 3 pods are ready' }],
      },
      ['success', `active at ${COMMIT.slice(0, 12)}`],
    ],
    [
      'that still runs the previous bundle',
      { status: applied({ activeDigest: 'sha256:before' }) },
      ['pending', 'rolling out'],
    ],
    [
      'that was rolled back',
      {
        status: applied({
          digest: 'sha256:before',
          activeDigest: 'sha256:before',
          heldDigest: digest,
          message: 'pod eng-1: no',
        }),
      },
      ['failure', 'the previous bundle runs again: pod eng-1: no'],
    ],
    [
      'with an error',
      { outcome: outcome([unit('eng', { digest: null, diagnostics: [error('unknown field')] })], { isGood: false }) },
      ['failure', 'LNT1003 gateways/eng.yaml:7: unknown field'],
    ],
    [
      'next to another gateway with an error',
      { outcome: outcome([eng], { isGood: false }), status: applied({ activeDigest: digest }) },
      ['failure', 'nothing of this revision is applied, because other gateways have errors'],
    ],
  ])('the commit status of a gateway has its state and message: a gateway %s', (_, one, expected) => {
    expect(resultOf(one)).toEqual(expected);
  });

  test('the commit status of a gateway is a failure when its source fails before the gateway is applied', () => {
    expect(resultOf({}, [condition('Stalled', 'True', 'DryRunFailed', 'no')])?.[0]).toBe('failure');
  });
});

describe('the place', () => {
  const origins = { 'VirtualMCPServer/team/eng': { file: 'gateways/eng.yaml', line: 2 } };
  const ofCluster = { ...error('no such group'), file: 'cluster:MCPGroup/team/tools' };
  test.each([
    ['the spec of a gateway without findings', unit('eng'), { path: 'gateways/eng.yaml', isFolder: false, line: 2 }],
    [
      'its first finding',
      unit('eng', { diagnostics: [error('one', 9), error('other', 11)] }),
      { path: 'gateways/eng.yaml', isFolder: false, line: 9 },
    ],
    [
      'its spec when the finding is in an object of the cluster',
      unit('eng', { diagnostics: [ofCluster] }),
      { path: 'gateways/eng.yaml', isFolder: false, line: 2 },
    ],
    ['no place for a gateway that no file has', unit('ops'), undefined],
  ])('the commit status of a gateway links to %s', (_, one, place) => {
    const found = createCommitReport(told([PROGRESSING], { outcome: outcome([one], { origins }) }));
    expect(found?.units[0]?.linkTarget).toEqual(place);
  });

  test('the commit status of a source links to the first finding in its repository or, without findings, to its folder', () => {
    const placeOf = (diagnostics: readonly ReturnType<typeof error>[]) =>
      createCommitReport(
        told([PROGRESSING], { source: source({ path: './gateways' }), outcome: outcome([], { diagnostics }) }),
      )?.linkTarget;
    expect(placeOf([ofCluster, error('one', 4)])).toEqual({ path: 'gateways/eng.yaml', isFolder: false, line: 4 });
    expect(placeOf([])).toEqual({ path: './gateways', isFolder: true });
  });
});

describe('the difference', () => {
  const withExposure = (text: string) => {
    const [exposure] = exposures(text, OFFERS);
    const files = [{ path: 'exposure.json', text: JSON.stringify(exposure) }];
    return outcome([unit('eng', { files })], { digest: `sha256:${text.length}` });
  };
  const before = withExposure(SPECS);
  const after = withExposure(
    SPECS.replace('permit(principal in Group::"contractors", action,', 'permit(principal, action,'),
  );

  test('the report of a commit shows which access the revision opens and closes compared to the applied revision', () => {
    const markdown = createCommitReport(told([PROGRESSING], { outcome: after, applied: before }))?.difference?.(60_000);
    expect(markdown).toContain('#### Look at these first');
    expect(markdown).toContain('pg\\_drop\\_table');
  });

  test.each([
    ['nothing was applied before', { outcome: after }],
    ['the revision is applied already and was compiled again', { outcome: after, applied: { ...after } }],
    ['units carry no exposure', { outcome: outcome([unit('eng')]), applied: before }],
    ['the revision has errors', { outcome: { ...after, isGood: false }, applied: before }],
  ])('the report of a commit has no comparison of access with the applied revision when %s', (_, one) => {
    expect(createCommitReport(told([PROGRESSING], one))?.difference).toBeUndefined();
  });
});
