/** Finds fields of Lintel's kinds that the cluster's definitions lack. */
import { API_GROUP, getMember, isObject, KINDS_FILE, STORAGE_VERSION, type StructuralSchema } from '#schemas';

/** Missing fields of one kind. */
export interface MissingFields {
  readonly kind: string;
  /** Paths such as `spec.config.backends[].name`; the subfields of a missing field are not listed. */
  readonly fields: readonly string[];
}

/**
 * Fields that this version knows and the cluster does not: the API server drops or refuses them. A kind without a definition is skipped, because
 * it may not be published yet; its watch reports that.
 *
 * @param document the API server's OpenAPI v3 document of Lintel's group and version
 */
export function findMissingFields(document: unknown): readonly MissingFields[] {
  const schemas = getMember(getMember(document, 'components'), 'schemas');
  const published = isObject(schemas) ? Object.values(schemas) : [];
  return Object.values(KINDS_FILE).flatMap(({ kind, spec, status }) => {
    const definition = published.find(schema => isDefinitionOf(kind, schema));
    if (definition === undefined) return [];
    const known: StructuralSchema = { type: 'object', properties: { spec, status } };
    const fields = [...listMissingFields(definition, known, '')];
    return fields.length === 0 ? [] : [{ kind, fields }];
  });
}

function isDefinitionOf(kind: string, schema: unknown): boolean {
  const types = getMember(schema, 'x-kubernetes-group-version-kind');
  const isIt = (type: unknown): boolean =>
    getMember(type, 'group') === API_GROUP &&
    getMember(type, 'version') === STORAGE_VERSION &&
    getMember(type, 'kind') === kind;
  return Array.isArray(types) && types.some(isIt);
}

function* listMissingFields(installed: unknown, known: StructuralSchema, path: string): Generator<string> {
  // An object schema without restrictions allows any field.
  if (getMember(installed, 'x-kubernetes-preserve-unknown-fields') === true) return;
  const { items, additionalProperties } = known;
  if (items !== undefined) yield* listMissingFields(getMember(installed, 'items'), items, `${path}[]`);
  if (additionalProperties !== undefined)
    yield* listMissingFields(getMember(installed, 'additionalProperties'), additionalProperties, `${path}.*`);
  const properties = getMember(installed, 'properties');
  for (const [name, schema] of Object.entries(known.properties ?? {})) {
    const field = path === '' ? name : `${path}.${name}`;
    const defined = getMember(properties, name);
    if (defined === undefined) yield field;
    else yield* listMissingFields(defined, schema, field);
  }
}
