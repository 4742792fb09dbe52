import { type TSchema, Type } from 'typebox';
import { type FieldOptions, mapOf } from '../kinds/define.ts';

/** A file that the server reads; a relative path would depend on the folder in which it was started. */
export function filePath(options: FieldOptions): TSchema {
  return Type.String({ pattern: '^/', ...options });
}

/** Claims by name, each with the value or the values that count. */
export function claims(options: FieldOptions): TSchema {
  return mapOf(
    Type.Unsafe({
      description: 'One value, or several of which any will do.',
      'x-kubernetes-preserve-unknown-fields': true,
      'x-lintel-string-or-strings': true,
    }),
    options,
  );
}
