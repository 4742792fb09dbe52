/** For every object that the schema allows, each rule evaluates to true or false. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KINDS_FILE, type StructuralSchema } from '#schemas';
import { withDefaults } from '../../../compiler/check/defaults.ts';
import { checkStructure } from '../../../compiler/check/structural.ts';
import { obeyingRules, ruleFindings } from '../../support/obey-rules.ts';
import { runs } from '../../support/runs.ts';
import { buildSample, listLeaves, withLeaf } from '../../support/sample.ts';
import { sample } from '../structural-check/sample.ts';

const SEED = 20261120;
const CASES_PER_KIND = runs(200);

const kinds = Object.values(KINDS_FILE).map(({ kind, spec }) => [kind, spec] as const);

/** The pattern of a duration has no length limit. A duration has 64 bits, on the API server too, and its parser reads 128 characters. */
const TOO_LONG = /: (duration out of range|.*duration string exceeds 128 characters)$/;

function expectAnswers(schema: StructuralSchema, spec: unknown): void {
  const isValid = checkStructure(schema, withDefaults(schema, spec)).length === 0;
  const { diagnostics } = ruleFindings(schema, spec);
  const none = diagnostics.map(({ message }) => message).filter(message => message.startsWith('a rule '));
  expect(isValid ? none.filter(message => !TOO_LONG.test(message)) : []).toEqual([]);
}

test.each(kinds)('every CEL rule has a result for random values of %s', (_, schema) => {
  const property = fc.property(sample(schema), value => expectAnswers(schema, value));
  fc.assert(property, { seed: SEED, numRuns: CASES_PER_KIND });
});

test.each(kinds)('every CEL rule has a result for a %s with each of its fields', (_, schema) => {
  for (const { path } of listLeaves(schema)) {
    const spec = withLeaf(schema, buildSample(schema), path);
    expectAnswers(schema, spec);
    expect(ruleFindings(schema, obeyingRules(schema, spec)).diagnostics, path.join('.')).toEqual([]);
  }
});
