/** The schema of a pod template, generated from Kubernetes' OpenAPI, for a whole template and for a patch of another template. */
import type { StructuralSchema } from '#schemas';
import generated from './generated/schema.json' with { type: 'json' };

/** A generated schema: `$ref` names another definition. */
export interface PodSchema extends StructuralSchema {
  readonly $ref?: string;
  readonly properties?: { readonly [name: string]: PodSchema };
  readonly additionalProperties?: PodSchema;
  readonly items?: PodSchema;
  /** Strategic merge patch: items with the same value of this member are the same item. */
  readonly 'x-lintel-merge-key'?: string;
  /** Strategic merge patch: a list of plain values, merged as a set. */
  readonly 'x-lintel-merge-set'?: boolean;
}

export interface PodSchemas {
  /** The version of Kubernetes. */
  readonly version: string;
  /** The definition of a pod template. */
  readonly root: string;
  readonly definitions: { readonly [name: string]: PodSchema };
}

const SCHEMAS = generated as unknown as PodSchemas;

/** The version of Kubernetes that the schema was generated from, such as `v1.36.3`. */
export const KUBERNETES_VERSION: string = SCHEMAS.version;

/** Schemas whose references are resolved. This happens on first use: most specs have no pod template. */
const LINKED = new Map<string, PodSchema>();

/** The schema of a whole template. A null member counts as absent, as for the API server. */
export function getPodTemplateSchema(): PodSchema {
  return getDefinition(SCHEMAS.root, false);
}

/** The schema of a patch. Missing members may come from the template, except for merge keys; a list that is replaced contains whole items. */
export function getPodPatchSchema(): PodSchema {
  return getDefinition(SCHEMAS.root, true);
}

function getDefinition(name: string, isPatch: boolean): PodSchema {
  const key = `${name} ${isPatch}`;
  const known = LINKED.get(key);
  if (known !== undefined) return known;
  const linked = link(SCHEMAS.definitions[name] ?? {}, isPatch);
  LINKED.set(key, linked);
  return linked;
}

/** Replaces references by definitions. Pod definitions are not recursive. */
function link(schema: PodSchema, isPatch: boolean): PodSchema {
  const { $ref, items, properties, additionalProperties, required, ...plain } = schema;
  if ($ref !== undefined) return getDefinition($ref, isPatch);
  if (items !== undefined) return linkList(schema, items, isPatch);
  if (additionalProperties !== undefined)
    return { ...plain, additionalProperties: toFieldSchema(additionalProperties, isPatch) };
  if (properties === undefined) return plain;
  const fields = Object.entries(properties).map(([name, child]) => [name, toFieldSchema(child, isPatch)] as const);
  return {
    ...plain,
    properties: Object.fromEntries(fields),
    ...(isPatch || required === undefined ? {} : { required }),
  };
}

function toFieldSchema(schema: PodSchema, isPatch: boolean): PodSchema {
  return { ...link(schema, isPatch), nullable: true };
}

function linkList(schema: PodSchema, items: PodSchema, isPatch: boolean): PodSchema {
  const key = schema['x-lintel-merge-key'];
  if (!isPatch || key === undefined) return { ...schema, items: link(items, false) };
  return {
    ...schema,
    items: { ...link(items, true), required: [key] },
    // Items with the same key are merged, even if their other members differ.
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
  };
}
