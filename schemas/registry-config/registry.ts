import { type TSchema, Type } from 'typebox';
import { fields, form, listSet } from '../kinds/define.ts';
import { claims } from './define.ts';

/** A named view over sources. */
export const registry: TSchema = fields(
  'RegistryView',
  {
    name: Type.String({
      // One segment of a URL: no character that needs encoding, and neither `.` nor `..`.
      ...form(
        '^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$',
        'letters, digits, ".", "_" and "-", with a letter or digit at both ends',
        'team-a',
      ),
      maxLength: 253,
      description: 'Name of the registry: the segment after `/registry/` in URLs.',
    }),
    sources: listSet(Type.String({ minLength: 1 }), {
      minItems: 1,
      description:
        "Names of sources in order of precedence. If two sources have an entry of the same name, the first source's entry is shown.",
    }),
    claims: Type.Optional(
      claims({
        description:
          'Claims that a caller must have to see the registry. With `auth.authz`, only super admins see a registry without claims, unless its path is public.',
      }),
    ),
  },
  { description: 'A registry: a named view of one or more sources.' },
);
