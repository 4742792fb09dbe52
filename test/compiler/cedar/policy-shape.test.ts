import { expect, test } from 'vitest';
import { parsePolicies } from '../../../compiler/cedar/parse-policies.ts';
import { named, shapeOf } from '../../../compiler/cedar/policy-shape.ts';

const shape = (text: string) => shapeOf(text)?.text;

test.each<[string, string, string, boolean]>([
  [
    'names',
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
  ['what is compared', 'a == "x" && b != "y"', 'a == "z" && b != "w"', true],
  ['annotations', '@id("a") permit', '@id("b") permit', true],
  ['equal names and different ones', 'Client::"a" == Client::"a"', 'Client::"a" == Client::"b"', false],
  ['types', 'Tool::"a"', 'Prompt::"a"', false],
  ['actions', 'Action::"call_tool"', 'Action::"get_prompt"', false],
  ['patterns', 'a like "x*"', 'a like "y*"', false],
  ['attributes', 'a["x"]', 'a["y"]', false],
  ['arguments of functions', 'ip("1.1.1.1")', 'ip("x")', false],
  ['names that need escapes', String.raw`Tool::"\n"`, String.raw`Tool::"\q"`, false],
  ['names in other scripts', 'Tool::"a"', 'Tool::"\u0430"', false],
])('policies that differ in %s', (_, a, b, isSame) => {
  expect(shape(a) === shape(b)).toBe(isSame);
});

test('a policy that holds a placeholder has no shape', () => {
  expect(shapeOf('permit(principal, action, resource == Tool::"lintel-placeholder-0");')).toBeUndefined();
});

test.each([
  '@id("one") permit(principal in Group::"eng", action == Action::"call_tool", resource == Tool::"a b");',
  'forbid(principal, action, resource) when { resource.name == "x" || ["x", "y"].contains(resource.name) } unless { resource.name like "x*" };',
  'permit(principal is Client in Group::"a", action in [Action::"call_tool"], resource in MCP::"a");',
])('a policy read by its shape is the policy: %s', text => {
  const shaped = shapeOf(text);
  // With a placeholder in a comment it has no shape, so Cedar is asked about the text itself.
  const asked = parsePolicies(text.replace(/;$/, ' // lintel-placeholder-\n;')).policies[0]?.json;
  expect(parsePolicies(text).policies[0]?.json).toEqual(asked);
  expect(named(parsePolicies(shaped?.text ?? '').policies[0]?.json, shaped?.names ?? [])).toEqual(asked);
});
