import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  diffCatalogs,
  EMPTY_LOCK,
  renderDiffMarkdown,
  renderDiffText,
} from '../../../compiler/analysis/catalog/index.ts';
import { expectGolden } from '../../support/golden.ts';
import { createLock, type Definition, GITHUB, type Offer } from './locks.ts';

const NOTES = 'default/VirtualMCPServer/eng/notes';

const SEARCH = {
  name: 'search',
  description: 'Find issues by words. The best ones come first. Give at most ten words.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words to look for' },
      limit: { type: 'integer', minimum: 1, maximum: 50 },
      state: { enum: ['open', 'closed'] },
      filter: { type: 'object', properties: { owner: { type: 'string' } } },
      labels: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    },
    required: ['query'],
  },
  annotations: { title: 'Search', readOnlyHint: true },
};

const BEFORE = createLock({
  [GITHUB]: {
    tools: [
      SEARCH,
      { name: 'delete', annotations: { destructiveHint: false } },
      { name: 'get_issue', description: 'Read one issue.', inputSchema: { type: 'object' } },
      { name: 'same' },
      { name: 'close', inputSchema: { type: 'object' } },
    ],
    prompts: [{ name: 'greet', arguments: [{ name: 'who' }] }],
    resources: [{ uri: 'memo://1', name: 'one' }],
    resourceTemplates: [{ uriTemplate: 'memo://{id}', name: 'memo' }],
  },
  [NOTES]: { tools: [{ name: 'add' }] },
});

const AFTER = createLock({
  [GITHUB]: {
    url: 'https://github.example.com/v2/mcp',
    transport: 'sse',
    protocolVersion: '2025-06-18',
    server: { name: 'github', version: '2.0.0' },
    tools: [
      {
        ...SEARCH,
        description: 'Find issues by words. The newest ones come first. Give at most ten words.',
        inputSchema: {
          type: 'object',
          properties: {
            query: { type: 'array', items: { type: 'string' }, description: 'Words to look for' },
            limit: { type: 'integer', minimum: 1, maximum: 100 },
            state: { enum: ['open', 'all'] },
            filter: { type: 'object', properties: { owner: { type: 'string' }, team: {} }, required: ['team'] },
            repo: { type: 'string' },
          },
          required: ['query', 'limit', 'repo'],
        },
        outputSchema: { type: 'object' },
      },
      { name: 'delete', annotations: { destructiveHint: true } },
      { name: 'read_issue', description: 'Read one issue.', inputSchema: { type: 'object' } },
      { name: 'same' },
      { name: 'archive', description: 'Put an issue away.', annotations: { readOnlyHint: false } },
    ],
    prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
    resources: [{ uri: 'memo://1', name: 'the first' }],
    resourceTemplates: [],
  },
  'default/MCPServer/wiki': {
    tools: [{ name: 'read', annotations: { readOnlyHint: true } }, { name: 'write' }],
    prompts: [{ name: 'ask' }],
  },
});

test('lintel lock shows every kind of change of a backend, in text, Markdown and JSON', () => {
  const diff = diffCatalogs(BEFORE, AFTER);
  expectGolden(
    join(import.meta.dirname, 'goldens', 'cases'),
    new Map([
      ['diff.txt', renderDiffText(diff, { color: false })],
      ['diff.md', renderDiffMarkdown(diff, [])],
      ['diff.json', `${JSON.stringify(diff, null, 2)}\n`],
    ]),
  );
});

test('lintel lock shows no difference between equal catalogs', () => {
  const none = diffCatalogs(BEFORE, BEFORE);
  expect(none).toEqual({ backends: [] });
  expect(renderDiffText(none, { color: false })).toBe('');
  expect(renderDiffMarkdown(none, [])).toBe('**Lintel, tool lock**: no difference\n');
  expect(renderDiffMarkdown(none, ['mcp/MCPServer/files: its secret is missing'])).toBe(
    [
      '**Lintel, tool lock**: no difference among the backends that answered; not every backend answered',
      '',
      '### Backends that did not answer',
      '',
      '- mcp/MCPServer/files: its secret is missing',
      '',
    ].join('\n'),
  );
});

/** The lines for a backend that offers one item less, more or changed. */
function linesOf(before: Offer, after: Offer): string[] {
  const text = renderDiffText(diffCatalogs(createLock({ [GITHUB]: before }), createLock({ [GITHUB]: after })), {
    color: false,
  });
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map(line => line.trim());
}

function tool(more: object): Definition {
  return { name: 'it', ...more };
}

const input = (schema: unknown) => tool({ inputSchema: schema });

/** Two definitions of a tool and the lines that describe the difference. */
const ROWS: readonly (readonly [name: string, before: Definition, after: Definition, lines: readonly string[]])[] = [
  ['an added description', tool({}), tool({ description: 'Do it.' }), ['~ description: added: {+Do it.+}']],
  ['a removed description', tool({ description: 'Do it.' }), tool({}), ['~ description: removed']],
  [
    'words in a long description',
    tool({ description: 'one two three four five six seven eight nine ten' }),
    tool({ description: 'one two three four 5 six seven eight nine ten eleven' }),
    ['~ description: one two three four [-five-] {+5+} six seven eight nine ten {+eleven+}'],
  ],
  [
    'white space in a description',
    tool({ description: 'Do it.\n' }),
    tool({ description: 'Do  it.' }),
    ['~ description: changed in white space only'],
  ],
  [
    'a color and a change of text direction',
    tool({ description: 'Do it.' }),
    tool({ description: 'Do \u001b[31mit\u202e.' }),
    ['! description: now holds invisible characters', '~ description: Do [-it.-] {+\\u001b[31mit\\u{202e}.+}'],
  ],
  [
    'hidden words in tag characters',
    tool({ description: 'Do it.' }),
    tool({ description: 'Do it.\u{e0068}\u{e0069}' }),
    ['! description: now holds invisible characters', '~ description: Do [-it.-] {+it.\\u{e0068}\\u{e0069}+}'],
  ],
  ['an emoji in a title', tool({ title: 'x' }), tool({ title: '👩‍💻' }), ['~ title: [-x-] {+👩‍💻+}']],
  [
    'a tool that no longer only reads',
    tool({ annotations: { readOnlyHint: true } }),
    tool({ annotations: { readOnlyHint: false, destructiveHint: false } }),
    [
      '! annotations: read-only -> not destructive',
      '~ annotations.destructiveHint: not said -> false',
      '~ annotations.readOnlyHint: true -> false',
    ],
  ],
  [
    'removed annotations',
    tool({ annotations: { destructiveHint: false } }),
    tool({}),
    ['! annotations: not destructive -> destructive by default', '~ annotations.destructiveHint: false -> not said'],
  ],
  [
    'a tool that now claims to only read',
    tool({}),
    tool({ annotations: { readOnlyHint: true } }),
    ['! annotations: destructive by default -> read-only', '~ annotations.readOnlyHint: not said -> true'],
  ],
  [
    'a property of a property',
    input({ properties: { a: { properties: { b: { type: 'string' } } } } }),
    input({ properties: { a: { properties: { b: { type: 'number' } } } } }),
    ['~ input a.b: type "string" -> "number"'],
  ],
  [
    'a property of a list item',
    input({ properties: { a: { items: { properties: { b: {} } } } } }),
    input({ properties: { a: { items: { properties: {} } } } }),
    ['~ input a[].b: removed'],
  ],
  [
    'a property that becomes required',
    input({ properties: { a: {} } }),
    input({ properties: { a: {} }, required: ['a'] }),
    ['~ input a: is now required'],
  ],
  [
    'the order of properties and of required names',
    input({ properties: { a: {}, b: {} }, required: ['a', 'b'] }),
    input({ properties: { b: {}, a: {} }, required: ['b', 'a'] }),
    [],
  ],
  [
    'the values of an enum',
    input({ properties: { a: { enum: [1, 2] } } }),
    input({ properties: { a: { enum: [2, 3, 4] } } }),
    ['~ input a: 3, 4 allowed; 1 no longer allowed'],
  ],
  [
    'keywords without a wording of their own',
    input({ anyOf: [{}], additionalProperties: true }),
    input({ additionalProperties: false, $schema: 'x' }),
    ['~ input: $schema added: "x"', '~ input: additionalProperties true -> false', '~ input: anyOf removed, was [{}]'],
  ],
  [
    'an invalid schema',
    input({ properties: [], required: 'a' }),
    input({ properties: {}, required: ['a'] }),
    ['~ input: properties [] -> {}', '~ input: required "a" -> ["a"]'],
  ],
  ['a schema that was true', input(true), input({}), ['~ input: true -> {}']],
  ['an unknown member', tool({ icons: [1] }), tool({ icons: [2] }), ['~ icons: [1] -> [2]']],
  [
    'a member with the name of an inherited one',
    tool({}),
    JSON.parse('{"name":"it","__proto__":1,"constructor":2}'),
    ['~ __proto__: added: 1', '~ constructor: added: 2'],
  ],
  ['a long value is cut', tool({ x: 1 }), tool({ x: 'a'.repeat(200) }), [`~ x: 1 -> "${'a'.repeat(119)}…`]],
];

test.each(ROWS)('lintel lock shows the difference of a changed tool: %s', (_, before, after, lines) => {
  const found = linesOf({ tools: [before] }, { tools: [after] });
  expect(found).toEqual(lines.length === 0 ? [] : ['~ tool it', ...lines]);
});

test('lintel lock reports two removed and two added tools, not two renamed tools, if it cannot tell which tool got which name', () => {
  const named = (...names: readonly string[]) => ({ tools: names.map(name => ({ name, description: 'Same.' })) });
  expect(linesOf(named('a'), named('b'))).toEqual(['~ tool b, was a (destructive by default)']);
  expect(linesOf(named('a', 'c'), named('b', 'd')).map(line => line.slice(0, 8))).toEqual([
    '- tool a',
    '+ tool b',
    '- tool c',
    '+ tool d',
  ]);
});

test('lintel lock shows all that the backends offer if there was no tool lock before', () => {
  const text = renderDiffText(diffCatalogs(EMPTY_LOCK, createLock({ [GITHUB]: { tools: [SEARCH] }, [NOTES]: {} })), {
    color: false,
  });
  expect(text).toBe(`+ ${GITHUB}: 1 tool
    + tool search (read-only)

+ ${NOTES}: offers nothing
`);
});

test('lintel lock colors the difference on terminals only', () => {
  const diff = diffCatalogs(createLock({ [GITHUB]: { tools: [tool({})] } }), EMPTY_LOCK);
  expect(renderDiffText(diff, { color: true })).toBe(`\u001b[31m- ${GITHUB}\u001b[39m\n`);
});
