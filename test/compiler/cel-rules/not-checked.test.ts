/** A CEL rule that cannot be evaluated gives a warning, makes the result of the check incomplete, and counts neither as passed nor as failed. */
import { expect, onTestFinished, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import type { KindSchemas, StructuralSchema } from '#schemas';
import { MAX_EVALUATED_VALUES, MAX_EVALUATIONS } from '../../../compiler/check/cel/check-rules.ts';
import { chooseExitCode } from '../../../compiler/commands/compile-paths.ts';
import { KINDS } from '../../../compiler/source/kinds.ts';
import { ruleFindings } from '../../support/obey-rules.ts';

/** Adds a rule to the kind MCPGroup during a test. */
function ruleOfGroups(rule: string): void {
  const kinds = KINDS as Map<string, KindSchemas>;
  const group = kinds.get('MCPGroup') as KindSchemas;
  const spec = { ...group.spec, 'x-kubernetes-validations': [{ rule, message: 'never seen' }] };
  kinds.set('MCPGroup', { ...group, spec });
  onTestFinished(() => void kinds.set('MCPGroup', group));
}

function withRule(rule: string, schema: StructuralSchema = {}): StructuralSchema {
  return { type: 'object', ...schema, 'x-kubernetes-validations': [{ rule, message: 'no' }] };
}

const shown = (schema: StructuralSchema, spec: unknown) => {
  const { diagnostics, complete } = ruleFindings(schema, spec);
  return { found: diagnostics.map(({ code, severity, message }) => `${severity} ${code} ${message}`), complete };
};

test('a CEL rule with an unknown function gives the warning LNT1020 and exit code 3', () => {
  ruleOfGroups("cidr('10.0.0.0/8').containsIP(self.description)");
  const text = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
spec: { description: 10.0.0.1 }
`;
  const origin = { compilerVersion: 'test', sourceRevision: null };
  const compilation = compile(readTexts([new SourceText('spec.yaml', text)]), { purpose: 'check', origin });
  expect(compilation.findings.diagnostics).toMatchObject([
    {
      code: 'LNT1020',
      severity: 'warning',
      message: 'a rule was not checked: not known here: containsIP(), cidr()',
      help: "the rule is: cidr('10.0.0.0/8').containsIP(self.description)",
      pointer: '/spec',
      range: { start: { line: 4, column: 1 }, end: { line: 4, column: 5 } },
    },
  ]);
  expect(compilation.checked.complete).toBe(false);
  expect(chooseExitCode(compilation, 'error')).toBe(3);
});

test.each([
  ['an unknown function that cannot change the result', "true || self.a.find('x') == 'x'", 'not known here: find()'],
  ['an unknown variable', 'self.a == request', 'not known here: request'],
  ['a macro of a newer CEL version', 'cel.bind(x, self.a, x == 1)', 'not known here: bind(), cel, x'],
  ['an unknown type', "acme.Type{a: 1} == dyn('a')", 'not known here: acme.Type'],
  ['invalid syntax', 'self.a ==', 'cannot be read: <input>:1:'],
  ['an unknown overload', "self.a.startsWith('a', 'b')", 'not possible here: found no matching overload'],
  ['a list of durations in an order check', "[duration('1s')].isSorted()", 'not possible here: the order of items'],
  ['a duration that is too long to parse', `duration('${'0'.repeat(128)}s') == duration('0s')`, 'not possible here: '],
  ['a result that is no Boolean', "'yes'", 'its result is neither true nor false'],
])('a CEL rule that cannot be evaluated gives the warning LNT1020: %s', (_, rule, text) => {
  const { found, complete } = shown(withRule(rule), { a: 'x' });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(`warning LNT1020 a rule was not checked: ${text}`);
  expect(complete).toBe(false);
});

test('a CEL rule that ends in an error is an error LNT1005, because the API server rejects the object as well', () => {
  const schema = withRule('self.b == 1');
  expect(shown(schema, {})).toEqual({
    found: ['error LNT1005 a rule ends in an error: field not found: b'],
    complete: true,
  });
});

test('a finding about a CEL rule on a sensitive field leaves out the error text, which may quote the value', () => {
  const secret = { type: 'string', 'x-lintel-sensitive': true } as const;
  const schema = withRule('int(self.a) > 0', { properties: { a: secret } });
  expect(shown(schema, { a: 'hunter2' }).found).toEqual(['error LNT1005 a rule ends in an error']);
});

test('a CEL transition rule does not apply to a new object', () => {
  expect(shown(withRule('self.a == oldSelf.a'), { a: 1 })).toEqual({ found: [], complete: true });
});

test('a finding about a CEL rule without a message shows the rule', () => {
  const schema: StructuralSchema = { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.a ==\n  1' }] };
  expect(shown(schema, { a: 2 }).found).toEqual(['error LNT1005 failed rule: self.a == 1']);
});

test('the compiler reports LNT1020 in place of evaluating a CEL rule on more than 10,000 objects or 100,000 values', () => {
  const list = { type: 'array', items: withRule('true') } as const;
  const items = (count: number) => Array.from({ length: count }, () => ({}));
  expect(shown(list, items(MAX_EVALUATIONS))).toEqual({ found: [], complete: true });
  expect(shown(list, items(MAX_EVALUATIONS + 1))).toEqual({
    found: [
      'warning LNT1020 its rules were not checked: they would need 10001 evaluations, at most 10000 are possible',
    ],
    complete: false,
  });
  const large = { a: Array.from({ length: MAX_EVALUATED_VALUES }, () => 1) };
  expect(shown(withRule('true'), large)).toEqual({
    found: ['warning LNT1020 its rules were not checked: it holds more than 100000 values'],
    complete: false,
  });
});
