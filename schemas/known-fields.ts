import fields from './generated/cdk8s/fields.json' with { type: 'json' };

/** The shape of one value: `''` has no known fields, a name is a type of `types`, `[]` before a shape is a list of it, and `{}` a map. */
export type Shape = string;

export interface KnownFields {
  /** The shape of the spec, by kind. */
  readonly specs: { readonly [kind: string]: Shape };
  readonly types: { readonly [name: string]: { readonly [field: string]: Shape } };
}

/** The fields of all specs, at every depth. */
export const KNOWN_FIELDS: KnownFields = fields;
