import { expect, test } from 'vitest';
import { classify, classifyDocument } from '../../../compiler/source/classify.ts';
import { line, only, read } from './reading.ts';

const options = {
  groups: ['lintel.dev', 'toolhive.stacklok.dev'],
  kinds: ['GatewaySource', 'MCPGroup', 'MCPServer', 'VirtualMCPServer'],
  ownKinds: ['GatewaySource'],
};

function document(apiVersion: string, kind: string, rest = 'metadata: {name: a}'): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\n${rest}\n`;
}

type Row = [name: string, text: string, role: string, findings: string[], fix?: string];
const rows: Row[] = [
  ['an object of the group lintel.dev', document('lintel.dev/v1beta1', 'MCPGroup'), 'ours', []],
  ['an object of the group toolhive.stacklok.dev', document('toolhive.stacklok.dev/v1beta1', 'MCPServer'), 'ours', []],
  [
    'a deprecated version',
    document('toolhive.stacklok.dev/v1alpha1', 'MCPServer'),
    'ours',
    ['LNT1006 1:13-1:43 toolhive.stacklok.dev/v1alpha1 is deprecated'],
    'apiVersion: toolhive.stacklok.dev/v1beta1',
  ],
  [
    'an unknown version',
    document('lintel.dev/v2', 'MCPGroup'),
    'rejected',
    ['LNT1011 1:13-1:26 lintel.dev has no version "v2"'],
    'apiVersion: lintel.dev/v1beta1',
  ],
  [
    'an apiVersion without a version',
    document('lintel.dev', 'MCPGroup'),
    'rejected',
    ['LNT1011 1:13-1:23 lintel.dev has no version ""'],
    'apiVersion: lintel.dev/v1beta1',
  ],
  [
    'a misspelt kind',
    document('lintel.dev/v1beta1', 'VirtualMCPSever'),
    'rejected',
    ['LNT1007 2:7-2:22 the API group lintel.dev has no kind "VirtualMCPSever"'],
    'kind: VirtualMCPServer',
  ],
  [
    'an unknown kind',
    document('lintel.dev/v1beta1', 'Deployment'),
    'rejected',
    ['LNT1007 2:7-2:17 the API group lintel.dev has no kind "Deployment"'],
  ],
  [
    'an object without a kind',
    'apiVersion: lintel.dev/v1beta1\n',
    'rejected',
    ['LNT1010 1:1-1:31 the object has no kind'],
  ],
  [
    'a kind that is no text',
    document('lintel.dev/v1beta1', '5'),
    'rejected',
    ['LNT1004 2:7-2:8 kind must be a string'],
  ],
  [
    'an object without an apiVersion',
    'kind: MCPGroup\nmetadata: {name: a}\n',
    'rejected',
    ['LNT1010 1:1-1:15 the MCPGroup has no apiVersion'],
    'apiVersion: lintel.dev/v1beta1',
  ],
  [
    'an apiVersion that is no text',
    document('1', 'MCPGroup'),
    'rejected',
    ['LNT1004 1:13-1:14 apiVersion must be a string'],
  ],
  [
    'a misspelt group',
    document('lintle.dev/v1beta1', 'MCPGroup'),
    'rejected',
    ['LNT1011 1:13-1:31 "lintle.dev/v1beta1" is not of an accepted API group, though Lintel knows the kind "MCPGroup"'],
    'apiVersion: lintel.dev/v1beta1',
  ],
  ['a kind that only lintel.dev has', document('lintel.dev/v1beta1', 'GatewaySource'), 'ours', []],
  [
    'a kind of lintel.dev in another group',
    document('toolhive.stacklok.dev/v1beta1', 'GatewaySource'),
    'rejected',
    ['LNT1011 1:13-1:42 the API group toolhive.stacklok.dev has no kind "GatewaySource", which is of lintel.dev alone'],
    'apiVersion: lintel.dev/v1beta1',
  ],
  ['a kind of the same name', document('mcp.example.com/v1', 'MCPServer'), 'foreign', []],
  ['a kind of the same name in a foreign group', document('v1', 'Secret'), 'target', []],
  ['a ConfigMap', document('v1', 'ConfigMap'), 'target', []],
  ['a Secret of another group', document('example.com/v1', 'Secret'), 'foreign', []],
  ['a Service without valid metadata', document('v1', 'Service', 'metadata: 5'), 'foreign', []],
  ['a kustomization', 'resources: [a.yaml]\n', 'foreign', []],
  ['a list', '- 1\n', 'foreign', []],
  ['a key named constructor', 'constructor: {kind: MCPGroup}\n', 'foreign', []],
  ['a rounded integer in a foreign document', 'a: 9007199254740993\n', 'foreign', []],
  [
    'a rounded integer in a Lintel object',
    document('lintel.dev/v1beta1', 'MCPGroup', 'metadata: {name: a}\nspec: {a: 9007199254740993}'),
    'rejected',
    ['LNT1014 4:11-4:27 the integer cannot be represented exactly; if it is text, quote it'],
  ],
  [
    'a YAML tag in a Lintel object',
    document('lintel.dev/v1beta1', 'MCPGroup', 'metadata: {name: !x a}'),
    'ours',
    ['LNT1008 3:18-3:20 the YAML tag has no effect: the value is read as if it had none'],
  ],
];

test.each(rows)(
  'the compiler accepts, rejects or ignores a document by its apiVersion, kind and metadata: %s',
  (_, text, role, findings, fix) => {
    const classified = classifyDocument(only(text), options);
    expect(classified.role).toBe(role);
    expect(classified.diagnostics.map(line)).toEqual(findings);
    if (fix !== undefined) expect(classified.diagnostics[0]?.fix).toBe(fix);
  },
);

const NAME_RULE =
  'metadata.name may hold only lower-case letters, digits, "-" and ".", and starts and ends with a letter or digit';
const NAMESPACE_RULE =
  'metadata.namespace may hold only lower-case letters, digits and "-", and starts and ends with a letter or digit';

test.each<[metadata: string, finding: string]>([
  ['', '1:1-1:31 the object has no metadata'],
  ['metadata:', '3:1-3:9 the object has no metadata'],
  ['metadata: []', '3:11-3:13 metadata must be a mapping'],
  ['metadata: {}', '3:1-3:9 the object has no metadata.name'],
  ['metadata: {name: }', '3:12-3:16 the object has no metadata.name'],
  ['metadata: {name: 5}', '3:18-3:19 metadata.name must be a string; quote it'],
  ['metadata: {name: Upper}', `3:18-3:23 ${NAME_RULE}`],
  ['metadata: {name: a_b}', `3:18-3:21 ${NAME_RULE}`],
  ['metadata: {name: -a}', `3:18-3:20 ${NAME_RULE}`],
  ['metadata: {name: a..b}', `3:18-3:22 ${NAME_RULE}`],
  ['metadata: {name: "a\\n"}', `3:18-3:23 ${NAME_RULE}`],
  ['metadata: {name: ""}', `3:18-3:20 ${NAME_RULE}`],
  [`metadata: {name: ${'a'.repeat(254)}}`, '3:18-3:272 metadata.name is longer than 253 characters'],
  ['metadata: {name: a, namespace: 5}', '3:32-3:33 metadata.namespace must be a string; quote it'],
  ['metadata: {name: a, namespace: a.b}', `3:32-3:35 ${NAMESPACE_RULE}`],
  ['metadata: {name: a, namespace: ""}', `3:32-3:34 ${NAMESPACE_RULE}`],
  [`metadata: {name: a, namespace: ${'n'.repeat(64)}}`, '3:32-3:96 metadata.namespace is longer than 63 characters'],
])('an object with the metadata "%s" gives LNT1019', (metadata, finding) => {
  const classified = classifyDocument(only(document('lintel.dev/v1beta1', 'MCPGroup', metadata)), options);
  expect(classified.role).toBe('rejected');
  expect(classified.diagnostics.map(line)).toEqual([`LNT1019 ${finding}`]);
});

test.each([`${'a'.repeat(253)}`, 'a', '0', 'a.b-c.d'])('the compiler accepts an object with the name %s', name => {
  expect(classifyDocument(only(document('v1', 'Secret', `metadata: {name: "${name}"}`)), options).role).toBe('target');
});

test('the compiler knows the group, version, kind, namespace and name of an object', () => {
  const doc = only(document('toolhive.stacklok.dev/v1alpha1', 'MCPServer', 'metadata: {name: a, namespace: n}'));
  const object = { apiVersion: 'toolhive.stacklok.dev/v1alpha1', kind: 'MCPServer', namespace: 'n', name: 'a' };
  const classified = classifyDocument(doc, options);
  expect(classified.resource).toEqual({ doc, group: 'toolhive.stacklok.dev', version: 'v1alpha1', ...object, object });
  expect(classified.diagnostics).toMatchObject([{ pointer: '/apiVersion', object }]);
});

test('an object without a namespace is in the default namespace', () => {
  const doc = only(document('v1', 'Secret'));
  expect(classifyDocument(doc, options).resource).toMatchObject({ group: '', version: 'v1', namespace: 'default' });
  expect(classifyDocument(doc, { ...options, defaultNamespace: 'x' }).resource?.namespace).toBe('x');
});

test('the compiler separates Lintel objects, referenced objects, rejected objects and foreign documents', () => {
  const texts = [
    document('lintel.dev/v1beta1', 'MCPGroup', 'metadata: {name: b}'),
    document('v1', 'Secret'),
    'a: 1\n',
    document('lintel.dev/v9', 'MCPGroup', 'metadata: {name: c}'),
    document('lintel.dev/v1beta1', 'MCPGroup', 'metadata: {name: a}'),
    document('v1', 'Service'),
  ];
  const { resources, targets, rejected, foreign, diagnostics } = classify(read(texts.join('---\n')).documents, options);
  expect(resources.map(({ name }) => name)).toEqual(['b', 'a']);
  expect(targets.map(({ kind }) => kind)).toEqual(['Secret']);
  expect(rejected.map(({ name }) => name)).toEqual(['c']);
  expect(foreign).toBe(2);
  expect(diagnostics.map(({ code }) => code)).toEqual(['LNT1011']);
});
