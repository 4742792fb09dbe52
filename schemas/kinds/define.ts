/**
 * The functions that kinds are defined with. Next to plain JSON Schema keywords, a schema may have
 * - Kubernetes' own keywords (`x-kubernetes-validations`, `x-kubernetes-list-type`, ...), which are copied into the CRD;
 * - `deprecated: true`, for which the compiler warns;
 * - the `x-lintel-*` keywords below, which the compiler reads and the CRD omits.
 */
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';

/** A CEL rule that the API server evaluates at admission (`x-kubernetes-validations`). */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
}

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date' | 'boolean';
  readonly jsonPath: string;
  readonly description?: string;
}

/** One kind of the API group; all kinds are namespaced and have a status subresource. */
export interface KindDefinition {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly printerColumns: readonly PrinterColumn[];
  /** Whether `spec` is required. In the reference project only VirtualMCPServer and MCPRegistry require it. */
  readonly specRequired: boolean;
  readonly spec: TObject;
  readonly status: TObject;
}

/** A file that is not an object of the API group: a document without API version, kind and metadata. */
export interface FileDefinition {
  /** The id of its JSON Schema, such as `lock` for `json/lock.json`. */
  readonly id: string;
  /** The title of its JSON Schema, shown to readers; the title of `schema` names the type. */
  readonly title: string;
  readonly schema: TObject & { readonly title: string };
}

/** `x-lintel-ref`: the kind that a field refers to. The compiler resolves it in the object's own namespace. */
export interface ReferenceKeyword {
  readonly kind: string;
}

/** Bounds of a list's length, in items. */
export interface ArrayBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** The form of a string: as a pattern, as words for messages, and as an example for help. */
export interface Form {
  readonly pattern: string;
  readonly 'x-lintel-form': string;
  readonly 'x-lintel-example': string;
}

/**
 * @param words a description of the form, such as `an https URL`; messages append it to "expected"
 * @param example a text of that form
 */
export function form(pattern: string, words: string, example: string): Form {
  return { pattern, 'x-lintel-form': words, 'x-lintel-example': example };
}

/** An identifier, as claims and environment variables have. */
export function identifier(example: string): Form {
  return form('^[A-Za-z_][A-Za-z0-9_]*$', 'a name of letters, digits and underscores, no digit first', example);
}

/** Options of every field: its description is its reference documentation. */
export interface FieldOptions {
  readonly description: string;
  readonly deprecated?: true;
  readonly default?: unknown;
}

/** An object with exactly these fields; an unknown field is an error. `title` names the generated TypeScript type. */
export function fields(
  title: string,
  properties: TProperties,
  options: { readonly description: string; readonly rules?: readonly CelRule[]; readonly deprecated?: true },
): TObject & { readonly title: string } {
  const { rules, ...rest } = options;
  const all = { title, ...rest, ...(rules ? { 'x-kubernetes-validations': rules } : {}) };
  return Object.assign(Type.Object(properties, all), { title });
}

/** The same schema with other options, for a shared block with a narrower meaning here. */
export function refined(schema: TSchema, options: Record<string, unknown>): TSchema {
  return Type.Unsafe({ ...schema, ...options });
}

/** A string from a closed set. */
export function oneOf(values: readonly string[], options: FieldOptions): TSchema {
  return Type.Unsafe({ type: 'string', enum: [...values], ...options });
}

/** A map from any key to values of one schema. */
export function record(value: TSchema, options: FieldOptions & { readonly maxProperties?: number }): TSchema {
  return Type.Unsafe({ type: 'object', additionalProperties: value, ...options });
}

/** Any value below this point (`x-kubernetes-preserve-unknown-fields`); `type` restricts at least the top. */
export function freeForm(options: FieldOptions & { readonly type?: 'object' }): TSchema {
  return Type.Unsafe({ ...options, 'x-kubernetes-preserve-unknown-fields': true });
}

/** A list whose items are unique by `keys` (`x-kubernetes-list-type: map`). */
export function listMap(item: TSchema, keys: readonly string[], options: FieldOptions & ArrayBounds): TSchema {
  return Type.Array(item, { ...options, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] });
}

/** A list of distinct scalars (`x-kubernetes-list-type: set`). */
export function listSet(item: TSchema, options: FieldOptions & ArrayBounds): TSchema {
  return Type.Array(item, { ...options, 'x-kubernetes-list-type': 'set' });
}

/** A string field that names another object in the same namespace. The compiler resolves it. */
export function objectRef(kind: string, options: FieldOptions & { readonly minLength?: number }): TSchema {
  return Type.String({ ...options, 'x-lintel-ref': { kind } satisfies ReferenceKeyword });
}
