/** The schema of a pod template, generated from Kubernetes' OpenAPI: as a whole, and as a patch over another template. */
import type { StructuralSchema } from '#schemas';
import generated from './generated/schema.json' with { type: 'json' };

/** A schema as it is generated: what `$ref` names is another definition. */
export interface PodSchema extends StructuralSchema {
  readonly $ref?: string;
  readonly properties?: { readonly [name: string]: PodSchema };
  readonly additionalProperties?: PodSchema;
  readonly items?: PodSchema;
  /** Strategic merge patch: items of this list with the same value of this member are one item. */
  readonly 'x-lintel-merge-key'?: string;
  /** Strategic merge patch: a list of plain values that is merged as a set. */
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

/** The version of Kubernetes that the schema is of, such as `v1.36.3`. */
export const KUBERNETES_VERSION: string = SCHEMAS.version;

/** Linked when they are asked for: most specs have no pod template. */
const LINKED = new Map<string, PodSchema>();

/** The schema of a whole template. A member that is null counts as absent, as for the API server. */
export function podTemplateSchema(): PodSchema {
  return definition(SCHEMAS.root, false);
}

/**
 * The schema of what is merged over a template. What is missing may be in the template, except the keys by which items are matched; lists
 * that are replaced hold whole items.
 */
export function podPatchSchema(): PodSchema {
  return definition(SCHEMAS.root, true);
}

function definition(name: string, isPatch: boolean): PodSchema {
  const key = `${name} ${isPatch}`;
  const known = LINKED.get(key);
  if (known !== undefined) return known;
  const linked = link(SCHEMAS.definitions[name] ?? {}, isPatch);
  LINKED.set(key, linked);
  return linked;
}

/** With definitions in place of references to them. Definitions of pods do not contain themselves. */
function link(schema: PodSchema, isPatch: boolean): PodSchema {
  const { $ref, items, properties, additionalProperties, required, ...plain } = schema;
  if ($ref !== undefined) return definition($ref, isPatch);
  if (items !== undefined) return linkList(schema, items, isPatch);
  if (additionalProperties !== undefined)
    return { ...plain, additionalProperties: field(additionalProperties, isPatch) };
  if (properties === undefined) return plain;
  const fields = Object.entries(properties).map(([name, child]) => [name, field(child, isPatch)] as const);
  return {
    ...plain,
    properties: Object.fromEntries(fields),
    ...(isPatch || required === undefined ? {} : { required }),
  };
}

function field(schema: PodSchema, isPatch: boolean): PodSchema {
  return { ...link(schema, isPatch), nullable: true };
}

function linkList(schema: PodSchema, items: PodSchema, isPatch: boolean): PodSchema {
  const key = schema['x-lintel-merge-key'];
  if (!isPatch || key === undefined) return { ...schema, items: link(items, false) };
  return {
    ...schema,
    items: { ...link(items, true), required: [key] },
    // Items of one key are merged into one, whatever else they differ in.
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
  };
}
