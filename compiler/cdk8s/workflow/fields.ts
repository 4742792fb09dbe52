/** The input of a workflow or the form of a question: a JSON Schema, or a shorter notation. */
import type { ValueKind } from '../tool.ts';
import type { FromSchema } from './json-type.ts';

type Word = 'string' | 'number' | 'integer' | 'boolean' | 'string[]' | 'number[]' | 'integer[]' | 'boolean[]';

/** The JSON Schema of one field. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

/** Fields by name: a type name, with `?` when optional, or a schema. */
export interface Fields {
  readonly [name: string]: Word | `${Word}?` | FieldSchema;
}

/** A whole JSON Schema. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties?: object;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/**
 * The interface of schema libraries such as zod.
 * @see https://standardschema.dev/json-schema
 */
export interface StandardJsonSchema<T = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly jsonSchema: {
      input(options: { readonly target: 'draft-2020-12' }): Record<string, unknown>;
    };
    readonly types?: { readonly input: T } | undefined;
  };
}

/** Every form in which a program can describe an input. */
export type InputSpec = Fields | ObjectSchema | StandardJsonSchema;

/** The type of the values. */
export type ValuesOf<I> =
  I extends StandardJsonSchema<infer T>
    ? T
    : I extends { readonly type: 'object' }
      ? FromSchema<I>
      : { readonly [K in keyof I as I[K] extends `${string}?` ? never : K]: FieldType<I[K]> } & {
          readonly [K in keyof I as I[K] extends `${string}?` ? K : never]?: FieldType<I[K]>;
        };

type FieldType<F> = F extends `${infer W}?`
  ? FieldType<W>
  : F extends `${infer W}[]`
    ? readonly WordType<W>[]
    : F extends string
      ? WordType<F>
      : FromSchema<F>;
type WordType<W> = W extends 'string' ? string : W extends 'boolean' ? boolean : number;

/** Converts to a JSON Schema. */
export function toJsonSchema(spec: InputSpec): Readonly<Record<string, unknown>> {
  if (isStandard(spec)) {
    const { $schema: _, ...schema } = spec['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    return schema;
  }
  if (isObjectSchema(spec)) return plain(spec);
  const entries = Object.entries(spec);
  const properties = Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(name, field)]));
  // A field with a default is optional.
  const required = entries.filter(([, field]) =>
    typeof field === 'string' ? !field.endsWith('?') : !('default' in field),
  );
  return { type: 'object', properties, ...(required.length > 0 && { required: required.map(([name]) => name) }) };
}

function fieldSchema(name: string, field: Fields[string]): object {
  if (typeof field !== 'string') return plain(field);
  const [, word, list] = /^(string|number|integer|boolean)(\[\])?\??$/.exec(field) ?? [];
  if (word === undefined) throw new TypeError(`"${name}" is not a string, number, integer or boolean, but "${field}"`);
  return list === undefined ? { type: word } : { type: 'array', items: { type: word } };
}

/** A copy without values that JSON lacks, such as `undefined`, so that later changes by the program have no effect. */
function plain<T extends object>(value: T): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(value));
}

function isStandard(spec: InputSpec): spec is StandardJsonSchema {
  return '~standard' in spec;
}

function isObjectSchema(spec: Fields | ObjectSchema): spec is ObjectSchema {
  return spec.type === 'object';
}

/** The type of a schema's values at run time, where certain. */
export function inferKind(schema: unknown): ValueKind | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { type, items, properties, nullable, enum: choices } = schema as Readonly<Record<string, unknown>>;
  if (nullable === true) return undefined;
  // Schemas with `enum` often omit `type`.
  if (Array.isArray(choices)) return choices.every(value => typeof value === 'string') ? 'string' : undefined;
  switch (type) {
    case 'string':
    case 'boolean':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const kind = inferKind(items);
      return kind === undefined ? 'json' : [kind];
    }
    case 'object':
      return Object.fromEntries(
        Object.entries(properties ?? {}).flatMap(([name, property]) => {
          const kind = inferKind(property);
          return kind === undefined ? [] : [[name, kind]];
        }),
      );
    default:
      return undefined;
  }
}
