/** The places of a spec that its schema validates, found by walking the text's nodes and the schemas in parallel. */
import { isMap, isScalar, isSeq, type Node, type Pair, parseAllDocuments, type Scalar, type YAMLMap } from 'yaml';
import { FILE_SCHEMAS, KINDS_FILE, type StructuralSchema } from '#schemas';

export type Path = readonly (string | number)[];

/** A value in the text, with the schema that validates it. */
export interface Site {
  /** From the root of the object. */
  readonly path: Path;
  readonly schema: StructuralSchema;
  readonly value: Node;
  /** Undefined for items of lists. */
  readonly member?: Member;
}

/** The value as a member of a mapping. */
export interface Member {
  readonly key: Scalar<string>;
  readonly parent: YAMLMap;
  /** The key of the parent; undefined for the root and for an item of a list. */
  readonly parentKey: Scalar | undefined;
  readonly index: number;
  /** Names of all fields that are allowed here; undefined where the keys are free. */
  readonly fields: readonly string[] | undefined;
  /** Whether the field must be written. One with a default need not be, nor one that a merge key may supply. */
  readonly required: boolean;
}

const NAME = '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$';
const texts: StructuralSchema = { type: 'object', additionalProperties: { type: 'string' } };

/** The schema of an object's members around its spec. */
function objectSchema(kind: string, apiVersion: string): StructuralSchema {
  const schemas = KINDS_FILE[kind];
  if (schemas === undefined) throw new Error(`no kind of ours: ${kind}`);
  return {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', ...(schemas.specRequired ? ['spec'] : [])],
    properties: {
      apiVersion: { type: 'string', enum: [apiVersion] },
      kind: { type: 'string', enum: [kind] },
      metadata: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', pattern: NAME },
          namespace: { type: 'string', pattern: NAME },
          labels: texts,
          annotations: texts,
        },
      },
      spec: schemas.spec,
    },
  };
}

/** Every place of a file that a schema validates; Secrets, ConfigMaps and free-form parts have none. */
export function listSites(text: string): readonly Site[] {
  return parseAllDocuments(text).flatMap(document => {
    if ('empty' in document || document.errors.length > 0) throw new Error('a base spec must be sound');
    const root: Node | null = document.contents;
    if (!isMap(root)) throw new Error('a base spec holds objects only');
    const items = root.get('kind') === 'List' ? root.get('items') : undefined;
    const objects = isSeq(items) ? (items.items as YAMLMap[]) : [root];
    return objects.flatMap(sitesOfObject);
  });
}

function sitesOfObject(root: YAMLMap): readonly Site[] {
  if (!root.has('apiVersion')) return [...membersOf(FILE_SCHEMAS.RegistryConfig, root, [], undefined)];
  const apiVersion = String(root.get('apiVersion'));
  if (apiVersion === 'v1') return [];
  return [...membersOf(objectSchema(String(root.get('kind')), apiVersion), root, [], undefined)];
}

function* walk(site: Site): Generator<Site> {
  const { schema, value, path, member } = site;
  yield site;
  if (schema['x-kubernetes-preserve-unknown-fields'] === true) return;
  if (isMap(value)) yield* membersOf(schema, value, path, member?.key);
  if (!isSeq(value) || schema.items === undefined) return;
  for (const [index, item] of value.items.entries()) {
    yield* walk({ path: [...path, index], schema: schema.items, value: item as Node });
  }
}

function* membersOf(
  schema: StructuralSchema,
  parent: YAMLMap,
  path: Path,
  parentKey: Scalar | undefined,
): Generator<Site> {
  const fields = schema.properties === undefined ? undefined : Object.keys(schema.properties);
  const merges = parent.has('<<');
  for (const [index, { key, value }] of (parent.items as Pair<Scalar<string>, Node | null>[]).entries()) {
    const name = key.value;
    const field = schema.properties?.[name] ?? schema.additionalProperties;
    // Members from a merge key are validated where their text is.
    if (field === undefined || value === null || !isScalar(key)) continue;
    const required = !merges && field.default === undefined && (schema.required ?? []).includes(name);
    const member = { key, parent, parentKey, index, fields, required };
    yield* walk({ path: [...path, name], schema: field, value, member });
  }
}
