import { type TSchema, Type } from 'typebox';
import { type FieldOptions, type Form, form, record } from '../kinds/define.ts';

/** A file that the server reads. Absolute, because a relative path would depend on the working directory. */
export function filePath(options: FieldOptions): TSchema {
  return Type.String({ ...form('^/', 'an absolute path', '/etc/lintel/secrets/registry/token'), ...options });
}

/** A DNS label: the name of a source or a server. */
export function label(example: string): Form {
  const words = 'lower-case letters, digits and hyphens, at most 63, but no hyphen at an end';
  return form('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$', words, example);
}

/** Claims by name, each with the accepted value or values. */
export function claims(options: FieldOptions): TSchema {
  return record(
    Type.Unsafe({
      description: 'One value, or a list of values, of which the caller needs one.',
      'x-kubernetes-preserve-unknown-fields': true,
      'x-lintel-string-or-strings': true,
    }),
    options,
  );
}
