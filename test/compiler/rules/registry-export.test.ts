import { expect, test } from 'vitest';
import { judge } from '../../support/rule.ts';

const server = (annotations: string, kind = 'MCPServer', spec = '{ image: x }') =>
  `apiVersion: lintel.dev/v1beta1\nkind: ${kind}\nmetadata:\n  name: it\n  annotations: { ${annotations} }\nspec: ${spec}\n`;

const KEY = 'toolhive.stacklok.dev/authz-claims';

test.each<[string, string[]]>([
  ['', []],
  ['team: platform', []],
  [`${KEY}: '{"team": ["a", "b"], "org": "x"}'`, []],
  [`lintel.dev/authz-claims: '{}'`, []],
  [`${KEY}: 'team: a'`, [`LNT8009 error 5:54 ${KEY} is not JSON`]],
  [`${KEY}: '["a"]'`, [`LNT8009 error 5:54 ${KEY} is not a JSON object of claims`]],
  [`${KEY}: 'null'`, [`LNT8009 error 5:54 ${KEY} is not a JSON object of claims`]],
  [
    `${KEY}: '{"team": 5}'`,
    [`LNT8009 error 5:54 ${KEY} has a claim "team" that is neither a string nor a list of strings`],
  ],
  [
    `${KEY}: '{"team": ["a", null]}'`,
    [`LNT8009 error 5:54 ${KEY} has a claim "team" that is neither a string nor a list of strings`],
  ],
  [
    'lintel.dev/registry-export: "true", lintel.dev/registry-url: https://x.example.com',
    ['LNT8017 warning 5:18 lintel.dev/registry-description is missing'],
  ],
  ['lintel.dev/registry-export: "false"', []],
])('the rule registryExport gives the expected findings for the annotations %j', (annotations, expected) => {
  expect(judge('registryExport', server(annotations))).toEqual(expected);
});

test('the rule registryExport does not check kinds that are never exported', () => {
  expect(judge('registryExport', server(`${KEY}: x`, 'MCPGroup', '{}'))).toEqual([]);
});
