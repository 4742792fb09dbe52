import fc from 'fast-check';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { formatTypes } from '../../../compiler/analysis/catalog/index.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runs.ts';
import { typeErrors } from '../../support/type-check.ts';
import { createLock, type Tools } from './lock.ts';

/** Texts that end comments, strings and types, directives that TypeScript and Node read in comments, and names of inherited members. */
const NASTY = [
  '*/ export const evil = 1; /*',
  '@ts-expect-error',
  '/// <reference path="x" />',
  '//# sourceMappingURL=x',
  '@deprecated',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'create_issue',
  'createIssue',
  'create-issue',
  'CreateIssue',
  'LockedBackend',
  'new',
  'get',
  'readonly',
  'class',
  '1',
  '01',
  '-1',
  '',
  ' ',
  '"',
  "'",
  '`',
  '$' + '{evil}',
  '\\',
  '\\"',
  '\n',
  '\r\n',
  '\u2028',
  '\u202e',
  '\u0000',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u009b',
  '\ud800',
  'é',
  '日本',
  '😀',
];
const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.array(fc.constantFrom(...NASTY), { maxLength: 4 }).map(parts => parts.join('')),
);

const schema = fc.letrec(tie => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.boolean(),
    fc.record(
      {
        type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array', 'nonsense'),
        description: text,
        default: fc.jsonValue(),
        format: text,
        pattern: text,
      },
      { requiredKeys: [] },
    ),
    fc.record({ enum: fc.array(fc.jsonValue(), { maxLength: 4 }), description: text }, { requiredKeys: ['enum'] }),
    fc.record({ const: fc.jsonValue() }),
    fc.record({
      $ref: fc.oneof(
        text.map(name => `#/$defs/${name}`),
        fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/properties/a', 'https://example.com/x', '#/%zz'),
      ),
    }),
    fc.record(
      {
        anyOf: fc.array(tie('schema'), { maxLength: 3 }),
        type: fc.constantFrom('object', ['object', 'null'], 'string'),
      },
      { requiredKeys: ['anyOf'] },
    ),
    fc.record({ oneOf: fc.array(tie('schema'), { maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { maxLength: 3 }) }),
    fc.record(
      {
        type: fc.constant('array'),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 3 })),
        prefixItems: fc.array(tie('schema'), { maxLength: 3 }),
        minItems: fc.nat(3),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(text, tie('schema'), { maxKeys: 5 }),
        required: fc.array(text, { maxLength: 3 }),
        additionalProperties: tie('schema'),
        patternProperties: fc.dictionary(text, tie('schema'), { maxKeys: 2 }),
        $defs: fc.dictionary(fc.oneof(fc.constantFrom('a', 'b'), text), tie('schema'), { maxKeys: 3 }),
      },
      { requiredKeys: ['type'] },
    ),
  ),
})).schema;

const tool = fc.record({ name: text, description: text, inputSchema: schema, outputSchema: schema });
const key = fc
  .tuple(text, text)
  .map(([namespace, name]) => `${namespace.replaceAll('/', '') || 'a'}/MCPServer/${name.replaceAll('/', '') || 'b'}`);
const inline = fc
  .tuple(text, text)
  .map(([gateway, name]) => `a/VirtualMCPServer/${gateway.replaceAll('/', '') || 'b'}/${name || 'c'}`);
const locks = fc
  .array(fc.tuple(fc.oneof(key, inline), fc.array(tool, { maxLength: 4 })), { maxLength: 4 })
  .map(entries => createLock(Object.fromEntries(entries) as Record<string, Tools>));

test('the generated TypeScript file type-checks and declares types and one catalog, with any names and texts of backends', () => {
  const samples = fc.sample(locks, { numRuns: runs(150), seed: 7 });
  const files = Object.fromEntries(samples.map((lock, index) => [`lock${index}.ts`, formatTypes(lock)]));
  for (const [name, text] of Object.entries(files)) {
    const { statements } = ts.createSourceFile(name, text, ts.ScriptTarget.ES2024);
    const values = statements.filter(
      statement =>
        !ts.isInterfaceDeclaration(statement) &&
        !ts.isTypeAliasDeclaration(statement) &&
        !ts.isImportDeclaration(statement),
    );
    expect(values.map(statement => ts.isVariableStatement(statement))).toEqual([true]);
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
  }
  expect(typeErrors(files, { library: 'compiler/cdk8s/tool.ts' })).toEqual([]);
}, 300_000);

test('the generated TypeScript catalog has the names of backends and tools unchanged', async () => {
  for (const [index, lock] of fc.sample(locks, { numRuns: runs(60), seed: 8 }).entries()) {
    const script = ts.transpileModule(formatTypes(lock), {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 },
    }).outputText;
    const source = `${script.replace(/^import .*$/m, 'const lockedBackend = locked => locked;')}\n//${index}`;
    const { catalog } = await import(
      /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source.toWellFormed())}`
    );
    const found = Object.values(catalog as Record<string, { key: string; toolNames: string[] }>).map(
      ({ key, toolNames }) => [key, toolNames],
    );
    const expected = Object.entries(lock.backends).map(([key, { tools = {} }]) => [key, Object.keys(tools).sort()]);
    expect(new Map(found as [string, string[]][])).toEqual(new Map(expected as [string, string[]][]));
    expect(Object.keys(catalog)).toHaveLength(expected.length);
  }
});

test('lintel lock writes the TypeScript type unknown where a schema refers to itself, is nested too deep or has too many alternatives', () => {
  const deep = Array.from({ length: 3000 }).reduce<unknown>(
    below => ({ type: 'object', properties: { a: below } }),
    true,
  );
  const pair = (index: number) => ({
    anyOf: [
      { type: 'object', properties: { [`a${index}`]: { type: 'string' } }, required: [`a${index}`] },
      { type: 'object', properties: { [`b${index}`]: { type: 'string' } }, required: [`b${index}`] },
    ],
  });
  const schemas: Record<string, unknown> = {
    self: { type: 'object', $ref: '#' },
    circle: {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'string' }] } },
    },
    tree: {
      type: 'object',
      properties: {
        children: { type: 'array', items: { $ref: '#' } },
        next: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
      },
    },
    deep,
    wide: { type: 'object', allOf: Array.from({ length: 30 }, (_, index) => pair(index)) },
    many: { type: 'object', properties: { a: { enum: Array.from({ length: 5000 }, (_, index) => `value ${index}`) } } },
    huge: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 8000 }, (_, index) => [`p${index}`, { type: 'string' }])),
    },
  };
  const tools = Object.entries(schemas).map(([name, inputSchema]) => ({
    name,
    inputSchema,
    outputSchema: inputSchema,
  }));
  const text = formatTypes(createLock({ 'a/MCPServer/b': tools }));
  expect(typeErrors({ 'lock.ts': text }, { library: 'compiler/cdk8s/tool.ts' })).toEqual([]);
  expect(text).toContain('readonly children?: readonly BTreeInput[];');
  expect(text).toContain('readonly next?: BTreeInput | null;');
  expect(text).toContain('readonly a?: string;');
});
