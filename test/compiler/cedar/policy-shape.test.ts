import { expect, test } from 'vitest';
import { callCedar } from '../../../compiler/analysis/cedar/load-cedar.ts';
import { listNamedEntities } from '../../../compiler/analysis/cedar/named-entities.ts';
import { parsePolicies } from '../../../compiler/analysis/cedar/parse-policies.ts';
import { computePolicyShape, withNames } from '../../../compiler/analysis/cedar/policy-shape.ts';

const shape = (text: string) => computePolicyShape(text)?.text;

test.each<[string, string, string, boolean]>([
  [
    'names of entities',
    'permit(principal in Group::"a", action, resource);',
    'permit(principal in Group::"b", action, resource);',
    true,
  ],
  [
    'comments and space',
    'permit(principal, action, resource); // a',
    'permit ( principal,\n action, resource ) ;',
    true,
  ],
  ['compared strings', 'a == "x" && b != "y"', 'a == "z" && b != "w"', true],
  ['annotations', '@id("a") permit', '@id("b") permit', true],
  ['equal and different entity names', 'Client::"a" == Client::"a"', 'Client::"a" == Client::"b"', false],
  ['entity types', 'Tool::"a"', 'Prompt::"a"', false],
  ['actions', 'Action::"call_tool"', 'Action::"get_prompt"', false],
  ['patterns', 'a like "x*"', 'a like "y*"', false],
  ['attributes', 'a["x"]', 'a["y"]', false],
  ['arguments of functions', 'ip("1.1.1.1")', 'ip("x")', false],
  ['equal and different strings', '"a" == "a"', '"a" == "b"', false],
  ['code after a comment that ends in a carriage return', 'a // b\r when { c }', 'a // b\r when { d }', false],
  ['negated equal and different strings', '("a") != "a"', '("a") != "b"', false],
  ['a byte order mark', 'a\ufeff b', 'a b', false],
  ['an entity name in another script', 'Tool::"a"', 'Tool::"\u0430"', false],
])('two policies that differ only in %s share one cached parsed form: $3', (_, a, b, isSame) => {
  expect(shape(a) === shape(b)).toBe(isSame);
});

test.each([
  ['already contains a placeholder', 'permit(principal, action, resource == Tool::"lintel-placeholder-0");'],
  ['has escapes that Cedar may refuse', String.raw`Tool::"\q"`],
  ['may contain a placeholder by escapes', String.raw`a == "lintel\u{2d}placeholder-0"`],
])('a policy that %s is parsed by Cedar each time, without a cached form', (_, text) => {
  expect(computePolicyShape(text)).toBeUndefined();
});

test.each([
  'permit(principal, action, resource) // only some\r when { principal.claim_x == "y" }\n;',
  '// only some\rpermit(principal, action, resource) when { principal.claim_x == "y" };',
  String.raw`permit(principal == Client::"alice", action, resource) when { principal.claim_x == "lintel\u{2d}placeholder-0" };`,
  'permit(principal,\ufeffaction, resource);',
])('the compiler parses the policy text as Cedar itself parses the text: %j', text => {
  const answer = callCedar(cedar => cedar.policyToJson(text));
  const wanted = answer?.type === 'success' ? [answer.json] : [];
  expect(parsePolicies(text).policies.map(({ json }) => json)).toEqual(wanted);
});

test.each([
  '@id("one") permit(principal in Group::"eng", action == Action::"call_tool", resource == Tool::"a b");',
  'forbid(principal, action, resource) when { resource.name == "x" || ["x", "y"].contains(resource.name) } unless { resource.name like "x*" };',
  'permit(principal is Client in Group::"a", action in [Action::"call_tool"], resource in MCP::"a");',
])('a policy parsed from a cached form equals the policy parsed by Cedar: %s', text => {
  const shaped = computePolicyShape(text);
  // With a placeholder in a comment the shape is unknown, so Cedar parses the text itself.
  const asked = parsePolicies(text.replace(/;$/, ' // lintel-placeholder-\n;')).policies[0]?.json;
  expect(parsePolicies(text).policies[0]?.json).toEqual(asked);
  expect(withNames(parsePolicies(shaped?.text ?? '').policies[0]?.json, shaped?.names ?? [])).toEqual(asked);
});

test.each([
  ['a long word', `permit(principal, action, resource) when { context.${'a'.repeat(60_000)} };`],
  ['a long path', `permit(principal, action, resource) when { a${'::a'.repeat(20_000)} };`],
  ['strings without an end', `"${'"\\'.repeat(30_000)}`],
])('a hostile policy is scanned in under 2 seconds: %s', (_, text) => {
  const start = process.cpuUsage();
  expect(listNamedEntities(text)).toEqual([]);
  expect(parsePolicies(text).policies.length + parsePolicies(text).problems.length).toBe(1);
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(2_000);
});

test.each([
  ['Tool::"a"', [['Tool', 'a', 0, 9]]],
  ['x == A :: B // c\r :: "q\\n" && "C::\\"d\\""', [['A::B', 'q\n', 5, 21]]],
  ['// A::"b"\nA::"c", "A"::"d", 1::"e", :: "f", A "g"', [['A', 'c', 10, 6]]],
] as const)('the compiler finds the entities that the policy %j names', (text, wanted) => {
  const found = listNamedEntities(text).map(({ uid, part }) => [uid.type, uid.id, part.offset, part.length]);
  expect(found).toEqual(wanted);
});
