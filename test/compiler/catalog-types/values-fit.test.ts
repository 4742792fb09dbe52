import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTypes } from '../../../compiler/analysis/catalog/index.ts';
import { typeErrors } from '../../support/type-check.ts';
import { createLock } from './lock.ts';

/** A schema and values that satisfy it, generated together, because independent values would hardly ever fit. */
interface Pair {
  readonly schema: unknown;
  readonly value: fc.Arbitrary<unknown>;
}

const names = fc.constantFrom('a', 'b', 'c-d', 'type', '1', 'é');
const leaf: fc.Arbitrary<Pair> = fc.oneof(
  fc.constant({ schema: { type: 'string', minLength: 0 }, value: fc.string() }),
  fc.constant({ schema: { type: 'integer' }, value: fc.integer() }),
  fc.constant({
    schema: { type: 'number' },
    value: fc.double({ noNaN: true, noDefaultInfinity: true }).map(n => n + 0),
  }),
  fc.constant({ schema: { type: 'boolean' }, value: fc.boolean() }),
  fc.constant({ schema: { type: ['string', 'null'] }, value: fc.option(fc.string()) }),
  fc.constant({ schema: true, value: fc.jsonValue() }),
  fc.constant({ schema: { type: 'string', nullable: true }, value: fc.option(fc.string()) }),
  fc
    .uniqueArray(fc.jsonValue({ maxDepth: 1 }), {
      minLength: 1,
      maxLength: 3,
      comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b),
    })
    .map(values => ({
      schema: { enum: values },
      value: fc.constantFrom(...values),
    })),
  fc.jsonValue({ maxDepth: 2 }).map(value => ({ schema: { const: value }, value: fc.constant(value) })),
);

const pair = fc.letrec<{ pair: Pair }>(tie => ({
  pair: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    tie('pair').map(({ schema, value }) => ({
      schema: { type: 'array', items: schema },
      value: fc.array(value, { maxLength: 2 }),
    })),
    fc.tuple(tie('pair'), tie('pair'), fc.nat(2), fc.boolean()).map(([first, second, least, isClosed]) => ({
      schema: {
        type: 'array',
        prefixItems: [first.schema, second.schema],
        minItems: least,
        items: isClosed ? false : { type: 'string' },
      },
      value: fc
        .tuple(first.value, second.value, fc.integer({ min: least, max: 3 }))
        .map(([a, b, length]) => [a, b, ...(isClosed ? [] : ['more'])].slice(0, Math.max(least, length))),
    })),
    fc.tuple(tie('pair'), tie('pair'), fc.constantFrom('anyOf', 'oneOf')).map(([first, second, word]) => ({
      schema: { [word]: [first.schema, second.schema] },
      value: fc.oneof(first.value, second.value),
    })),
    objects(fc.dictionary(names, tie('pair'), { maxKeys: 3 }), tie('pair')),
    fc
      .tuple(
        objects(fc.dictionary(fc.constantFrom('a', 'b'), tie('pair'), { minKeys: 1 }), fc.constant(undefined)),
        objects(fc.dictionary(fc.constantFrom('x', 'y'), tie('pair'), { minKeys: 1 }), fc.constant(undefined)),
      )
      .map(([first, second]) => ({
        schema: { allOf: [first.schema, second.schema] },
        value: fc.tuple(first.value, second.value).map(([a, b]) => ({ ...(a as object), ...(b as object) })),
      })),
  ),
})).pair;

/** References start at the root of a schema, so this one is never nested. */
const recursive: fc.Arbitrary<Pair> = pair.map(({ schema, value }) => ({
  schema: {
    type: 'object',
    properties: { left: { $ref: '#/$defs/node' }, leaf: { $ref: '#/$defs/leaf' } },
    $defs: {
      leaf: schema,
      node: {
        type: 'object',
        properties: { next: { $ref: '#/$defs/node' }, values: { type: 'array', items: { type: 'string' } } },
      },
    },
  },
  value: value.map(leaf => ({ left: { next: { next: {} }, values: ['a'] }, leaf })),
}));

function objects(
  members: fc.Arbitrary<Record<string, Pair>>,
  other: fc.Arbitrary<Pair | undefined>,
): fc.Arbitrary<Pair> {
  return fc
    .tuple(members, fc.array(names, { maxLength: 2 }), other, fc.constantFrom('none', 'closed', 'open', 'typed'))
    .map(([pairs, wanted, more, kind]) => {
      const required = wanted.filter(name => Object.hasOwn(pairs, name));
      const additional = { none: undefined, closed: false, open: true, typed: more?.schema }[kind];
      const extra =
        kind === 'open'
          ? fc.constant({ other: 1 })
          : kind === 'typed' && more !== undefined
            ? more.value.map(value => ({ other: value }))
            : fc.constant({});
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(Object.entries(pairs).map(([name, { schema }]) => [name, schema])),
          required: [...new Set(required)],
          ...(additional !== undefined && { additionalProperties: additional }),
        },
        value: fc
          .tuple(
            fc.record(Object.fromEntries(Object.entries(pairs).map(([name, { value }]) => [name, value])), {
              requiredKeys: required,
              noNullPrototype: true,
            } as never),
            extra,
          )
          .map(([own, others]) => ({ ...(own as object), ...(others as object) })),
      };
    });
}

test('a value that a JSON schema accepts has the TypeScript type generated from the schema', () => {
  const ajv = new Ajv2020({ strict: false });
  const withValues = ({ schema, value }: Pair) =>
    fc.tuple(fc.constant(schema), fc.array(value, { minLength: 1, maxLength: 3 }));
  const several = { numRuns: 400, seed: 11 };
  const samples = [
    ...fc.sample(pair.chain(withValues), several),
    ...fc.sample(recursive.chain(withValues), { ...several, numRuns: 50 }),
  ]
    // Output schemas must be objects.
    .filter(([schema]) => typeof schema === 'object');
  const tools = samples.map(([outputSchema], index) => ({ name: `t${index}`, outputSchema }));
  const uses = samples.flatMap(([schema, values], index) => {
    const isValid = ajv.compile(schema as object);
    const valid = values.filter(value => fits(isValid, value));
    return valid.map((value, count) => ({
      schema,
      line: `export const v${index}_${count}: lock.BT${index}Output = ${JSON.stringify(value)};`,
    }));
  });
  const app = [`import type * as lock from './lock.ts';`, ...uses.map(({ line }) => line)].join('\n');
  const texts = { 'lock.ts': formatTypes(createLock({ 'a/MCPServer/b': tools })), 'app.ts': app };
  const errors = typeErrors(texts, { library: 'compiler/cdk8s/tool.ts' });
  // Each with its subject.
  expect(errors.map(error => [error, uses[Number(/:(\d+)/.exec(error)?.[1]) - 2]])).toEqual([]);
  expect(uses.length).toBeGreaterThan(500);
}, 300_000);

/** ajv compares objects by `valueOf`, which may be a member of the value. */
function fits(isValid: (value: unknown) => boolean, value: unknown): boolean {
  try {
    return isValid(value);
  } catch {
    return false;
  }
}
