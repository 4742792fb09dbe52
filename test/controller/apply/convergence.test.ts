import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CompileOutcome } from '../../../controller/compile/index.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import {
  APPLIED_TYPES,
  AppliedCluster,
  createConfigMap,
  createGroup,
  createOutcome,
  createUnit,
  NAMESPACE,
} from '../../support/applied-cluster.ts';

/** What the repository may contain: groups and ConfigMaps with a content, gateways with a bundle and an image; all by name. */
interface Content {
  readonly groups: { readonly [name: string]: string };
  readonly maps: { readonly [name: string]: { readonly [key: string]: string } };
  readonly gateways: { readonly [name: string]: readonly [bundle: string, image: string] };
}

type Step =
  | { readonly type: 'commit'; readonly content: Content }
  | { readonly type: 'restart' }
  /** The next calls of that kind fail after the client has given up. */
  | { readonly type: 'fail'; readonly kind: string }
  | { readonly type: 'edit'; readonly pick: number; readonly manager: string }
  | { readonly type: 'delete'; readonly pick: number }
  /** Another client creates an object that the repository may want later. */
  | { readonly type: 'foreign'; readonly name: string; readonly value: string };

const name = fc.constantFrom('x', 'y', 'z');
const text = fc.constantFrom('1', '2', '3');
const content: fc.Arbitrary<Content> = fc.record({
  groups: fc.dictionary(name, text, { maxKeys: 2 }),
  maps: fc.dictionary(name, fc.dictionary(fc.constantFrom('k', 'l'), text), { maxKeys: 3 }),
  gateways: fc.dictionary(fc.constantFrom('a', 'b'), fc.tuple(fc.constantFrom('a', 'b', 'c'), text), { maxKeys: 2 }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('commit' as const), content }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restart' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('fail' as const),
      kind: fc.constantFrom('ConfigMap', 'Service', 'Deployment'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('edit' as const),
      pick: fc.nat(99),
      manager: fc.constantFrom('kubectl-edit', 'somebody', 'kubectl-client-side-apply'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), pick: fc.nat(99) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('foreign' as const), name: fc.constantFrom('f', 'g'), value: text }),
  },
);

const outcomeFor = ({ groups, maps, gateways }: Content): CompileOutcome =>
  createOutcome({
    objects: [
      ...Object.entries(groups).map(([name, description]) => createGroup(name, description)),
      ...Object.entries(maps).map(([name, data]) => createConfigMap(`map-${name}`, data)),
    ],
    units: Object.entries(gateways).map(([name, [bundle, image]]) => createUnit(name, bundle, { image })),
  });

const everything = (cluster: AppliedCluster): readonly KubeObject[] =>
  APPLIED_TYPES.flatMap(type => cluster.api.objects(type, NAMESPACE));

const isForeign = ({ metadata }: KubeObject): boolean => metadata.name.startsWith('foreign-');

function disturb(cluster: AppliedCluster, { pick, ...step }: Extract<Step, { pick: number }>): void {
  const ours = everything(cluster).filter(object => !isForeign(object));
  const object = ours[pick % Math.max(1, ours.length)];
  // A bundle cannot be edited, and the content of a record is not desired by any source.
  if (object === undefined || object.immutable === true || object.metadata.name.endsWith('-history')) return;
  if (step.type === 'delete') cluster.api.remove(cluster.keyOf(object.kind, object.metadata.name));
  else if (object.kind === 'ConfigMap') {
    cluster.edit(object.kind, object.metadata.name, step.manager, ({ data }) => ({
      data: { ...(data as object), k: 'theirs' },
    }));
  } else if (object.kind === 'MCPGroup') {
    cluster.edit(object.kind, object.metadata.name, step.manager, () => ({ spec: { description: 'theirs' } }));
  }
}

/** Whether `live` has everything desired; other clients may have added more. */
function has(live: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return isDeepStrictEqual(live, wanted);
  // A member that is empty counts as absent.
  if (typeof live !== 'object' || live === null) return live === undefined && Object.keys(wanted).length === 0;
  return Object.entries(wanted).every(([key, value]) => has((live as { [key: string]: unknown })[key], value));
}

test('the cluster has exactly the objects of the repository after any sequence of commits, edits and faults', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), fc.boolean(), async (steps, isCached) => {
      await using cluster = await AppliedCluster.start({ isCached });
      const foreign = new Map<string, string>();
      let current = createOutcome({});
      for (const step of steps) {
        if (step.type === 'commit') {
          current = outcomeFor(step.content);
          await cluster.reconcile(current).catch(() => {});
        } else if (step.type === 'restart') cluster.restart();
        else if (step.type === 'fail') {
          cluster.api.faults.next({ kind: step.kind, verb: 'apply', dryRun: false }, { status: 409 });
        } else if (step.type === 'foreign') {
          foreign.set(`foreign-${step.name}`, step.value);
          cluster.api.put(createConfigMap(`foreign-${step.name}`, { value: step.value }));
        } else disturb(cluster, step);
      }
      cluster.api.faults.clear();
      await cluster.caughtUp();
      await cluster.reconcile(current);
      await cluster.caughtUp();
      const last = await cluster.reconcile(current);
      expect(last.changes).toEqual([]);
      expect(last.deletions).toEqual([]);

      const live = everything(cluster);
      const wanted = [...current.objects, ...current.units.flatMap(({ manifests }) => manifests)];
      for (const object of wanted) {
        const { kind, metadata } = object;
        const found = live.find(one => one.kind === kind && one.metadata.name === metadata.name);
        const isAsWanted = found !== undefined && has(found, object);
        expect(isAsWanted, `${kind} ${metadata.name}: ${JSON.stringify(found)}`).toBe(true);
      }
      const title = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;
      expect(cluster.inventoried()).toEqual(
        live
          .filter(object => !isForeign(object))
          .map(title)
          .sort(),
      );
      expect(cluster.inventory.map(({ uid }) => uid).sort()).toEqual(
        live
          .filter(object => !isForeign(object))
          .map(({ metadata }) => metadata.uid)
          .sort(),
      );
      const values = live
        .filter(isForeign)
        .map(({ metadata, data }) => [metadata.name, (data as { value: string }).value]);
      expect(new Map(values as [string, string][])).toEqual(foreign);
      expect(live.filter(isForeign).every(({ metadata }) => metadata.labels === undefined)).toBe(true);
    }),
    { seed: 20261122, numRuns: 40 },
  );
});
