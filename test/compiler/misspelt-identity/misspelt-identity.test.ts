/** A typo in an object's identity is reported at its place, and never turns the object into another one. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';

/** Findings such as `LNT1003 3:12-3:16 the message; the fix`. */
function findingsOf(text: string): string[] {
  const sources = readTexts([new SourceText('group.yaml', text)]);
  const origin = { compilerVersion: 'test', sourceRevision: null };
  return compile(sources, { purpose: 'check', origin }).findings.diagnostics.map(found => {
    const { start, end } = found.range;
    const place = `${start.line}:${start.column}-${end.line}:${end.column}`;
    return [`${found.code} ${place} ${found.message}`, ...(found.fix === undefined ? [] : [found.fix])].join('; ');
  });
}

const group = (metadata: string): string =>
  `apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: a, ${metadata} }\n`;

test.each<[name: string, text: string, finding: string]>([
  [
    'kind',
    'apiVersion: lintel.dev/v1beta1\nkinds: MCPGroup\nmetadata: { name: a }\n',
    'LNT1003 2:1-2:6 unknown field "kinds", and the object has no kind; did you mean "kind"?',
  ],
  [
    'apiVersion',
    'kind: MCPGroup\napiversion: lintel.dev/v1beta1\nmetadata: { name: a }\n',
    'LNT1003 2:1-2:11 unknown field "apiversion", and the MCPGroup has no apiVersion; did you mean "apiVersion"?',
  ],
  [
    'metadata',
    'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetdata: { name: a }\n',
    'LNT1003 3:1-3:8 unknown field "metdata", and the object has no metadata; did you mean "metadata"?',
  ],
  [
    'name',
    'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { nmae: a }\n',
    'LNT1003 3:13-3:17 unknown field "nmae", and the object has no metadata.name; did you mean "name"?',
  ],
  [
    'a missing name without a similar key',
    'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { labels: {} }\n',
    'LNT1019 3:1-3:9 the object has no metadata.name',
  ],
  [
    'an apiVersion without a slash',
    'apiVersion: lintel.devv1beta1\nkind: MCPGroup\nmetadata: { name: a }\n',
    'LNT1011 1:13-1:30 "lintel.devv1beta1" has no kind "MCPGroup"; apiVersion: lintel.dev/v1beta1',
  ],
])("lintel check suggests the right spelling of an object's identity: %s", (_, text, finding) => {
  expect(findingsOf(text)).toEqual([finding]);
});

test.each<[metadata: string, finding: RegExp]>([
  ['namespcae: eng', /^LNT1003 3:22-3:31 unknown field "namespcae"; .*; did you mean "namespace"\?$/],
  ['lables: { a: b }', /^LNT1003 3:22-3:28 unknown field "lables"; .*; did you mean "labels"\?$/],
  ['labels: text', /^LNT1004 3:30-3:34 expected an object, found a string$/],
  ['labels: { tier: 1 }', /^LNT1004 3:38-3:39 expected a string, found the integer 1; put it in quotes$/],
  ['annotations: { up: true }', /^LNT1004 3:41-3:45 expected a string, found true; put it in quotes$/],
])('lintel check reports the invalid metadata %s', (metadata, finding) => {
  const findings = findingsOf(group(metadata));
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatch(finding);
});

test.each([
  'labels: , annotations: ',
  'labels: { app.kubernetes.io/name: a, empty: "" }',
  'finalizers: [lintel.dev/x], ownerReferences: [{ kind: Deployment }]',
  'uid: 1-2, generation: 3, resourceVersion: "4", creationTimestamp: "2026-01-01T00:00:00Z", managedFields: []',
])('lintel check accepts the metadata %s', metadata => {
  expect(findingsOf(group(metadata))).toEqual([]);
});

test('lintel check reports an invalid object name once, and gives no further finding about references to the object', () => {
  const member = (name: string) => `---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: ${name} }
spec: { groupRef: { name: Eng_Team }, remoteUrl: "https://docs.example.com/mcp", transport: streamable-http }
`;
  const named = 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: Eng_Team }\n';
  expect(findingsOf(`${named}${member('a')}${member('b')}`)).toEqual([expect.stringMatching(/^LNT1019 3:19-3:27 /)]);
  expect(findingsOf(member('a'))).toEqual([expect.stringMatching(/^LNT2001 .* no MCPGroup named "Eng_Team"/)]);
});
