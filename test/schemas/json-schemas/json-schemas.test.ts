import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { buildAllSchema } from '../../../schemas/generate/all-schema.ts';
import { buildJsonSchema, toPublicSchema } from '../../../schemas/generate/json-schema.ts';
import { toStructural } from '../../../schemas/generate/to-structural.ts';
import { fields, type KindDefinition, listMap, listSet } from '../../../schemas/kinds/define.ts';
import { KINDS } from '../../../schemas/kinds/index.ts';

function compile(schema: object): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  formats.default(ajv, ['int32', 'int64', 'date-time']);
  return ajv.compile(schema);
}

const widget: KindDefinition = {
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  shortNames: ['w'],
  description: 'A test kind.',
  printerColumns: [],
  specRequired: true,
  spec: fields('WidgetSpec', { size: Type.Integer({ exclusiveMinimum: 0 }) }, { description: 'Spec.' }),
  status: fields('WidgetStatus', {}, { description: 'Status.' }),
};
const group = KINDS.find(kind => kind.kind === 'MCPGroup') as KindDefinition;
const head = { apiVersion: 'lintel.dev/v1beta1', kind: 'Widget', metadata: { name: 'a' } };

describe('one kind', () => {
  const valid = compile(buildJsonSchema(widget));
  const ROWS: readonly (readonly [name: string, document: unknown, accepted: boolean])[] = [
    ['a full document', { ...head, spec: { size: 1 }, status: {} }, true],
    ['the deprecated API version', { ...head, apiVersion: 'lintel.dev/v1alpha1', spec: { size: 1 } }, true],
    ['the other accepted API group', { ...head, apiVersion: 'toolhive.stacklok.dev/v1beta1', spec: { size: 1 } }, true],
    ['free metadata', { ...head, metadata: { name: 'a', uid: 'x', labels: { a: 'b' } }, spec: { size: 1 } }, true],
    ['no spec', head, false],
    ['no name', { ...head, metadata: {}, spec: { size: 1 } }, false],
    ['an unknown version', { ...head, apiVersion: 'lintel.dev/v2', spec: { size: 1 } }, false],
    ['another kind', { ...head, kind: 'Gadget', spec: { size: 1 } }, false],
    ['an unknown field on top', { ...head, spec: { size: 1 }, data: {} }, false],
    ['an unknown field in the spec', { ...head, spec: { size: 1, sice: 1 } }, false],
    ['a label that is not a string', { ...head, metadata: { name: 'a', labels: { a: 1 } }, spec: { size: 1 } }, false],
    ['a number at its exclusive bound', { ...head, spec: { size: 0 } }, false],
  ];
  test.each(ROWS)('the JSON schema of a kind accepts or refuses a document: %s', (_, document, accepted) =>
    expect(valid(document)).toBe(accepted),
  );
});

describe('all kinds', () => {
  const valid = compile(buildAllSchema([widget, group]));
  const ROWS: readonly (readonly [name: string, document: unknown, accepted: boolean])[] = [
    ['a valid widget', { ...head, spec: { size: 1 } }, true],
    ['a valid group', { ...head, kind: 'MCPGroup' }, true],
    ['an invalid widget', { ...head, spec: { size: 'big' } }, false],
    ['an unknown kind of Lintel', { ...head, kind: 'Widgit' }, false],
    ['an unknown version of Lintel', { ...head, apiVersion: 'lintel.dev/v2', spec: { size: 1 } }, false],
    ['a foreign document', { apiVersion: 'v1', kind: 'Secret', data: {} }, true],
    ['a foreign kind of the same name', { apiVersion: 'kagent.dev/v1', kind: 'Widget', spec: {} }, true],
    ['no kind', { apiVersion: 'v1' }, false],
  ];
  test.each(ROWS)('the JSON schema of all kinds accepts or refuses a document: %s', (_, document, accepted) =>
    expect(valid(document)).toBe(accepted),
  );
});

/** The schema of all kinds, which takes a second to compile. */
let compiledAll: ValidateFunction | undefined;
const validateAll = () => {
  compiledAll ??= compile(buildAllSchema(KINDS));
  return compiledAll;
};

test.each([
  ['lintel.dev/v1beta1', true],
  ['lintel.dev/v1alpha1', true],
  ['toolhive.stacklok.dev/v1beta1', false],
])('the JSON schemas accept a GatewaySource of %s: %s', (apiVersion, accepted) => {
  const source = KINDS.find(({ kind }) => kind === 'GatewaySource') ?? expect.fail();
  const document = {
    apiVersion,
    kind: source.kind,
    metadata: { name: 'a' },
    spec: { url: 'https://git.example.com/a.git' },
  };
  expect([compile(buildJsonSchema(source))(document), validateAll()(document)]).toEqual([accepted, accepted]);
});

const FIELDS: readonly (readonly [name: string, schema: unknown, expected: unknown])[] = [
  ['nullable', { type: 'string', nullable: true, enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
  ['integer or string', { 'x-kubernetes-int-or-string': true }, { anyOf: [{ type: 'integer' }, { type: 'string' }] }],
  ['free-form', { 'x-kubernetes-preserve-unknown-fields': true, description: 'x' }, { description: 'x' }],
  [
    'a map',
    { type: 'object', additionalProperties: { type: 'string' } },
    { type: 'object', additionalProperties: { type: 'string' } },
  ],
  [
    'an open object with fields',
    { type: 'object', title: 'T', properties: { a: { type: 'string' } }, 'x-kubernetes-preserve-unknown-fields': true },
    { type: 'object', properties: { a: { type: 'string' } } },
  ],
  [
    'a set',
    listSet(Type.String(), { description: 'x' }),
    { type: 'array', description: 'x', items: { type: 'string' }, uniqueItems: true },
  ],
  [
    'a deprecated field',
    { type: 'boolean', deprecated: true, default: false, 'x-lintel-unit': 'u' },
    { type: 'boolean', deprecated: true, default: false },
  ],
];
test.each(FIELDS)('a field of a kind becomes its JSON schema: %s', (_, schema, expected) => {
  expect(toPublicSchema(toStructural(schema, 'K'))).toEqual(expected);
});

test('the published JSON schemas contain no keywords of Kubernetes or Lintel', () => {
  const rows = listMap(
    fields('Row', { id: Type.String({ 'x-lintel-ref': { kind: 'Secret' } }) }, { description: 'x' }),
    ['id'],
    {
      description: 'x',
    },
  );
  const text = JSON.stringify([toPublicSchema(toStructural(rows, 'K')), buildAllSchema(KINDS)]);
  expect(text).not.toMatch(/"x-(kubernetes|lintel)-/);
});

test.each(KINDS.map(kind => [kind.kind, buildJsonSchema(kind)] as const))(
  'the JSON schema of %s compiles under Ajv strict mode',
  (_, schema) => {
    expect(() => compile(schema)).not.toThrow();
  },
);

test('all.json compiles under Ajv strict mode without a network', () => {
  expect(() => validateAll()).not.toThrow();
});
