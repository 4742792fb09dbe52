/** The keywords of JSON Schema and the type of each. Other keywords are allowed and have no meaning. */

/** The type of a keyword's value. */
export type Form =
  | 'any'
  | 'boolean'
  /** A non-negative integer. */
  | 'count'
  | 'dependencies'
  | 'items'
  | 'list'
  | 'map of names'
  | 'map of schemas'
  | 'names'
  | 'number'
  | 'pattern'
  | 'patterns'
  | 'positive'
  | 'schema'
  | 'schemas'
  | 'string'
  | 'type';

export type Keywords = ReadonlyMap<string, Form>;

function createKeywords(...forms: readonly (readonly [Form, names: string])[]): Keywords {
  return new Map(forms.flatMap(([form, names]) => names.split(' ').map(name => [name, form] as const)));
}

const SHARED = createKeywords(
  ['any', 'const default'],
  ['boolean', 'readOnly uniqueItems writeOnly'],
  ['count', 'maxItems maxLength maxProperties minItems minLength minProperties'],
  ['list', 'enum examples'],
  ['map of schemas', 'definitions properties'],
  ['names', 'required'],
  ['number', 'exclusiveMaximum exclusiveMinimum maximum minimum'],
  ['pattern', 'pattern'],
  ['patterns', 'patternProperties'],
  ['positive', 'multipleOf'],
  ['schema', 'additionalProperties contains else if not propertyNames then'],
  ['schemas', 'allOf anyOf oneOf'],
  ['string', '$comment $id $ref $schema contentEncoding contentMediaType description format title'],
  ['type', 'type'],
);

/** Former keywords for tuples and dependencies, with their replacements. */
const FORMER = createKeywords(['dependencies', 'dependencies'], ['items', 'items'], ['schema', 'additionalItems']);

const SINCE_2019 = createKeywords(
  ['boolean', 'deprecated'],
  ['count', 'maxContains minContains'],
  ['map of names', 'dependentRequired'],
  ['map of schemas', '$defs dependentSchemas'],
  ['schema', 'contentSchema unevaluatedItems unevaluatedProperties'],
  ['string', '$anchor'],
);

const SINCE_2020 = createKeywords(
  ['schema', 'items'],
  ['schemas', 'prefixItems'],
  ['string', '$dynamicAnchor $dynamicRef'],
);

const DRAFT_7 = new Map([...SHARED, ...FORMER]);
const DRAFT_2019 = new Map([...DRAFT_7, ...SINCE_2019]);
const DRAFT_2020 = new Map([...SHARED, ...SINCE_2019, ...SINCE_2020]);

/** Keywords of a dialect, by its address in `$schema`, without scheme and trailing `#`. */
const DIALECTS: ReadonlyMap<string, Keywords> = new Map([
  ['json-schema.org/draft/2020-12/schema', DRAFT_2020],
  ['json-schema.org/draft/2019-09/schema', DRAFT_2019],
  ['json-schema.org/draft-07/schema', DRAFT_7],
  ['json-schema.org/draft-06/schema', DRAFT_7],
]);

/** The keywords of a dialect; by default that of MCP; undefined for unknown dialects. */
export function findKeywords(dialect: unknown): Keywords | undefined {
  if (dialect === undefined) return DRAFT_2020;
  return typeof dialect === 'string' ? DIALECTS.get(dialect.replace(/^https?:\/\//, '').replace(/#$/, '')) : undefined;
}

/** Keywords that apply subschemas to the same value rather than to a part of it. */
export const IN_PLACE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'dependentSchemas',
  'else',
  'if',
  'not',
  'oneOf',
  'then',
]);

export const TYPES: readonly string[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
