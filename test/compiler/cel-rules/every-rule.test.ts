/** Each CEL rule of each kind rejects its invalid examples, and accepts its valid ones. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { compile, type Diagnostic, readTexts, SourceText } from '#compiler';
import { API_GROUP, STORAGE_VERSION } from '#schemas';
import { evaluate } from '../../../compiler/check/cel/evaluator.ts';
import { withDefaults } from '../../../compiler/check/defaults.ts';
import { checkStructure } from '../../../compiler/check/structural.ts';
import { obeyingRules } from '../../support/obey-rules.ts';
import { buildSample, withLeaf } from '../../support/sample.ts';
import { CASES, findCase } from './cases.ts';
import { PLACED_RULES, type PlacedRule } from './placed-rules.ts';

function specWith({ root, path, schema }: PlacedRule, fields: object): unknown {
  const valid = obeyingRules(schema, buildSample(schema)) as object;
  const object = Object.fromEntries(Object.entries({ ...valid, ...fields }).filter(([, value]) => value !== undefined));
  const around = path.length === 0 ? object : withLeaf(root, undefined, path);
  return obeyingRules(root, path.length === 0 ? object : replaced(around, path, object), path);
}

function replaced(value: unknown, [step, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (step === undefined) return by;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[step] = replaced(copy[step], rest, by);
  return copy;
}

function findingsOf({ kind, root }: PlacedRule, spec: unknown): readonly Diagnostic[] {
  expect(checkStructure(root, withDefaults(root, spec))).toEqual([]);
  const object = { apiVersion: `${API_GROUP}/${STORAGE_VERSION}`, kind, metadata: { name: 'sample' }, spec };
  const sources = readTexts([new SourceText('spec.yaml', stringify(object))]);
  const origin = { compilerVersion: 'test', sourceRevision: null };
  const compiled = compile(sources, { purpose: 'check', origin });
  expect(compiled.checked.complete).toBe(true);
  return compiled.findings.diagnostics.filter(({ code }) => code === 'LNT1005');
}

const shown = ({ code, pointer, message }: Diagnostic) => [code, pointer, message];

describe('every CEL rule', () => {
  test('the schemas have at least 75 CEL rules, and each has a test case', () => {
    expect(PLACED_RULES.length).toBeGreaterThanOrEqual(75);
    const messages = PLACED_RULES.map(({ message }) => message);
    expect([...new Set(messages)].sort()).toEqual(Object.keys(CASES).sort());
  });

  test.each(PLACED_RULES)('lintel check reports a spec that breaks the CEL rule at $title: $message', placed => {
    const { message, path, schema } = placed;
    const row = findCase(message, schema);
    expect(row).toBeDefined();
    const { breaks = {}, obeys = {}, also = [] } = row ?? {};
    const pointer = `/${['spec', ...path].join('/')}`;
    const expected = [message, ...also].map(each => ['LNT1005', pointer, each]).sort();
    expect(findingsOf(placed, specWith(placed, breaks)).map(shown).sort()).toEqual(expected);
    expect(findingsOf(placed, specWith(placed, obeys)).map(shown)).toEqual([]);
  });

  test.each(PLACED_RULES)('lintel check can evaluate the CEL rule $rule', ({ rule }) => {
    expect(evaluate(rule, new Map()).is).not.toBe('unchecked');
  });
});
