import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#schemas';
import { type InputSpec, toJsonSchema } from '../../cdk8s/workflow/fields.ts';
import type { Path } from '../../source/source-document.ts';
import { NotRepresentable } from '../constructs/not-representable.ts';
import { type Code, type CommentedMember, plain } from '../typescript/code.ts';
import { formatStringLiteral } from '../typescript/literal.ts';
import type { ValueWriter } from '../value-code.ts';

const WORDS = ['string', 'number', 'integer', 'boolean'];

/**
 * The code for the JSON Schema of an input or a form: the short notation if it expresses everything, otherwise the schema itself.
 *
 * @throws NotRepresentable
 */
export function emitFields(schema: unknown, path: Path, writer: ValueWriter): Code {
  if (!isObject(schema) || schema.type !== 'object')
    throw new NotRepresentable('the schema of an input or a form does not have the type `object`.');
  // A schema object of another library, such as zod, has this member. The constructs would take this JSON Schema for one.
  if (Object.hasOwn(schema, '~standard'))
    throw new NotRepresentable('the schema of an input or a form has the keyword `~standard`.');
  const fields =
    isObject(schema.properties) && !Object.hasOwn(schema.properties, '~standard')
      ? shortenFields(schema.properties, schema.required)
      : undefined;
  const isSame = fields !== undefined && isDeepStrictEqual(toJsonSchema(fields as InputSpec), schema);
  if (!isSame) return writer.value(schema, path);
  const members = Object.entries(fields).map(([key, field]): CommentedMember => {
    const at = [...path, 'properties', key];
    return typeof field === 'string'
      ? writer.member(key, plain(formatStringLiteral(field)), at)
      : writer.field(key, field, at);
  });
  return { type: 'object', members };
}

function shortenFields(properties: Readonly<Record<string, unknown>>, required: unknown): Record<string, unknown> {
  const names = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const word = findWord(schema);
      return [name, word === undefined ? schema : `${word}${names.includes(name) ? '' : '?'}`];
    }),
  );
}

function findWord(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const { type, items, ...others } = schema;
  if (Object.keys(others).length > 0) return undefined;
  if (items === undefined) return WORDS.find(word => word === type);
  const word = type === 'array' ? findWord(items) : undefined;
  return word === undefined || word.endsWith('[]') ? undefined : `${word}[]`;
}
