import { Type } from 'typebox';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { formatTypes } from '../../../schemas/generate/types.ts';
import { fields, freeForm, type KindDefinition, oneOf, record } from '../../../schemas/kinds/define.ts';
import { KINDS } from '../../../schemas/kinds/index.ts';

function kindOf(spec: KindDefinition['spec'], kind = 'Widget'): KindDefinition {
  return {
    kind,
    plural: 'widgets',
    singular: 'widget',
    shortNames: [],
    description: 'A test kind.',
    printerColumns: [],
    specRequired: true,
    spec,
    status: fields(`${kind}Status`, {}, { description: 'Status.' }),
  };
}
function specOf(properties: Parameters<typeof fields>[1]): KindDefinition {
  return kindOf(fields('WidgetSpec', properties, { description: 'Spec.' }));
}
const x = { description: 'x' };
const inner = fields('Inner', { a: Type.String(x) }, x);

const FIELDS: readonly (readonly [name: string, schema: Parameters<typeof fields>[1][string], expected: string])[] = [
  ['a string', Type.String(x), '  /** x */\n  readonly f: string;'],
  ['an optional field', Type.Optional(Type.Integer(x)), '  readonly f?: number;'],
  ['an enum', oneOf(['a', "it's"], x), "  readonly f: 'a' | 'it\\'s';"],
  ['a list of enums', Type.Array(oneOf(['a', 'b'], x), x), "  readonly f: readonly ('a' | 'b')[];"],
  ['a list of lists', Type.Array(Type.Array(Type.String(x)), x), '  readonly f: readonly (readonly string[])[];'],
  ['a map', record(Type.Boolean(x), x), '  readonly f: { readonly [key: string]: boolean };'],
  ['an object', inner, '  readonly f: Inner;'],
  ['anything', freeForm(x), '  readonly f: unknown;'],
  ['any object', freeForm({ ...x, type: 'object' }), '  readonly f: { readonly [key: string]: unknown };'],
  ['integer or string', Type.Unsafe({ ...x, 'x-kubernetes-int-or-string': true }), '  readonly f: number | string;'],
  ['null', Type.Unsafe({ ...x, type: 'string', nullable: true }), '  readonly f: string | null;'],
  [
    'a deprecated field',
    Type.String({ ...x, deprecated: true }),
    '   * @deprecated See the description.\n   */\n  readonly f: string;',
  ],
  [
    'default, unit and bounds',
    Type.String({ ...x, default: '30s', 'x-lintel-unit': 'duration', minLength: 1 }),
    '  /**\n   * x\n   *\n   * - Default: `"30s"`\n   * - Unit: duration, such as `30s` or `1h30m`\n   * - Length: at least 1 characters\n   */',
  ],
  ['the end of a comment', Type.String({ description: 'a */ b' }), '  /** a *\\/ b */'],
];
test.each(FIELDS)('a field of a kind becomes a TypeScript type: %s', (_, schema, expected) => {
  expect(formatTypes([specOf({ f: schema })])).toContain(expected);
});

test('a kind becomes a TypeScript type with apiVersion, kind and metadata', () => {
  expect(formatTypes([specOf({})])).toContain(
    "export interface Widget extends ResourceEnvelope {\n  readonly kind: 'Widget';\n  readonly spec: WidgetSpec;\n  readonly status?: WidgetStatus;\n}",
  );
});

test('two fields with the same title become one TypeScript interface', () => {
  const source = formatTypes([specOf({ one: inner, two: Type.Array(inner, x) })]);
  expect(source.match(/export interface Inner /g)).toHaveLength(1);
});

test('a type that contains itself becomes a TypeScript interface that refers to itself', () => {
  const leaf = fields('Tree', { name: Type.String(x) }, x);
  const tree = fields('Tree', { name: Type.String(x), children: Type.Optional(Type.Array(leaf, x)) }, x);
  expect(formatTypes([specOf({ tree })])).toContain('  readonly children?: readonly Tree[];');
});

const REFUSED: readonly (readonly [name: string, kind: KindDefinition, message: string])[] = [
  [
    'two shapes under one title',
    specOf({ one: inner, two: fields('Inner', { b: Type.String(x) }, x) }),
    'title "Inner" has one shape at Widget.spec.one and another at Widget.spec.two',
  ],
  [
    'an object without a title',
    specOf({ one: Type.Object({}) }),
    'Widget.spec.one: an object with properties needs a title',
  ],
  [
    'a title that is not a valid name',
    specOf({ one: fields('the inner', {}, x) }),
    'Widget.spec.one: title "the inner" is not the name of a type',
  ],
  [
    'the title of a kind',
    specOf({ one: fields('Widget', {}, x) }),
    'Widget.spec.one: title "Widget" is the name of another generated type',
  ],
];
test.each(REFUSED)('the generator of TypeScript types refuses %s', (_, kind, message) => {
  expect(() => formatTypes([kind])).toThrow(message);
});

test('the TypeScript types of all kinds compile under strict options', () => {
  const file = '/types.ts';
  const source = ts.createSourceFile(file, formatTypes(KINDS), ts.ScriptTarget.ES2024, true);
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    getSourceFile: name => (name === file ? source : undefined),
  };
  const options: ts.CompilerOptions = {
    strict: true,
    noLib: true,
    noEmit: true,
    isolatedDeclarations: true,
    declaration: true,
    types: [],
  };
  const program = ts.createProgram([file], options, host);
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  expect(found.map(each => ts.flattenDiagnosticMessageText(each.messageText, '\n'))).toEqual([]);
});
