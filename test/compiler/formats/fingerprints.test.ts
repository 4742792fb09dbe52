import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { computeFingerprints } from '../../../compiler/diagnostics/fingerprint.ts';
import { RENDERERS } from '../../../compiler/diagnostics/render/index.ts';
import { createRange, createRendering, finding, MIXED } from './rendering.ts';

const BASE = finding('LNT1003', 'm');

test('the fingerprint of a finding does not change between versions, because CI systems store it', () => {
  expect(computeFingerprints([BASE])).toEqual(['9a4829792fa412f768e9b6747b4d21d29c3ba432df54c94f3f6a8d8f91c08e22']);
});

test.each([
  ['another line', { ...BASE, range: createRange(90, 9) }],
  ['another severity', { ...BASE, severity: 'hint' as const }],
  ['another fix', { ...BASE, fix: 'f' }],
])('a finding with %s keeps its fingerprint', (_, changed) => {
  expect(computeFingerprints([changed])).toEqual(computeFingerprints([BASE]));
});

test.each([
  ['code', { ...BASE, code: 'LNT1004' as const }],
  ['file', { ...BASE, file: 'other.yaml' }],
  ['pointer', { ...BASE, pointer: '/spec' }],
  ['message', { ...BASE, message: 'n' }],
  ['object', { ...BASE, object: { apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's' } }],
])('two findings that differ in their %s have different fingerprints', (_, changed) => {
  expect(computeFingerprints([changed])).not.toEqual(computeFingerprints([BASE]));
});

test('findings that differ only in their lines have different fingerprints', () => {
  const three = [BASE, { ...BASE, range: createRange(8, 1) }, { ...BASE, range: createRange(9, 1) }];
  expect(new Set(computeFingerprints(three)).size).toBe(3);
});

test('the fingerprint of a finding does not change when lines are inserted in front of its document', () => {
  const text = 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: tools }\nspec: { descripton: x }\n';
  const of = (source: string) => {
    const origin = { compilerVersion: '0.0.0', sourceRevision: null };
    return compile(readTexts([new SourceText('a.yaml', source)]), { purpose: 'check', origin }).findings.diagnostics;
  };
  expect(of(text)).toHaveLength(1);
  expect(of(`# moved\n\n${text}`)[0]?.range.start.line).toBe(6);
  expect(computeFingerprints(of(`# moved\n\n${text}`))).toEqual(computeFingerprints(of(text)));
});

test('the gitlab and sarif formats have the same fingerprints', () => {
  const rendering = createRendering(MIXED);
  const { results } = JSON.parse(RENDERERS.sarif(rendering)).runs[0];
  const gitlab: { fingerprint: string }[] = JSON.parse(RENDERERS.gitlab(rendering));
  expect(gitlab.map(({ fingerprint }) => fingerprint)).toEqual(
    results.map((result: { partialFingerprints: object }) => Object.values(result.partialFingerprints)[0]),
  );
});
