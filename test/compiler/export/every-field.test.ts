/** A gateway with a few random fields keeps its meaning when `lintel export` turns it into a program. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTexts, SourceText } from '#compiler';
import { runs } from '../../support/runs.ts';
import { leaves, specText, specWith } from '../every-field/gateway-specs.ts';
import { compileMeaning, roundTrip } from './round-trip.ts';

/** The spec, with inline backends if `isInline`: without inline backends, many fields have no effect. */
const withSource = (spec: { readonly outgoingAuth?: object }, isInline: boolean) =>
  isInline ? { ...spec, outgoingAuth: { ...spec.outgoingAuth, source: 'inline' } } : spec;

test('lintel export keeps the meaning of a gateway with any field', () => {
  const path = fc.constantFrom(...leaves.map(leaf => leaf.path));
  fc.assert(
    fc.property(path, fc.boolean(), (chosen, isInline) => {
      const spec = withSource(specWith(chosen) as object, isInline);
      const sources = readTexts([new SourceText('input/spec.yaml', specText(spec))]);
      const { before, after } = roundTrip(sources, 'sample');
      expect(compileMeaning(after)).toEqual(compileMeaning(before));
      expect(after.findings.counts.error).toBe(before.findings.counts.error);
    }),
    { seed: 1980, numRuns: runs(150) },
  );
});
