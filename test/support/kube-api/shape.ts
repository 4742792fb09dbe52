/** The structure of objects for merging: which lists have keys, and which parts are atomic. */
import type { JsonObject, JsonValue } from './json.ts';

export type Shape =
  /** `any`: maps are merged, lists are one value. */
  | 'any'
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'int-or-string'
  /** A named shape of `generated/types.json`. */
  | { readonly ref: string; readonly atomic?: boolean }
  | MapShape
  | ListShape;

export interface MapShape {
  readonly fields: { readonly [name: string]: Shape };
  /** The shape of all other members; without it there are none. */
  readonly rest?: Shape;
  /** Whether the map is one value, which is changed as a whole. */
  readonly atomic?: boolean;
}

/** The shape of a list. Without `keys` and `set` it is one value, which is changed as a whole. */
export interface ListShape {
  readonly items: Shape;
  readonly keys?: readonly string[];
  readonly keyDefaults?: { readonly [key: string]: JsonValue };
  readonly set?: boolean;
}

export type Shapes = { readonly [name: string]: Shape };

/** Follows `ref`: the structure of an object of the shape. */
export function resolve(shape: Shape, shapes: Shapes): Exclude<Shape, { ref: string }> {
  if (typeof shape === 'string' || !('ref' in shape)) return shape;
  const target = shapes[shape.ref];
  if (target === undefined) throw new Error(`there is no shape ${shape.ref}`);
  const found = resolve(target, shapes);
  return shape.atomic === true && typeof found === 'object' ? { ...found, atomic: true } : found;
}

/** The shape of a custom resource from the schema in its CRD; `metadata` at the root has the shape that it has in all objects. */
export function shapeOfCustomResource(schema: JsonObject): Shape {
  const shape = shapeOfSchema(schema);
  if (typeof shape !== 'object' || !('fields' in shape)) return shape;
  const metadata = { ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };
  return { ...shape, fields: { ...shape.fields, apiVersion: 'string', kind: 'string', metadata } };
}

function shapeOfSchema(schema: JsonObject): Shape {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object': {
      const properties = schema.properties as { readonly [name: string]: JsonObject } | undefined;
      const additional = schema.additionalProperties;
      if (properties === undefined && additional === undefined) return open ? 'any' : { fields: {} };
      const rest =
        typeof additional === 'object'
          ? shapeOfSchema(additional as JsonObject)
          : open || additional
            ? 'any'
            : undefined;
      return {
        fields: Object.fromEntries(
          Object.entries(properties ?? {}).map(([name, field]) => [name, shapeOfSchema(field)]),
        ),
        ...(rest !== undefined && { rest }),
        ...(schema['x-kubernetes-map-type'] === 'atomic' && { atomic: true }),
      };
    }
    case 'array': {
      const item = (schema.items ?? {}) as JsonObject;
      const items = shapeOfSchema(item);
      if (schema['x-kubernetes-list-type'] === 'set') return { items, set: true };
      const keys = schema['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
      if (schema['x-kubernetes-list-type'] !== 'map' || keys === undefined) return { items };
      const properties = (item.properties ?? {}) as { readonly [name: string]: JsonObject };
      const keyDefaults = Object.fromEntries(
        keys.flatMap(key => (properties[key]?.default === undefined ? [] : [[key, properties[key].default]])),
      );
      return { items, keys, ...(Object.keys(keyDefaults).length > 0 && { keyDefaults }) };
    }
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return schema.type;
    default:
      return 'any';
  }
}
