/** `lintel diff` compares each leaf of a bundle in exactly one place, and reports each change. */
import { describe, expect, test } from 'vitest';

import { diffExposure, type Exposure, type RegistryExposure } from '#compiler';
import type { Effect } from '../../../../compiler/analysis/exposure/difference/difference.ts';
import { classifyEffect, combineEffects } from '../../../../compiler/analysis/exposure/difference/effect.ts';
import { diffLeaves, type LeafDifference } from '../../../../compiler/analysis/exposure/plan/diff-leaves.ts';
import { GATEWAY_LEAVES } from '../../../../compiler/analysis/exposure/plan/gateway-leaves.ts';
import type { PlanView } from '../../../../compiler/analysis/exposure/plan/plan-view.ts';
import { REGISTRY_LEAVES } from '../../../../compiler/analysis/exposure/plan/registry-leaves.ts';
import { compileExposure, EVERYTHING } from '../../exposure/registry/sample.ts';
import { exposures, OFFERS, SPECS } from '../../exposure/sample.ts';
import { createSample, listSamples, reflectShape } from './reflect.ts';

const [gateway] = exposures(SPECS, OFFERS);
if (gateway === undefined) throw new Error('the sample has errors');

function isExplained(leaf: unknown): boolean {
  return typeof leaf === 'object' && leaf !== null && 'calm' in leaf && String(leaf.calm).length > 20;
}

const isBelow = (pattern: string, above: string): boolean =>
  pattern.startsWith(above) && /^[.[{]/.test(pattern.slice(above.length));

const effectOf = ({ comparison, ...change }: LeafDifference): Effect =>
  typeof comparison?.effect === 'function' ? comparison.effect(change) : 'unclassified';

/** Kinds of changes that concern no caller, host or secret. */
const QUIET: ReadonlySet<string | undefined> = new Set(['availability', 'presentation', 'audit', 'none']);

/** A leaf that is a document for clients: if the document is new, clients are not sent to another host than before. */
const WITHOUT_ANOTHER_HOST = 'incomingAuth.resourceMetadata';

/** The same plan of a gateway, without pinned tools. */
function withoutPins(plan: unknown): unknown {
  return JSON.parse(JSON.stringify(plan, (name, value) => (name === 'pinned' ? undefined : value)));
}

describe.each([
  ['gateway', reflectShape('schemas/bundle/format.ts', 'GatewayBundle'), GATEWAY_LEAVES, gateway],
  [
    'registry server',
    reflectShape('schemas/bundle/registry.ts', 'RegistryBundle'),
    REGISTRY_LEAVES,
    compileExposure(EVERYTHING),
  ],
] as const)('the bundle of a %s', (server, shape, leaves, exposure) => {
  const samples = listSamples(shape);

  test(`the comparison table of the ${server} bundle lists each innermost field of the bundle, and nothing else`, () => {
    const patterns = new Set(samples.map(({ pattern }) => pattern));
    expect(Object.keys(leaves).toSorted(), 'claim it in compiler/analysis/exposure/plan/').toEqual(
      [...patterns].sort(),
    );
  });

  test(`lintel diff reports a changed innermost field of the ${server} bundle only at the field's path, and a new object also at its inner fields`, () => {
    for (const { pattern, was, is } of samples) {
      if (JSON.stringify(was) === JSON.stringify(is)) continue;
      const [leaf, ...others] = diffLeaves(was, is, leaves);
      expect(leaf?.pattern).toBe(pattern);
      expect(leaf?.comparison).toBe(leaves[pattern]);
      const outside = others.filter(one => leaf?.was != null || !isBelow(one.pattern, pattern));
      expect(outside.map(one => one.pattern)).toEqual([]);
    }
  });

  test(`lintel diff finds a new object in the ${server} bundle equivalent only if its fields are about availability, presentation or audit`, () => {
    const open = samples.flatMap(({ pattern, was, is }) => {
      const found = diffLeaves(was, is, leaves);
      const [leaf] = found;
      const { comparison } = leaf ?? {};
      if (leaf === undefined || leaf.was != null || comparison?.meaning === 'none' || comparison?.effect === 'derived')
        return [];
      if (combineEffects(found.map(effectOf)) !== 'same') return [];
      return Object.keys(leaves).filter(one => isBelow(one, pattern) && !QUIET.has(leaves[one]?.meaning));
    });
    expect(open.filter(pattern => !pattern.startsWith(WITHOUT_ANOTHER_HOST))).toEqual([]);
  });

  test(`lintel diff classifies a changed innermost field of the ${server} bundle as the comparison table says`, () => {
    const withPlan = (plan: unknown): Exposure | RegistryExposure => ({ ...exposure, plan: plan as PlanView });
    let decided = 0;
    for (const { pattern, was, is } of samples) {
      const found = diffLeaves(was, is, leaves);
      const [leaf] = found;
      const effect = leaf?.comparison?.effect;
      if (leaf === undefined || effect === undefined) continue;
      // Items of an exposure come from the lock, which the other comparisons report.
      if (pattern.startsWith('backends[].locked')) continue;
      // Where tools are pinned, nothing is shown that the items of the exposure do not have: these tell then.
      const [before, after] = pattern.startsWith('backends[].pinned') ? [was, is] : [was, is].map(withoutPins);
      const { classification } = diffExposure(withPlan(before), withPlan(after));
      if (effect === 'derived') expect([pattern, classification]).not.toEqual([pattern, 'equivalent']);
      else expect([pattern, classification]).toEqual([pattern, classifyEffect(combineEffects(found.map(effectOf)))]);
      decided += 1;
    }
    expect(decided).toBeGreaterThan(50);
  });

  test(`a changed credential in the ${server} bundle raises an alarm, or the comparison table says why not`, () => {
    const withPlan = (plan: unknown): Exposure | RegistryExposure => ({ ...exposure, plan: plan as PlanView });
    const silent = samples
      .filter(
        ({ pattern }) => /^backends\[\]\.auth(?:[.[]|$)/.test(pattern) || leaves[pattern]?.meaning === 'credential',
      )
      .filter(({ was, is }) => JSON.stringify(was) !== JSON.stringify(is))
      .filter(({ was, is }) =>
        diffExposure(withPlan(was), withPlan(is)).changes.every(({ alarms }) => alarms.length === 0),
      )
      .map(({ pattern }) => pattern);
    const calm = new Set(silent.filter(pattern => !isExplained(leaves[pattern])));
    expect([...calm], 'claim an alarm, or say why there is none').toEqual([]);
    expect(silent.length).toBeLessThan(20);
  });

  test(`lintel diff calls a change of a field of the ${server} bundle unclassified if no comparison table lists the field`, () => {
    const whole = createSample(shape) as object;
    const [before, after] = [
      { ...exposure, plan: { ...whole, later: { deep: [1] } } },
      { ...exposure, plan: { ...whole, later: { deep: [2] } } },
    ];
    const { change, classification, changes } = diffExposure(before, after);
    expect([change, classification]).toEqual(['changed', 'unclassified']);
    expect(changes.flatMap(({ aspects }) => aspects.map(({ name }) => name))).toEqual(['later.deep']);
    expect(diffExposure(before, before).classification).toBe('equivalent');
  });

  test(`lintel diff calls a change unclassified when the exposure file of a ${server} has no plan`, () => {
    const { plan: _, ...older } = exposure;
    expect(diffExposure(older as typeof exposure, exposure).classification).toBe('unclassified');
    expect(diffExposure(older as typeof exposure, older as typeof exposure).classification).toBe('unclassified');
  });
});
