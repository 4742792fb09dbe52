/** Converts published definitions into schemas for the structural check. */
import type { PodSchema, PodSchemas } from '../pod-schema.ts';
import { type Definitions, type OpenApiSchema, ROOT, toRefName } from './pod-definitions.ts';

/** Types that accept more than one JSON type, or that OpenAPI does not describe. */
const SPECIAL: Readonly<Record<string, PodSchema>> = {
  Quantity: { format: 'quantity', 'x-lintel-quantity': true },
  IntOrString: { 'x-kubernetes-int-or-string': true },
  FieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

/** Texts that may be secrets, so that messages do not repeat them. */
const SENSITIVE: readonly string[] = ['EnvVar.value', 'HTTPHeader.value'];

/** Fields where an empty text means the default. In any other enum it is an invalid value. */
const EMPTY_IS_DEFAULT: readonly string[] = [
  'Container.imagePullPolicy',
  'Container.terminationMessagePolicy',
  'ContainerPort.protocol',
  'HTTPGetAction.scheme',
  'ImageVolumeSource.pullPolicy',
  'PodSpec.dnsPolicy',
  'PodSpec.restartPolicy',
  'Toleration.effect',
  'Toleration.operator',
];

/** Fields that OpenAPI declares as required and the API server does not require. */
const NOT_ASKED: readonly string[] = [
  'HTTPHeader.value',
  'OwnerReference.apiVersion',
  'OwnerReference.kind',
  'OwnerReference.name',
  'OwnerReference.uid',
  'PreferredSchedulingTerm.preference',
  'SleepAction.seconds',
  'Sysctl.value',
];

/** @throws Error that names what this converter does not support: a new version of Kubernetes may introduce it */
export function buildPodSchemas(version: string, definitions: Definitions): PodSchemas {
  const schemas: Record<string, PodSchema> = {};
  for (const [name, schema] of Object.entries(definitions)) {
    const short = toShortName(name);
    if (short in schemas) throw new Error(`two definitions are called ${short}`);
    schemas[short] = SPECIAL[short] ?? convertSchema(schema, short);
  }
  return { version, root: toShortName(ROOT), definitions: schemas };
}

/** `io.k8s.api.core.v1.Container` becomes `Container`. */
function toShortName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function convertSchema(schema: OpenApiSchema, path: string): PodSchema {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref !== undefined) return { $ref: toShortName(toRefName(ref)) };
  switch (schema.type) {
    case 'object':
      return convertObject(schema, path);
    case 'array': {
      if (schema.items === undefined) throw new Error(`${path} is a list of nothing`);
      return { type: 'array', items: convertSchema(schema.items, `${path}[]`), ...listMarks(schema) };
    }
    case 'string':
    case 'integer':
    case 'boolean': {
      const { type, format, enum: values, default: standard } = schema;
      return {
        type,
        ...(format === undefined ? {} : { format }),
        ...(values === undefined ? {} : { enum: values }),
        ...(EMPTY_IS_DEFAULT.includes(path) ? { 'x-lintel-empty-is-default': true } : {}),
        ...(SENSITIVE.includes(path) ? { 'x-lintel-sensitive': true } : {}),
        // A list item without a key gets the default of that key.
        ...(standard === undefined || standard === '' || standard === 0 ? {} : { default: standard }),
      };
    }
    default:
      throw new Error(`${path} has the type ${schema.type}`);
  }
}

function convertObject(schema: OpenApiSchema, path: string): PodSchema {
  const { properties, additionalProperties, required } = schema;
  if (properties === undefined && additionalProperties === undefined) throw new Error(`${path} says nothing of itself`);
  if (additionalProperties !== undefined) {
    return { type: 'object', additionalProperties: convertSchema(additionalProperties, `${path}.*`) };
  }
  const asked = (required ?? []).filter(name => !NOT_ASKED.includes(`${path}.${name}`));
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const schema = convertSchema(field, `${path}.${name}`);
    // The API server treats an empty text as missing.
    const isText = schema.type === 'string' && schema.enum === undefined;
    return [name, isText && asked.includes(name) ? { ...schema, minLength: 1 } : schema] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(asked.length === 0 ? {} : { required: asked }),
  };
}

function listMarks(schema: OpenApiSchema): Partial<PodSchema> {
  const type = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const isMerged = schema['x-kubernetes-patch-strategy']?.split(',').includes('merge') === true;
  return {
    ...(type === undefined || type === 'atomic' ? {} : { 'x-kubernetes-list-type': type }),
    ...(keys === undefined ? {} : { 'x-kubernetes-list-map-keys': keys }),
    ...(mergeKey === undefined ? {} : { 'x-lintel-merge-key': mergeKey }),
    ...(isMerged && mergeKey === undefined ? { 'x-lintel-merge-set': true } : {}),
  };
}
