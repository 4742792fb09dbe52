import { expect, test } from 'vitest';
import { formatTypes } from '../../../compiler/analysis/catalog/index.ts';
import { mapCatalogKeys } from '../../../compiler/analysis/catalog/types/catalog-keys.ts';
import { createLock } from './lock.ts';

test.each([
  ['a backend whose name is unique', ['a/MCPServer/github'], ['github']],
  [
    'a backend name in two namespaces',
    ['a/MCPServer/github', 'b/MCPServer/github', 'b/MCPServer/jira'],
    ['a/github', 'b/github', 'jira'],
  ],
  [
    'a backend name in two gateways',
    ['a/VirtualMCPServer/eng/github', 'a/VirtualMCPServer/ops/github'],
    ['a/eng/github', 'a/ops/github'],
  ],
  [
    'a workload and a backend of a gateway',
    ['a/MCPServer/github', 'a/VirtualMCPServer/eng/github'],
    ['a/github', 'a/eng/github'],
  ],
  [
    'a backend name of two kinds',
    ['a/MCPServer/github', 'a/MCPRemoteProxy/github'],
    ['a/MCPServer/github', 'a/MCPRemoteProxy/github'],
  ],
  [
    'a backend name that looks like the full key of another',
    ['a/MCPServer/b', 'x/VirtualMCPServer/y/a/b', 'z/MCPServer/b'],
    ['a/MCPServer/b', 'x/y/a/b', 'z/b'],
  ],
])(
  'the generated TypeScript catalog names each backend by the shortest unique part of its key in the tool lock: %s',
  (_, keys, expected) => {
    expect([...mapCatalogKeys(keys).values()]).toEqual(expected);
  },
);

const search = {
  name: 'search_issues',
  description: 'Find issues.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'Words.' } },
    required: ['query'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      total: { type: 'integer' },
      items: {
        type: 'array',
        items: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      },
    },
    required: ['total', 'items'],
  },
};
const comment = { name: 'comment', inputSchema: { type: 'object' } };

test('lintel lock generates the expected TypeScript file', async () => {
  const lock = createLock({ 'default/MCPServer/github': [search, comment] });
  await expect(formatTypes(lock)).toMatchFileSnapshot('github.expected.ts.txt');
});

test('the generated TypeScript file does not depend on the order of the lock', () => {
  const keys = ['default/MCPServer/github', 'default/MCPServer/a'];
  const [first = '', second = ''] = keys;
  expect(formatTypes(createLock({ [first]: [search, comment], [second]: [] }))).toBe(
    formatTypes(createLock({ [second]: [], [first]: [comment, search] })),
  );
});

test('an empty lock gives an empty TypeScript catalog', () => {
  expect(formatTypes(createLock({}))).toContain('export const catalog: {\n} = {\n};\n');
});
