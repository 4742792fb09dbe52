import { expect, test } from 'vitest';
import { findings, judge, object } from '../../support/rule.ts';

const shared = (config: string) => object('MCPAuthzConfig', `{ type: cedarv1, config: ${config} }`, 'p');
const PERMIT = 'permit(principal, action, resource);';

test.each<[string, string, string[]]>([
  ['a policy', `{ policies: ["${PERMIT}"] }`, []],
  ['several policies in one text', `{ policies: ["${PERMIT} // all\\nforbid(principal, action, resource);"] }`, []],
  ['a semicolon in a string and in a comment', `{ policies: ['@id(";") ${PERMIT} // ;'] }`, []],
  [
    'an unknown operator',
    `{ policies: ['permit(principal, action, resource) when { "é" = 1 };'] }`,
    ["LNT5001 error 4:89 not a policy: '=' is not a valid operator in Cedar"],
  ],
  [
    'a second policy that does not parse',
    `{ policies: ["${PERMIT} permit(principal);"] }`,
    ['LNT5001 error 4:99 not a policy: this policy is missing the `action` variable in the scope'],
  ],
  [
    'a policy without a semicolon',
    `{ policies: ["permit(principal, action, resource)"] }`,
    ['LNT5001 error 4:81 not a policy: unexpected end of input'],
  ],
  [
    'an unknown function',
    `{ policies: ["permit(principal, action, resource) when { foo(1) };"] }`,
    ['LNT5001 error 4:89 not a policy: `foo` is not a valid function'],
  ],
  [
    'a policy template',
    `{ policies: ["permit(principal == ?principal, action, resource);"] }`,
    ['LNT5001 error 4:66 not a policy: expected a static policy, got a template containing the slot ?principal'],
  ],
  ['an empty text', '{ policies: [""] }', ['LNT5001 error 4:46 not a policy: there is no policy in it']],
  [
    'a comment without a policy',
    '{ policies: ["// later"] }',
    ['LNT5001 error 4:46 not a policy: there is no policy in it'],
  ],
  [
    'valid entities',
    `{ policies: ["${PERMIT}"], entities_json: '[{"uid": {"type": "Group", "id": "a"}, "attrs": {}, "parents": []}]' }`,
    [],
  ],
  [
    'entities that are no JSON',
    `{ policies: ["${PERMIT}"], entities_json: "[" }`,
    ['LNT5001 error 4:102 not entities: not JSON'],
  ],
  [
    'entities that are no list',
    `{ policies: ["${PERMIT}"], entities_json: "{}" }`,
    ['LNT5001 error 4:102 not entities: not a list of entities'],
  ],
])('the rule cedarSyntax gives the expected findings for: %s', (_, config, expected) => {
  expect(judge('cedarSyntax', shared(config))).toEqual(expected);
});

test.each<[what: string, policy: string, fix: string | undefined]>([
  [
    'one colon in an entity',
    'permit(principal in Group:"staff", action, resource);',
    'write two colons between type and name of an entity: Group::"staff"',
  ],
  ['a missing semicolon', 'permit(principal, action, resource)', 'end the policy with ";"'],
  [
    'a missing semicolon behind a condition',
    'permit(principal, action, resource) when { true }',
    'end the policy with ";"',
  ],
  [
    'a missing semicolon between two policies',
    `permit(principal, action, resource) ${PERMIT}`,
    'end the policy before it with ";"',
  ],
  [
    'a missing semicolon before an annotation',
    `permit(principal, action, resource) @id("b") ${PERMIT}`,
    'end the policy before it with ";"',
  ],
  ['single quotes', "permit(principal in Group::'staff', action, resource);", 'write text in double quotes: "…"'],
  [
    'the word "and" as an operator',
    'permit(principal, action, resource) when { true and false };',
    'write && in place of and',
  ],
  ['an open bracket', 'permit(principal, action, resource) when { (true', undefined],
  [
    'an entity whose id has no quotation marks',
    'permit(principal in Group::staff, action, resource);',
    'write the id of an entity in double quotes: Group::"staff"',
  ],
])('LNT5001 about a policy has the expected fix for %s', (_, policy, fix) => {
  const [found] = findings('cedarSyntax', shared(`{ policies: [${JSON.stringify(policy)}] }`));
  expect(found?.code).toBe('LNT5001');
  expect(found?.fix).toBe(fix);
});

test('LNT5001 reports Cedar entities whose uid has no type and no id', () => {
  const [found] = findings('cedarSyntax', shared(`{ policies: ["${PERMIT}"], entities_json: '[{"uid": "Group"}]' }`));
  expect(found?.message).toMatch(/^not entities: /);
});

test.each([
  ['half of a surrogate pair', '[{"uid": {"type": "Group", "id": "\\ud800"}, "attrs": {}, "parents": []}]'],
  ['parents that are no list', '[{"uid": {"type": "Group", "id": "a"}, "attrs": {}, "parents": 1}]'],
  ['null', '[null]'],
  [
    'deep nesting',
    `[{"uid": {"type": "Group", "id": "a"}, "attrs": {"a": ${'['.repeat(5_000)}${']'.repeat(5_000)}}, "parents": []}]`,
  ],
])('LNT5001 reports the Cedar entities of a spec with %s', (_, text) => {
  const found = findings('cedarSyntax', shared(JSON.stringify({ policies: [PERMIT], entities_json: text })));
  expect(found.map(({ code, message }) => `${code} ${message.slice(0, 12)}`)).toEqual(['LNT5001 not entities']);
});

test('the rule cedarSyntax does not check policies of an engine other than Cedar', () => {
  expect(judge('cedarSyntax', object('MCPAuthzConfig', '{ type: httpv1, config: { policies: [x] } }', 'p'))).toEqual(
    [],
  );
});

const WRONG = 'permit(principal, action, resource) when { context = 1 };';
const inline = (policies: string) => `{ type: inline, inline: { policies: ${policies} } }`;
const gateway = (authz: string) =>
  object('VirtualMCPServer', `{ groupRef: { name: tools }, incomingAuth: { type: anonymous, authzConfig: ${authz} } }`);
const map = (document: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: p }\ndata:\n  authz.json: ${document}\n`;
const fromMap = gateway('{ type: configMap, configMap: { name: p } }');
const json = JSON.stringify({ version: '1.0', type: 'cedarv1', cedar: { policies: [PERMIT, WRONG] } }, null, 2);

test.each<[string, string[]]>([
  ['inline in a gateway', [gateway(inline(`['${WRONG}']`))]],
  [
    'as a literal block',
    [
      object(
        'VirtualMCPServer',
        `
  groupRef: { name: tools }
  incomingAuth:
    type: anonymous
    authzConfig:
      type: inline
      inline:
        policies:
          - |
            // No caller.
            ${WRONG.replace(' when', '\n              when')}
`,
      ),
    ],
  ],
  ['in a proxy', [object('MCPServer', `{ image: x, authzConfig: ${inline(`['${WRONG}']`)} }`)]],
  ['in an MCPAuthzConfig', [shared(`{ policies: ['${PERMIT}', "${WRONG}"] }`)]],
  ['in a JSON document in a literal block', [fromMap, map(`|\n    ${json.replaceAll('\n', '\n    ')}`)]],
  ['in a JSON document in quotes', [fromMap, map(`'${JSON.stringify(JSON.parse(json))}'`)]],
  ['in a JSON document in double quotes', [fromMap, map(JSON.stringify(json))]],
])('LNT5001 marks the faulty part of a policy: %s', (_, objects) => {
  const text = objects.join('---\n');
  const found = findings('cedarSyntax', ...objects);
  expect(found.map(({ range }) => text.slice(range.start.offset, range.end.offset))).toEqual(['context = 1']);
});

test('LNT5001 reports half of a surrogate pair in a policy', () => {
  const document =
    '{"type": "cedarv1", "cedar": {"policies": ["permit(principal, action, resource == Tool::\\"\\ud800\\");"]}}';
  expect(findings('cedarSyntax', fromMap, map(`'${document}'`)).map(({ message }) => message)).toEqual([
    'not a policy: holds half of a surrogate pair, which is no character',
  ]);
});

test('a syntax error in a ConfigMap of policies that two gateways share gives only one LNT5001', () => {
  const twice = [fromMap, fromMap.replace('name: it', 'name: other'), map(`'${JSON.stringify(JSON.parse(json))}'`)];
  expect(new Set(findings('cedarSyntax', ...twice).map(found => JSON.stringify(found))).size).toBe(1);
});

const nested = (open: string, inner: string, close: string, depth: number) =>
  `permit(principal, action, resource) when { ${open.repeat(depth)}${inner}${close.repeat(depth)} };`;

test.each<[string, string, RegExp]>([
  ['parentheses of 10,000 levels', nested('(', 'true', ')', 10_000), /nested more than 100 levels deep/],
  ['sets of 5,000 levels', nested('[', '1', ']', 5_000), /nested more than 100 levels deep/],
  ['records of 5,000 levels', nested('{a: ', '1', '}', 5_000), /nested more than 100 levels deep/],
  ['parentheses inside of a string', nested('', `"${'('.repeat(1_000)}" == ""`, '', 1), /^$/],
  ['a text of a megabyte', nested('', `"${'x'.repeat(1_000_000)}" == ""`, '', 1), /longer than 65536 characters/],
  ['a megabyte of semicolons', ';'.repeat(1_000_000), /longer than 65536 characters/],
  ['white space only', ' \n'.repeat(30_000), /there is no policy in it/],
  ['comments only', '// x\n'.repeat(10_000), /there is no policy in it/],
  ['a character of four bytes', nested('', '🎉', '', 1), /not a policy/],
  ['an unclosed string', `permit(principal, action, resource) when { "${'a\\"'.repeat(1_000)}`, /not a policy/],
])('the rule cedarSyntax does not crash, and gives the expected findings, for %s', (_, policy, expected) => {
  const found = findings('cedarSyntax', shared(JSON.stringify({ policies: [policy, PERMIT] })));
  expect(found.map(({ message }) => message).join()).toMatch(expected);
});

test.each<[string, string]>([
  ['negations', nested('!', 'true', '', 20_000)],
  ['a chain of conjunctions', nested('true && ', 'true', '', 5_000)],
  ['a chain of choices', nested('if true then true else ', 'true', '', 2_000)],
  ['a chain of attributes', nested('', `context${'.a'.repeat(20_000)} == 1`, '', 1)],
  ['a chain of sums', nested('1 + ', '1 == 1', '', 10_000)],
])('the rule cedarSyntax does not crash at a policy of %s, and checks the next policy', (_, policy) => {
  const found = findings('cedarSyntax', shared(JSON.stringify({ policies: [policy, WRONG] })));
  expect(found.length).toBeGreaterThanOrEqual(1);
  expect(found.at(-1)?.message).toBe("not a policy: '=' is not a valid operator in Cedar");
});
