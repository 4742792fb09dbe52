/** The definitions of an OpenAPI document that a pod template uses. */

/** OpenAPI v3, as far as Kubernetes uses it. */
export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: OpenApiSchema };
  readonly additionalProperties?: OpenApiSchema;
  readonly items?: OpenApiSchema;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
}

export interface Definitions {
  readonly [name: string]: OpenApiSchema;
}

export interface OpenApiDocument {
  readonly components: { readonly schemas: Definitions };
}

export const ROOT = 'io.k8s.api.core.v1.PodTemplateSpec';

/** All definitions reachable from the template, sorted by name and without descriptions. */
export function readPodDefinitions({ components: { schemas } }: OpenApiDocument): Definitions {
  const found = new Map<string, OpenApiSchema>();
  const waiting = [ROOT];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`the document does not define ${name}`);
    found.set(name, withoutDescriptions(schema));
    waiting.push(...listRefs(schema));
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The name of the referenced definition. */
export function toRefName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

function listChildren(schema: OpenApiSchema): readonly OpenApiSchema[] {
  const { allOf = [], oneOf = [], properties = {}, items, additionalProperties } = schema;
  return [...allOf, ...oneOf, ...Object.values(properties), items, additionalProperties].filter(
    child => child !== undefined,
  );
}

function listRefs(schema: OpenApiSchema): readonly string[] {
  return [...(schema.$ref === undefined ? [] : [toRefName(schema.$ref)]), ...listChildren(schema).flatMap(listRefs)];
}

/** Removes descriptions from a schema. A property may be named `description`: then its value is a mapping. */
function withoutDescriptions(schema: OpenApiSchema): OpenApiSchema {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  );
  return JSON.parse(text) as OpenApiSchema;
}
