/** Every pattern and format in the schemas has a description and an example, and its findings repeat both. */
import { expect, test } from 'vitest';
import { getPodPatchSchema } from '../../../compiler/analysis/pods/pod-schema.ts';
import { FORMATS } from '../../../compiler/check/formats.ts';
import { OBJECT_META } from '../../../compiler/check/object-meta.ts';
import { checkStructure } from '../../../compiler/check/structural.ts';
import { suggestRemedy } from '../../../compiler/check/violation-words.ts';
import { walk } from '../../../schemas/generate/structural-schema.ts';
import { FILE_SCHEMAS, KINDS_FILE, type StructuralSchema } from '../../../schemas/index.ts';

const ROOTS: readonly (readonly [string, StructuralSchema])[] = [
  ...Object.entries(KINDS_FILE).map(([kind, { spec }]) => [kind, spec] as const),
  ...Object.entries(FILE_SCHEMAS),
  ['metadata', OBJECT_META],
  ['podTemplateSpec', getPodPatchSchema()],
];

const places = ROOTS.flatMap(([path, schema]) => [...walk({ path, schema })]);
const patterns = places.filter(({ schema }) => schema.pattern !== undefined);
const formats = places.filter(({ schema }) => schema.format !== undefined);

/** A text that matches none of the patterns in the schemas. */
const MISFIT = '-"*\\ ~^';

const helpOf = (schema: StructuralSchema, value: unknown) =>
  checkStructure(schema, value).map(violation => suggestRemedy(violation, value).help);

test('the schemas have more than 100 patterns and 20 formats', () => {
  expect(patterns.length).toBeGreaterThan(100);
  expect(formats.length).toBeGreaterThan(20);
});

test.each(patterns.map(({ path, schema }) => [path, schema] as const))(
  'lintel check reports a value that does not match the pattern of %s, and shows an example that matches',
  (_, schema) => {
    const { pattern = '', 'x-lintel-form': words = '', 'x-lintel-example': example = '' } = schema;
    expect(words).not.toBe('');
    expect(example).not.toBe('');
    expect(checkStructure(schema, example)).toEqual([]);
    expect(new RegExp(pattern, 'u').test(MISFIT)).toBe(false);
    const help = helpOf({ type: 'string', pattern, 'x-lintel-form': words, 'x-lintel-example': example }, MISFIT);
    expect(help).toEqual([expect.stringContaining(example)]);
    expect(help).toEqual([expect.stringContaining(words)]);
  },
);

test.each(formats.map(({ path, schema }) => [path, schema] as const))(
  'lintel check reports a value that does not match the format of %s, and shows an example that matches',
  (_, schema) => {
    const format = FORMATS.get(schema.format ?? '');
    expect(format).toBeDefined();
    const isText = schema.type !== 'integer';
    const misfit = isText ? 'tomorrow' : 2n ** 64n;
    const help = helpOf({ type: schema.type ?? 'string', format: schema.format ?? '' }, misfit);
    expect(help).toEqual([expect.stringContaining(format?.example ?? 'none')]);
    expect(format?.holds(isText ? format.example : Number(format.example))).toBe(true);
  },
);

test.each<[schema: StructuralSchema, value: unknown, help: string]>([
  [{ type: 'integer' }, 'x', 'Write an integer'],
  [{ type: 'string', enum: ['a', 'b'] }, 'z', 'Write one of "a", "b"'],
  [{ type: 'integer', minimum: 1, maximum: 9 }, 10, 'Write 1 to 9'],
  [{ type: 'object', required: ['a'], properties: { a: { type: 'string' } } }, {}, 'Add "a", a string'],
])('the schema %j refuses %j with the help "%s"', (schema, value, help) => {
  expect(helpOf(schema, value)).toEqual([help]);
});
