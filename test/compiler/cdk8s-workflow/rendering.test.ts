/** Templates that the constructs generate from values give the same values when the real evaluator evaluates them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTemplate } from '../../../compiler/analysis/templates/index.ts';
import { bindTools, type Ref, type Reference, t, Value, type ValueKind } from '../../../compiler/cdk8s/index.ts';
import { Condition, conditionText } from '../../../compiler/cdk8s/workflow/condition.ts';
import { createReference, requireExpression, selectField } from '../../../compiler/cdk8s/workflow/expression.ts';
import { argument } from '../../../compiler/cdk8s/workflow/template/argument.ts';
import { TemplateWriter } from '../../../compiler/cdk8s/workflow/template/writer.ts';
import { evaluateTemplate } from '../../../runtime/gateway/workflow/template/index.ts';
import { anyCharacter } from '../../support/any-character.ts';

const SCOPE = { workflow: {}, steps: [] };

/** A reference to `.params`, with or without a known kind of value. */
function params<T>(kind?: ValueKind): Ref<T> {
  const base = { type: 'scope', path: ['params'] } as const;
  return createReference({ type: 'expression', base, fields: [], kind, origin: SCOPE }) as Ref<T>;
}

function evaluate(template: string, value: unknown): string {
  const parsed = parseTemplate(template);
  if (!('tree' in parsed)) throw new Error(`${template}: ${JSON.stringify(parsed.errors)}`);
  return evaluateTemplate(parsed.tree, { params: value });
}

/** The value to which a run converts a text, by the type that the tool expects. */
function converted(text: string, value: unknown): unknown {
  return typeof value === 'string' ? text : JSON.parse(text);
}

const braces = fc.constantFrom(
  '{',
  '{{',
  '}}',
  '{{.params.a}}',
  '{{-',
  '-}}',
  '"',
  '`',
  '\\',
  '\n',
  '{{/* */}}',
  '$',
  ' ',
);
const literal = fc
  .oneof(
    fc.string({ unit: anyCharacter, maxLength: 8 }),
    fc.array(fc.oneof(braces, fc.string({ maxLength: 3 })), { maxLength: 6 }).map(parts => parts.join('')),
  )
  .map(text => text.toWellFormed());
const name = fc.oneof(
  fc.constantFrom('a', 'odd-name', 'with.dot', '日本', '0x', '{{', '"', 'constructor'),
  literal.filter(text => !/^(0|[1-9]\d*)$/.test(text)),
);
const scalar = fc.oneof(
  literal,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(n => n + 0),
  fc.integer(),
  fc.constantFrom(1234567, 12345678901, 1e21, 1e-7),
  fc.boolean(),
);
const json = fc.letrec(tie => ({
  json: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(name, tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json;

/** The kind of a value, as a schema would state it; undefined without a schema. */
function kindOf(value: unknown, isTold: boolean): ValueKind | undefined {
  if (!isTold || value === null) return undefined;
  if (typeof value === 'object') return 'json';
  return typeof value as 'string';
}

const runs = { numRuns: 500, seed: 5 };

test('a step argument that is a single reference keeps the type of its value', () => {
  fc.assert(
    fc.property(
      json.filter(value => value !== null),
      name,
      fc.boolean(),
      (value, field, isTold) => {
        const kind = kindOf(value, isTold);
        const reference = params<Record<string, unknown>>(kind === undefined ? {} : { [field]: kind })[
          field
        ] as Reference<unknown>;
        const template = argument(reference);
        expect(converted(evaluate(String(template), { [field]: value }), value)).toEqual(value);
      },
    ),
    runs,
  );
});

test('a text with references renders to a template that keeps the text and prints the values', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(literal, scalar, fc.boolean()), { maxLength: 4 }), literal, (parts, end) => {
      const values = Object.fromEntries(parts.map(([, value], index) => [`v${index}`, value]));
      const kinds = Object.fromEntries(
        parts.flatMap(([, value, isTold], index) => (isTold ? [[`v${index}`, kindOf(value, true) as ValueKind]] : [])),
      );
      const source = params<Record<string, string>>(kinds);
      const strings = [...parts.map(([text]) => text), end];
      const text = t(
        Object.assign([...strings], { raw: strings }) as unknown as TemplateStringsArray,
        ...parts.map((_, index) => source[`v${index}`] as Reference<string>),
      );
      const expected =
        parts.map(([text, value]) => `${text}${typeof value === 'string' ? value : JSON.stringify(value)}`).join('') +
        end;
      expect(evaluate(String(argument(text)), values)).toBe(expected);
    }),
    runs,
  );
});

test('a literal string in a step argument reaches the tool unchanged, template syntax included', () => {
  fc.assert(
    fc.property(literal, text => {
      expect(evaluate(String(argument(text)), {})).toBe(text);
    }),
    runs,
  );
});

test('lists and objects in a step argument keep the references and texts inside of them', () => {
  fc.assert(
    fc.property(json, fc.array(fc.tuple(literal, json), { maxLength: 3 }), (plain, others) => {
      const values = Object.fromEntries(others.map(([, value], index) => [`v${index}`, value]));
      const source = params<Record<string, unknown>>();
      const given = {
        plain,
        list: others.map(([text], index) => ({ [text || 'k']: source[`v${index}`], text: t`${text}!` })),
      };
      const expected = { plain, list: others.map(([text, value]) => ({ [text || 'k']: value, text: `${text}!` })) };
      const rendered = argument(given);
      // A list that contains no values is a literal.
      expect(typeof rendered === 'string' ? JSON.parse(evaluate(rendered, values)) : rendered).toEqual(
        JSON.parse(JSON.stringify(expected)),
      );
    }),
    runs,
  );
});

test('a reference to a nested field renders to a template that reads the field, whatever the names on its path are', () => {
  fc.assert(
    fc.property(json, fc.array(fc.oneof(name, fc.nat(2)), { maxLength: 5 }), (leaf, path) => {
      const value = path.reduceRight<unknown>(
        (below, step) => (typeof step === 'number' ? [...Array(step).fill(null), below] : { [step]: below }),
        leaf,
      );
      const end = path.reduce(
        (expression, step) => selectField(expression, String(step)),
        selectField(requireExpression(params()), 'x'),
      );
      const rendered = new TemplateWriter().json([end]);
      expect(JSON.parse(evaluate(rendered, { x: value }))).toEqual(leaf);
    }),
    runs,
  );
});

test('a default value replaces a value of which any part of the path is missing', () => {
  fc.assert(
    fc.property(
      json.filter(value => value !== null),
      fc.array(fc.oneof(name, fc.nat(2)), { minLength: 1, maxLength: 4 }),
      fc.nat(4),
      fc.constantFrom('gone', 'null'),
      json.filter(value => value !== null),
      (leaf, path, cut, how, otherwise) => {
        const full = path.reduceRight<unknown>(
          (below, step) => (typeof step === 'number' ? [...Array(step).fill(null), below] : { [step]: below }),
          leaf,
        );
        const broken = path
          .slice(0, cut)
          .reduceRight<unknown>(
            (below, step) =>
              typeof step === 'number'
                ? [...Array(step).fill(null), ...(below === undefined ? [] : [below])]
                : below === undefined
                  ? {}
                  : { [step]: below },
            how === 'gone' ? undefined : null,
          );
        const end = path.reduce(
          (expression, step) => selectField(expression, String(step)),
          selectField(requireExpression(params()), 'x'),
        );
        const value = Value.withDefault(createReference(end) as Reference<unknown>, otherwise as object);
        const rendered = new TemplateWriter().json([requireExpression(value)]);
        expect(JSON.parse(evaluate(rendered, { x: full }))).toEqual(leaf);
        const isCut = cut < path.length;
        expect(JSON.parse(evaluate(rendered, { x: isCut ? broken : full }))).toEqual(isCut ? otherwise : leaf);
      },
    ),
    runs,
  );
});

const OPERATIONS = {
  eq: (a: number | string, b: number | string) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
} satisfies Record<string, (a: number | string, b: number | string) => boolean>;

test('a condition renders to a template that prints exactly true or false', () => {
  // Go compares texts by bytes, JavaScript by UTF-16 units: for ASCII both agree.
  const ordered = fc.oneof(
    fc.tuple(fc.integer(), fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))),
    fc.tuple(fc.string(), fc.string()),
  );
  fc.assert(
    fc.property(
      ordered,
      fc.constantFrom(...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])),
      fc.boolean(),
      fc.boolean(),
      ([a, b], operation, flag, isReference) => {
        const source = params<{ a: number; b: number; flag: boolean }>();
        const compare = Condition[operation] as (typeof Condition)['gt'];
        const compared = compare(source.a, isReference ? source.b : (b as number));
        const judge = (condition: Condition | Reference<boolean>) => evaluate(conditionText(condition), { a, b, flag });
        const truth = OPERATIONS[operation](a, b);
        expect(judge(compared)).toBe(String(truth));
        expect(judge(source.flag)).toBe(String(flag));
        expect(judge(Condition.and(compared, source.flag))).toBe(String(truth && flag));
        expect(judge(Condition.or(source.flag, compared))).toBe(String(flag || truth));
        expect(judge(Condition.not(Condition.or(compared, Condition.not(source.flag))))).toBe(
          String(!(truth || !flag)),
        );
        expect(judge(Condition.exists(source.a))).toBe('true');
        expect(judge(Condition.exists((source as unknown as { z: Ref<{ y: string }> }).z.y))).toBe('false');
      },
    ),
    runs,
  );
});

test.each([
  ['a list', [1, 2, 3], '3'],
  ['a text, in bytes as Go counts', 'é', '2'],
])('Value.length renders to a template that prints the length of %s', (_, value, expected) => {
  const source = params<{ x: string }>();
  expect(evaluate(String(argument(Value.length(source.x))), { x: value })).toBe(expected);
  const condition = conditionText(Condition.ge(Value.length(source.x), 2));
  expect(evaluate(condition, { x: value })).toBe('true');
});

test('Value.fromJson renders to a template that reads a field of JSON in a text', () => {
  const source = params<{ x: string }>({ x: 'string' });
  const parsed = Value.fromJson<{ a: { b: number }[] }>(source.x);
  expect(evaluate(String(argument(parsed.a[0].b)), { x: '{"a":[{"b":12345678}]}' })).toBe('12345678');
  expect(evaluate(conditionText(Condition.eq(parsed.a[0].b, 5)), { x: '{"a":[{"b":5}]}' })).toBe('true');
});

test.each([
  ['a plain template literal', (ref: Ref<{ x: string }>) => `${ref.x}`],
  ['arithmetic', (ref: Ref<{ x: string }>) => Number(ref.x)],
  ['a spread', (ref: Ref<{ x: string }>) => ({ ...ref.x })],
  ['JSON.stringify', (ref: Ref<{ x: string }>) => JSON.stringify({ a: ref.x })],
])('a reference used in %s throws an error that says where references may be used', (_, use) => {
  expect(() => use(params())).toThrow(
    /^"params\.x" has a value only when the workflow runs: put it into t`…`, arguments or conditions$/,
  );
});

test.each([
  ['a function', () => 1],
  ['not a number', Number.NaN],
  ['a date', { at: new Date(0) }],
  ['a big integer', [1n]],
])('the workflow constructs throw a TypeError for a step argument that is %s', (_, value) => {
  expect(() => argument(value)).toThrow(TypeError);
});

test('bindTools offers tools of any name, `__proto__` included', () => {
  const tools = bindTools({
    key: 'k',
    name: 'b',
    toolNames: ['__proto__', 'a'],
    outputs: { a: 'string' },
  } as never) as unknown as Record<string, unknown>;
  expect(Object.keys(tools)).toEqual(['__proto__', 'a']);
  expect([tools.a, tools.toString]).toEqual([{ backend: 'b', name: 'a', output: 'string' }, undefined]);
});
