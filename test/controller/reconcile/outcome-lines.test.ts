/** What an operator reads in the log of the controller about a source: each change once, with its cause and what it concerns. */
import { afterEach, expect, test } from 'vitest';
import { ReconcileError } from '../../../controller/reconcile/index.ts';
import { digestOfVersion, World } from '../../support/reconcile-world.ts';

let world = new World();
afterEach(() => {
  expect(world.invariants.violations).toEqual([]);
  world = new World();
});

/** The log lines since the last call, without the fields that every line has. */
function lines(): object[] {
  const since = world.lines.slice(seen);
  seen = world.lines.length;
  return since.map(({ source, ...line }) => {
    expect(source).toBe('team/source');
    return line;
  });
}
let seen = 0;
afterEach(() => {
  seen = 0;
});

/** Reconciles several times, so that a line that is logged again would show. */
async function settle(): Promise<void> {
  for (let run = 0; run < 3; run++) await world.reconcile();
}

const revision = (commit: string) => `main@sha1:${commit}`;
const applied = (commit: string) => ({ level: 'info', reason: 'Succeeded', revision: revision(commit) });

test('the log line of AuthenticationFailed says what to do, and does not name the applied revision', async () => {
  const commit = world.commit({ eng: '1' });
  await settle();
  expect(lines()).toEqual([
    { ...applied(commit), gatewaysReady: '1/1', applied: 1, msg: `applied ${revision(commit)}: 1 gateway` },
  ]);
  const cause = 'https://example.com/team/gateways.git: it asks for credentials; see the Secret of spec.secretRef';
  world.head = new ReconcileError('AuthenticationFailed', 'stalled', cause);
  world.invariants.inputChanged();
  await settle();
  expect(lines()).toEqual([{ level: 'warn', reason: 'AuthenticationFailed', gatewaysReady: '1/1', msg: cause }]);
  world.head = commit;
  world.invariants.inputChanged();
  await settle();
  expect(lines()).toMatchObject([applied(commit)]);
});

test('the log line of HealthCheckFailed names the restored bundle and the reason', async () => {
  world.edit({ healthTimeout: '1m' });
  world.commit({ eng: '1' });
  await settle();
  lines();
  world.rollouts.set(digestOfVersion('2'), { state: 'progressing', message: 'image cannot be pulled' });
  const commit = world.commit({ eng: '2' });
  await settle();
  // What was applied is said at once, and nothing more while pods start.
  expect(lines()).toMatchObject([{ level: 'info', reason: 'Progressing', revision: revision(commit), applied: 1 }]);
  world.pass(61_000);
  await settle();
  expect(lines()).toEqual([
    {
      level: 'warn',
      reason: 'HealthCheckFailed',
      revision: revision(commit),
      gatewaysReady: '0/1',
      msg: expect.stringMatching(
        /gateway team\/eng: HealthCheckFailed: not healthy after 60 s: image cannot be pulled$/,
      ),
    },
  ]);
});

test('the controller logs a line when a running gateway fails its health check, and another when it recovers', async () => {
  const commit = world.commit({ eng: '1', ops: '2' });
  await settle();
  lines();
  world.rollouts.set(digestOfVersion('1'), { state: 'progressing', message: '0 of 1 pods are ready' });
  world.invariants.inputChanged();
  await settle();
  expect(lines()).toEqual([
    {
      level: 'warn',
      reason: 'HealthCheckFailed',
      revision: revision(commit),
      gatewaysReady: '1/2',
      msg: 'gateway team/eng: 0 of 1 pods are ready',
    },
  ]);
  world.rollouts.delete(digestOfVersion('1'));
  await settle();
  expect(lines()).toEqual([
    {
      level: 'info',
      reason: 'Succeeded',
      revision: revision(commit),
      gatewaysReady: '2/2',
      msg: 'every gateway and registry server runs its bundle',
    },
  ]);
});

test('the log line of PruneBlocked names the objects that would be deleted, and how to approve the deletion', async () => {
  world.commit({ eng: '1', ops: '1', web: '1' });
  await settle();
  lines();
  const commit = world.commit({ eng: '1' });
  await settle();
  expect(lines()).toEqual([
    {
      level: 'warn',
      reason: 'PruneBlocked',
      revision: revision(commit),
      gatewaysReady: '3/3',
      msg: `the revision deletes 2 of 3 gateways and registry servers (team/ops, team/web), more than 50 %; to allow the deletions, annotate the GatewaySource with lintel.dev/allow-deletions: ${commit}`,
    },
  ]);
  world.annotate('allow-deletions', commit);
  await settle();
  expect(lines()).toMatchObject([{ ...applied(commit), gatewaysReady: '1/1', deleted: 2 }]);
});

test('the log line of a source with prune: false names the objects that stay', async () => {
  world.edit({ prune: false });
  world.commit({ eng: '1', ops: '1' });
  await settle();
  lines();
  const commit = world.commit({ eng: '1' });
  await settle();
  const [line, ...more] = lines();
  expect(line).toMatchObject({
    ...applied(commit),
    msg: `applied ${revision(commit)}: 2 gateways; 1 object that it lacks stays, because spec.prune is false`,
  });
  expect(more).toEqual([]);
});
