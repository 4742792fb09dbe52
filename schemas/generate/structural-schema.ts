/**
 * A field schema without TypeBox: the subset of JSON Schema that Kubernetes calls structural, plus Lintel's keywords. `generated/kinds.json`
 * holds such trees, and every generator reads them.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 */
export interface StructuralSchema {
  /** Absent only with `x-kubernetes-int-or-string` or `x-kubernetes-preserve-unknown-fields`. */
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  /** Name of the generated TypeScript type; every object with `properties` has one. */
  readonly title?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  /** An ECMAScript pattern, not anchored; restricted to the syntax that RE2, which the API server uses, shares. */
  readonly pattern?: string;
  /** The minimum length in Unicode code points, in which `maxLength` counts too. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  /** All fields of the object, unless `x-kubernetes-preserve-unknown-fields` allows more. */
  readonly properties?: { readonly [name: string]: StructuralSchema };
  /** Schema of a map's values; never together with `properties`. */
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message?: string }[];
  /** The kind of the object that this string names. */
  readonly 'x-lintel-ref'?: { readonly kind: string };
  /** The unit of a number or a string, such as `duration`. */
  readonly 'x-lintel-unit'?: string;
  /** The form that `pattern` demands, in words. */
  readonly 'x-lintel-form'?: string;
  /** An example of a text that satisfies `pattern`. */
  readonly 'x-lintel-example'?: string;
  /** Set when the value must not appear in messages. */
  readonly 'x-lintel-sensitive'?: boolean;
  /** A string or a list of strings, which no structural type can express. */
  readonly 'x-lintel-string-or-strings'?: boolean;
  readonly [keyword: `x-lintel-${string}`]: unknown;
}

/** A schema with its dotted path, such as `MCPGroup.spec.description` or `...backends[].name` or `...labels.*`. */
export interface PlacedSchema {
  readonly path: string;
  readonly schema: StructuralSchema;
}

/** The schemas directly below `schema`: its properties in order, its items, its map values. */
export function listChildren({ path, schema }: PlacedSchema): PlacedSchema[] {
  return [
    ...Object.entries(schema.properties ?? {}).map(([name, child]) => ({ path: `${path}.${name}`, schema: child })),
    ...(schema.items ? [{ path: `${path}[]`, schema: schema.items }] : []),
    ...(schema.additionalProperties ? [{ path: `${path}.*`, schema: schema.additionalProperties }] : []),
  ];
}

/** Every schema of a tree in document order, its root first. */
export function* walk(root: PlacedSchema): Generator<PlacedSchema> {
  yield root;
  for (const child of listChildren(root)) yield* walk(child);
}

/** Keywords that constrain a value and have the same meaning in JSON Schema, in the order of the output. */
export const CONSTRAINTS = [
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
] as const satisfies readonly (keyof StructuralSchema)[];
