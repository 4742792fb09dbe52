import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';

const origin = { compilerVersion: '0.0.0', sourceRevision: null };

/** Number of findings: more than a JavaScript function can have as arguments. */
const MANY = 150_000;

const group = { apiVersion: 'lintel.dev/v1beta1', kind: 'MCPGroup', metadata: { name: 'g' } };
const unknownFields = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [index, null]));

function listOf(length: number, item: string): string {
  return `{"kind":"List","items":[${Array(length).fill(item).join()}]}`;
}

const cases: readonly [name: string, files: { readonly [file: string]: string }][] = [
  ['duplicate keys in YAML', { 'a.yaml': 'a: 1\n'.repeat(MANY) }],
  ['duplicate keys in JSON', { 'a.json': `{${'"a":1,'.repeat(MANY)}"a":1}` }],
  ['list items', { 'a.json': listOf(20, listOf(10_000, '1')) }],
  ['schema violations', { 'a.json': listOf(MANY / 100, JSON.stringify({ ...group, spec: unknownFields })) }],
];

test.each(cases)('the compiler survives 150,000 %s', (_, files) => {
  const sources = readTexts(Object.entries(files).map(([file, text]) => new SourceText(file, text)));
  expect(() => compile(sources, { purpose: 'check', origin })).not.toThrow();
});
