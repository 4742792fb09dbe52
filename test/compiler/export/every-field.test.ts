/** Gateways with any few fields of their kind go through a program without a change of meaning. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTexts, SourceText } from '#compiler';
import { runs } from '../../support/runs.ts';
import { leaves, specText, specWith } from '../every-field/gateway-specs.ts';
import { meaningOf, roundTrip } from './round-trip.ts';

/** As it is, or with the backend read that is written out: many fields are idle without it. */
const withSource = (spec: { readonly outgoingAuth?: object }, isInline: boolean) =>
  isInline ? { ...spec, outgoingAuth: { ...spec.outgoingAuth, source: 'inline' } } : spec;

test('gateways with any field', () => {
  const path = fc.constantFrom(...leaves.map(leaf => leaf.path));
  fc.assert(
    fc.property(path, fc.boolean(), (chosen, isInline) => {
      const spec = withSource(specWith(chosen) as object, isInline);
      const sources = readTexts([new SourceText('input/spec.yaml', specText(spec))]);
      const { before, after } = roundTrip(sources, 'sample');
      expect(meaningOf(after)).toEqual(meaningOf(before));
      expect(after.findings.counts.error).toBe(before.findings.counts.error);
    }),
    { seed: 1980, numRuns: runs(150) },
  );
});
