/**
 * Random commits in a cluster with many failures: it always converges to the last good commit, and statuses never violate the invariants. `npm
 * run test:model` makes 500 commits.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { ControllerWorld, NAMESPACE, SOURCE, TYPES } from '../../support/controller-world.ts';
import { anyDisturbance, type Disturbance, disturb } from './disturbances.ts';
import { anyChange, type Change, changed, FIRST, formatKey, Model, type Tree, toFiles } from './repository-model.ts';

const SEED = Number(process.env.LINTEL_MODEL_SEED ?? 20_261_122);
const COMMITS = Number(process.env.LINTEL_MODEL_COMMITS ?? 150);

/** What happens in the cluster before the controller is idle again. */
interface Look {
  /** Commits between two checks: the controller sees only the last of them. */
  readonly changes: readonly Change[];
  readonly disturbances: readonly Disturbance[];
  /** A person approves deletions that are held back. */
  readonly agrees: boolean;
}

const look: fc.Arbitrary<Look> = fc.record({
  changes: fc.oneof(
    { weight: 4, arbitrary: fc.tuple(anyChange) },
    { weight: 1, arbitrary: fc.array(anyChange, { minLength: 2, maxLength: 3 }) },
  ),
  disturbances: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(anyDisturbance, { minLength: 1, maxLength: 3 }) },
  ),
  agrees: fc.boolean(),
});

test(
  `the controller reaches the state that a model predicts after each of ${COMMITS} random commits (seed ${SEED})`,
  async () => {
    await using world = await ControllerWorld.start();
    const model = new Model();
    const history: Tree[] = [FIRST];
    const start = performance.now();
    let head = world.commit(toFiles(FIRST));
    world.follow();
    model.look(FIRST, false);
    await rest(world, model, head, 'the first commit');
    const counts = { commits: 1, looks: 1, bad: 0, held: 0, agreed: 0, disturbances: 0 };
    const looks = fc.sample(look, { seed: SEED, numRuns: COMMITS });
    for (const { changes, disturbances, agrees } of looks) {
      if (counts.commits >= COMMITS) break;
      const before = new Set(model.objects().keys());
      for (const change of changes) {
        history.push(changed(history, change));
        head = world.commit(toFiles(history.at(-1) as Tree));
        counts.commits++;
      }
      const tree = history.at(-1) as Tree;
      model.look(tree, false);
      world.api.requests.length = 0;
      for (const disturbance of disturbances) {
        await disturb(world, disturbance, object => model.isHeldBack(object));
      }
      const what = `commit ${counts.commits}: ${JSON.stringify({ changes, disturbances })}`;
      await rest(world, model, head, what);
      const after = model.objects();
      const deleted = world.api.writes({ verb: 'delete', when: ({ user }) => user.name.startsWith('controller-') });
      const wrong = deleted.map(({ kind, name }) => formatKey({ kind, metadata: { name } }));
      expect(
        wrong.filter(key => before.has(key) && after.has(key)),
        what,
      ).toEqual([]);
      counts.looks++;
      counts.disturbances += disturbances.length;
      if (!model.isGood) counts.bad++;
      if (model.held.size === 0) continue;
      counts.held++;
      if (!agrees || !model.isGood) continue;
      counts.agreed++;
      world.annotate('allow-deletions', head);
      world.invariants.inputChanged();
      model.look(tree, true);
      await rest(world, model, head, `${what}, and somebody agrees`);
    }
    console.log(`seed ${SEED}: ${JSON.stringify(counts)} in ${Math.round((performance.now() - start) / 1_000)} s`);
    // Otherwise it would show less than it states.
    expect(Math.min(counts.bad, counts.held, counts.disturbances)).toBeGreaterThan(2);
  },
  COMMITS > 100 ? 3_600_000 : 240_000,
);

/** Waits until the controller is idle, and checks the whole state. */
async function rest(world: ControllerWorld, model: Model, head: string, what: string): Promise<void> {
  await world.settle().catch(error => {
    throw new Error(`${what}: ${error.message}`, { cause: error });
  });
  world.api.faults.clear();
  await world.settle();
  const wanted = model.objects();
  const live = new Map(
    TYPES.flatMap(type => world.api.objects(type, NAMESPACE)).map(object => [formatKey(object), object]),
  );
  for (const [key, object] of wanted) {
    expect(missing(live.get(key), object), `${what}: ${key}`).toEqual([]);
  }
  const kept = new Set([...model.live.keys()].flatMap(name => keptOf(name, live)));
  expect(
    [...live.keys()].filter(key => !wanted.has(key) && !kept.has(key)),
    what,
  ).toEqual([]);

  const inventory = (world.status.inventory?.entries ?? []).map(({ id, uid }) => {
    const [, name, , kind] = id.split('_');
    return [`${kind}/${name}`, uid];
  });
  const uids = [...live].map(([key, { metadata }]) => [key, metadata.uid]);
  expect(inventory.sort(), what).toEqual(uids.sort());

  const said = { ready: world.condition('Ready'), stalled: world.condition('Stalled') };
  if (!model.isGood) {
    expect(said, what).toEqual({ ready: 'False CompilationFailed', stalled: 'True CompilationFailed' });
  } else {
    if (model.held.size > 0) expect(said.ready, what).toBe('False PruneBlocked');
    else expect(said, what).toEqual({ ready: 'True Succeeded', stalled: undefined });
    expect(world.status.lastAppliedRevision, what).toBe(`main@sha1:${head}`);
  }
  expect(world.status.lastAttemptedRevision, what).toBe(`main@sha1:${head}`);
  for (const [key, { status, metadata }] of live) {
    if (!key.startsWith('VirtualMCPServer/')) continue;
    const { conditions = [], observedGeneration } = (status ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
      readonly observedGeneration?: number;
    };
    expect(observedGeneration, `${what}: ${key}`).toBe(metadata.generation);
    const ready = conditions.find(({ type }) => type === 'Ready');
    if (model.isGood && model.held.size === 0) expect(ready?.status, `${what}: ${key}`).toBe('True');
  }
  expect(world.invariants.violations, what).toEqual([]);
  expect(world.api.get(SOURCE)?.metadata.deletionTimestamp).toBeUndefined();
}

/** A gateway's record, and the bundles in it: the last five that were in service. */
function keptOf(name: string, live: ReadonlyMap<string, KubeObject>): readonly string[] {
  const key = `ConfigMap/${name}-history`;
  const text = (live.get(key)?.data as { readonly [member: string]: string } | undefined)?.['activations.json'] ?? '[]';
  const activations = JSON.parse(text) as readonly { readonly configMaps: readonly string[] }[];
  expect(new Set(activations.flatMap(({ configMaps }) => configMaps)).size).toBeLessThanOrEqual(5);
  return [key, ...activations.flatMap(({ configMaps }) => configMaps.map(map => `ConfigMap/${map}`))];
}

/** Paths of desired members that are missing; other clients may have added more. */
function missing(live: unknown, wanted: unknown, path = ''): readonly string[] {
  if (typeof wanted !== 'object' || wanted === null)
    return isDeepStrictEqual(live, wanted) ? [] : [`${path}: ${live}, not ${wanted}`];
  // A member that is empty counts as absent.
  if (live === undefined && Object.keys(wanted).length === 0) return [];
  if (typeof live !== 'object' || live === null) return [`${path} is not there`];
  return Object.entries(wanted).flatMap(([member, value]) =>
    missing((live as { readonly [member: string]: unknown })[member], value, `${path}/${member}`),
  );
}
