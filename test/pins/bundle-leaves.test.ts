/**
 * An older runtime must not ignore a leaf that it does not know. So for each leaf of a bundle, `bundle-leaves.json` names the feature in
 * `requires` by which a runtime without that leaf refuses the bundle. A new leaf fails here until it has an entry: under a feature of its own,
 * or under the feature that was added with it. Leaves that the first runtime already serves are under `aggregation` and `registry`, which every
 * bundle requires.
 */
import { expect, test } from 'vitest';
import { GATEWAY_LEAVES } from '../../compiler/analysis/exposure/plan/gateway-leaves.ts';
import { REGISTRY_LEAVES } from '../../compiler/analysis/exposure/plan/registry-leaves.ts';
import { EVERYTHING } from '../compiler/exposure/registry/sample.ts';
import { compileConfig, getBundle } from '../compiler/registry/compiling.ts';
import { leavesWithFeatures, leavesWithoutFeature } from '../support/bundle-leaves.ts';

test.each([
  ['gateway', GATEWAY_LEAVES],
  ['registry', REGISTRY_LEAVES],
] as const)(
  'bundle-leaves.json lists each field of the bundle of a %s with the feature that a runtime needs for the field',
  (kind, leaves) => {
    expect([...leavesWithFeatures(kind).keys()].sort(), 'add it to bundle-leaves.json').toEqual(
      Object.keys(leaves).toSorted(),
    );
  },
);

test('the bundle of a registry server requires the feature of each of its fields', () => {
  const bundle = getBundle(compileConfig(EVERYTHING));
  expect(bundle.requires.length).toBeGreaterThan(5);
  expect(leavesWithoutFeature(bundle)).toEqual([]);
  const lessCapable = { ...bundle, requires: bundle.requires.filter(feature => feature !== 'registry-introspection') };
  expect(leavesWithoutFeature(lessCapable)).toContain('auth.providers[].introspection.url');
});
