/** A document that cannot be parsed is one error: references to its object are not errors. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { gateway, object } from '../../support/rule.ts';

/** Findings as `LNT1002 broken.yaml`, without hints, for a text that may be broken and one that refers to its objects. */
function found(broken: string, around: string, file = 'broken.yaml'): string[] {
  const texts = [new SourceText(file, broken), new SourceText('sound.yaml', around)];
  const origin = { compilerVersion: 'test', sourceRevision: null };
  const { findings } = compile(readTexts(texts), { purpose: 'check', origin });
  return findings.diagnostics.filter(({ severity }) => severity !== 'hint').map(found => `${found.code} ${found.file}`);
}

const REFERRING = gateway('incomingAuth: { type: anonymous }');
const GROUP = 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\n';
const SERVER = object(
  'MCPServerEntry',
  '{ remoteUrl: "https://x.example.com/mcp", transport: streamable-http, groupRef: { name: tools } }',
  'x',
);
const TWICE = ['LNT1002 broken.yaml'];

test.each<[title: string, broken: string, expected: readonly string[]]>([
  [
    'a duplicate key in the spec',
    `${GROUP}metadata: { name: tools }\nspec:\n  description: a\n  description: b\n`,
    TWICE,
  ],
  ['a duplicate label', `${GROUP}metadata:\n  name: tools\n  labels: { a: b, a: c }\n`, TWICE],
  ['a duplicate name, of which the first is referenced', `${GROUP}metadata:\n  name: tools\n  name: other\n`, TWICE],
  ['a duplicate name, of which the second is referenced', `${GROUP}metadata:\n  name: other\n  name: tools\n`, TWICE],
  ['duplicate metadata', `${GROUP}metadata: { name: tools }\nmetadata: { name: tools }\n`, TWICE],
  [
    'a syntax error behind the name',
    `${GROUP}metadata: { name: tools }\nspec: { description: [ }\n`,
    ['LNT1001 broken.yaml'],
  ],
  [
    'a duplicate key in an item of a List',
    `apiVersion: v1\nkind: List\nitems:\n  - apiVersion: lintel.dev/v1beta1\n    kind: MCPGroup\n    metadata: { name: tools, name: tools }\n`,
    TWICE,
  ],
])('a reference to an object with a YAML error causes no further finding: %s', (_title, broken, expected) => {
  expect(found(broken, `${REFERRING}---\n${SERVER}`)).toEqual(expected);
});

test('a reference to a JSON object with a duplicate key causes no further finding', () => {
  const json = '{"apiVersion":"lintel.dev/v1beta1","kind":"MCPGroup","metadata":{"name":"tools"},"spec":{},"spec":{}}';
  expect(found(json, `${REFERRING}---\n${SERVER}`, 'broken.json')).toEqual(['LNT1002 broken.json']);
});

test('a group whose only server has an error causes no finding about an empty group', () => {
  const server = SERVER.replace('transport:', 'transport: streamable-http, transport:');
  expect(found(server, `${REFERRING}---\n${object('MCPGroup', '{}', 'tools')}`)).toEqual(TWICE);
});

test.each([
  ['another name', `${GROUP}metadata: { name: others, name: others }\n`],
  ['another namespace', `${GROUP}metadata: { name: tools, namespace: elsewhere, labels: { a: b, a: c } }\n`],
  ['another kind', `${GROUP.replace('MCPGroup', 'MCPToolConfig')}metadata: { name: tools, name: tools }\n`],
])(
  'an unreadable object with %s than the missing object of a reference does not prevent the finding LNT2001 about the reference',
  (_title, broken) => {
    expect(found(broken, `${REFERRING}---\n${SERVER}`)).toContain('LNT2001 sound.yaml');
  },
);
