/** The controller is killed at every step of every kind of change, and a new one continues: the final state is that of an undisturbed run. */
import { expect, test } from 'vitest';
import { FolderWorld, Killed } from '../../support/folder-world.ts';
import { brokenGatewayFile, gatewayFile } from '../../support/gateway-specs.ts';
import { temporaryFolder } from '../../support/process.ts';

type Files = { readonly [path: string]: string };

const BEFORE: Files = { 'a.yaml': gatewayFile('a'), 'b.yaml': gatewayFile('b') };
const OTHER = 'https://other.example.com/mcp';

const CHANGES: { readonly [name: string]: Files } = {
  'a new gateway': { ...BEFORE, 'c.yaml': gatewayFile('c') },
  'a changed gateway': { ...BEFORE, 'a.yaml': gatewayFile('a', { url: OTHER }) },
  'a deleted gateway': { 'a.yaml': gatewayFile('a') },
  'a renamed gateway': { 'a.yaml': gatewayFile('z'), 'b.yaml': gatewayFile('b') },
  'a mistake': { ...BEFORE, 'a.yaml': brokenGatewayFile('a') },
  'no gateway is left': { 'README.yaml': '# none\n' },
};

/** The final state without times and counters, which depend on the number of attempts. */
async function endOf(world: FolderWorld) {
  const { conditions, gateways, inventory, ready, message, lastAppliedRevision, lastAttemptedRevision, diagnostics } =
    await world.status();
  const said = conditions.map(({ type, status, reason, message: text }: { [member: string]: string }) => [
    ...[type, status, reason, text],
  ]);
  return {
    ...{ said, gateways, inventory, ready, message, lastAppliedRevision, lastAttemptedRevision, diagnostics },
    served: await world.served(),
  };
}

async function begun(root: string): Promise<FolderWorld> {
  const world = new FolderWorld(root);
  await world.commit(BEFORE);
  await world.reconcile();
  return world;
}

test.each(Object.entries(CHANGES))(
  'a controller that is killed at any step of an apply to a folder reaches the same state as one that is not killed: %s',
  async (_, change) => {
    await using folder = await temporaryFolder();
    const calm = await begun(folder.file('calm'));
    const before = await calm.served();
    await calm.commit(change);
    const steps = await calm.reconcile();
    const end = await endOf(calm);
    expect(steps).toBeGreaterThan(8);
    for (let last = 0; last < steps; last += 1) {
      const world = await begun(folder.file(`killed-${last}`));
      await world.commit(change);
      await expect(world.reconcile(last), `after step ${last}`).rejects.toThrow(Killed);
      // A runtime that reads the folder meanwhile finds the old state or the new one: a bundle that remains was never missing.
      const meanwhile = await world.served();
      for (const name of Object.keys(before)) {
        if (!(name in end.served)) continue;
        expect([before[name], end.served[name]], `${name} after step ${last}`).toContain(meanwhile[name]);
      }
      world.restart();
      await world.reconcile();
      expect(await endOf(world), `after step ${last}`).toEqual(end);
      expect(world.invariants.violations).toEqual([]);
    }
  },
  120_000,
);
