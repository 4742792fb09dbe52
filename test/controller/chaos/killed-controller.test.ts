/**
 * The controller of a cluster is killed at every step of every kind of change: before its request takes effect, and afterwards without the
 * response. A new process continues with only the cluster and the repository. The final state is that of an undisturbed run, and nothing that
 * remains was deleted meanwhile. `LINTEL_CHAOS=all` kills at every step; the default is a part of them.
 */
import { expect, test } from 'vitest';
import { formatKey, listObjects, readSource } from '../../support/controller-world/end-state.ts';
import { ControllerWorld, type Kill, NAMESPACE, type Saved, SOURCE } from '../../support/controller-world.ts';
import { brokenGatewayFile, gatewayFile } from '../../support/gateway-specs.ts';

/** Which steps are used: every nth. */
const EVERY = process.env.LINTEL_CHAOS === 'all' ? 1 : 17;

const OTHER = 'https://other.example.com/mcp';

/** The changes, which are made in sequence: each begins in the final state of the one before. */
const CHANGES: { readonly [name: string]: (world: ControllerWorld) => void } = {
  'the first commit': world => {
    world.commit({ 'a.yaml': gatewayFile('a'), 'b.yaml': gatewayFile('b'), 'c.yaml': gatewayFile('c') });
    world.follow();
  },
  'a changed gateway': world => {
    world.commit({
      'a.yaml': gatewayFile('a', { url: OTHER }),
      'b.yaml': gatewayFile('b'),
      'c.yaml': gatewayFile('c'),
    });
  },
  'a renamed gateway': world => {
    world.commit({
      'a.yaml': gatewayFile('a', { url: OTHER }),
      'b.yaml': gatewayFile('z'),
      'c.yaml': gatewayFile('c'),
    });
  },
  'a gateway that goes': world => {
    world.commit({ 'a.yaml': gatewayFile('a', { url: OTHER }), 'b.yaml': gatewayFile('z') });
  },
  'a mistake': world => {
    world.commit({ 'a.yaml': brokenGatewayFile('a'), 'b.yaml': gatewayFile('z') });
  },
  'a bundle that pods refuse': world => {
    const good = world.status.gateways?.map(({ activeDigest }) => activeDigest);
    world.pods.refuses = digest => !good?.includes(digest);
    world.commit({ 'a.yaml': gatewayFile('a', { url: 'https://refused.example.com' }), 'b.yaml': gatewayFile('z') });
  },
  'a bundle that they take again': world => {
    world.pods.refuses = () => false;
    world.commit({ 'a.yaml': gatewayFile('a', { url: 'https://taken.example.com' }), 'b.yaml': gatewayFile('z') });
  },
  'the end of the source': world => world.api.remove(SOURCE),
};

test(
  'a controller that is killed at any point reaches the same state as one that is not killed',
  async () => {
    await using world = await ControllerWorld.start();
    let kills = 0;
    const start = performance.now();
    for (const [name, change] of Object.entries(CHANGES)) {
      change(world);
      await world.restart();
      const before = world.saved();
      world.steps = [];
      await world.settle();
      const count = world.steps.length;
      const steps = world.steps;
      expect(world.invariants.violations).toEqual([]);
      const after = world.saved();
      const end = { objects: listObjects(world), source: readSource(world) };
      for (let step = 0; step < count; step++) {
        for (const phase of ['before', 'after'] as const) {
          if ((2 * step + Number(phase === 'after')) % EVERY !== 0) continue;
          kills++;
          const what = `${name}, killed ${phase} step ${step} (${steps[step]})`;
          await killed(world, before, { step, phase });
          expect.soft(listObjects(world), what).toEqual(end.objects);
          expect.soft(readSource(world), what).toEqual(end.source);
          expect
            .soft(
              deletions(world).filter(key => key in end.objects),
              what,
            )
            .toEqual([]);
          expect.soft(world.invariants.violations, what).toEqual([]);
        }
      }
      await world.goBack(after);
    }
    if (EVERY === 1) console.log(`killed ${kills} times in ${Math.round((performance.now() - start) / 1000)} s`);
  },
  EVERY === 1 ? 3_600_000 : 600_000,
);

async function killed(world: ControllerWorld, before: Saved, kill: Kill): Promise<void> {
  await world.goBack(before);
  world.api.requests.length = 0;
  world.killAt(kill);
  await world.settle();
}

/** Deletions that controllers requested, as `Kind/name`. */
function deletions(world: ControllerWorld): readonly string[] {
  return world.api
    .writes({ verb: 'delete', namespace: NAMESPACE, when: ({ user }) => user.name.startsWith('controller-') })
    .map(({ kind, name }) => formatKey({ apiVersion: '', kind, metadata: { name } }));
}
