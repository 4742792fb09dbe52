/**
 * JSON Schema 2020-12 for editors and other tools: one document for each kind. It has no keywords of Lintel or Kubernetes, and refuses unknown
 * fields.
 */
import type { FileDefinition, KindDefinition } from '../kinds/define.ts';
import { API_GROUP, DEPRECATED_VERSION, getGroups, STORAGE_VERSION } from '../names.ts';
import { GENERATED } from './header.ts';
import { CONSTRAINTS, type StructuralSchema } from './structural-schema.ts';
import { toStructural } from './to-structural.ts';

/** A JSON Schema, as the plain object that is written to the file. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The dialect of every schema here. */
export const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The `$id` of the schema called `name`, such as `https://lintel.dev/schemas/mcpgroup.json`. */
export function formatSchemaId(name: string): string {
  return `https://${API_GROUP}/schemas/${name.toLowerCase()}.json`;
}

/** Every `apiVersion` of these groups: each group in the stored, then the deprecated version. */
export function listApiVersions(groups: readonly string[]): readonly string[] {
  return groups.flatMap(group => [STORAGE_VERSION, DEPRECATED_VERSION].map(version => `${group}/${version}`));
}

/** The schema document of one kind. @throws Error naming the field when a schema is not structural */
export function buildJsonSchema(kind: KindDefinition): JsonSchema {
  return {
    $schema: DIALECT,
    $id: formatSchemaId(kind.kind),
    $comment: GENERATED,
    ...buildResourceSchema(kind),
  };
}

/** The schema document of a file that is not a Kubernetes object. @throws Error naming the field when a schema is not structural */
export function buildFileSchema({ id, title, schema }: FileDefinition): JsonSchema {
  const structure = toPublicSchema(toStructural(schema, schema.title));
  return { $schema: DIALECT, $id: formatSchemaId(id), $comment: GENERATED, title, ...structure };
}

/** Does the same as `buildJsonSchema`, without `$schema`, `$id` and `$comment`, for use inside another document. */
export function buildResourceSchema(kind: KindDefinition): JsonSchema {
  return {
    title: kind.kind,
    description: kind.description,
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', ...(kind.specRequired ? ['spec'] : [])],
    properties: {
      apiVersion: {
        type: 'string',
        enum: listApiVersions(getGroups(kind.kind)),
        description: `API group and version. \`${DEPRECATED_VERSION}\` is deprecated: it has the same schema as \`${STORAGE_VERSION}\`, which takes its place.`,
      },
      kind: { type: 'string', const: kind.kind, description: 'Name of the kind.' },
      metadata: METADATA,
      spec: toPublicSchema(toStructural(kind.spec, `${kind.kind}.spec`)),
      status: toPublicSchema(toStructural(kind.status, `${kind.kind}.status`)),
    },
    additionalProperties: false,
  };
}

/** Schema of `metadata`: the fields that authors write; other fields of Kubernetes pass. */
const METADATA: JsonSchema = {
  type: 'object',
  description: 'Standard Kubernetes metadata.',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, description: 'Name, unique among objects of this kind in the namespace.' },
    namespace: { type: 'string', description: 'Namespace; references resolve inside it.' },
    labels: { type: 'object', additionalProperties: { type: 'string' }, description: 'Labels for selection.' },
    annotations: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Annotations: values that tools read.',
    },
  },
};

/** Keywords with the same meaning in JSON Schema. */
const COPIED = [
  'description',
  'deprecated',
  'default',
  'examples',
  ...CONSTRAINTS,
] as const satisfies readonly (keyof StructuralSchema)[];

/** One field as JSON Schema; a set becomes `uniqueItems`. */
export function toPublicSchema(schema: StructuralSchema): JsonSchema {
  const out: Record<string, unknown> = { ...toTypeSchema(schema) };
  for (const keyword of COPIED) if (schema[keyword] !== undefined) out[keyword] = schema[keyword];
  if (schema.enum) out.enum = schema.nullable ? [...schema.enum, null] : schema.enum;
  if (schema.items) out.items = toPublicSchema(schema.items);
  if (schema['x-kubernetes-list-type'] === 'set') out.uniqueItems = true;
  if (schema.additionalProperties) out.additionalProperties = toPublicSchema(schema.additionalProperties);
  if (schema.properties) {
    out.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, child]) => [name, toPublicSchema(child)]),
    );
    if (!schema['x-kubernetes-preserve-unknown-fields']) out.additionalProperties = false;
  }
  return out;
}

function toTypeSchema(schema: StructuralSchema): JsonSchema {
  const nothing = schema.nullable ? ['null'] : [];
  if (schema['x-kubernetes-int-or-string']) {
    return { anyOf: ['integer', 'string', ...nothing].map(type => ({ type })) };
  }
  if (schema['x-lintel-string-or-strings']) {
    return { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
  }
  if (schema.type === undefined) return {};
  return { type: schema.nullable ? [schema.type, ...nothing] : schema.type };
}
