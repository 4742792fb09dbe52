import { FILE_SCHEMAS, getGroups, LOCK_FILE, STORAGE_VERSION, type StructuralSchema } from '#schemas';
import { findNearest } from '#shared/util';
import { PROJECT_FILE } from '../project/index.ts';
import { KINDS } from '../source/kinds.ts';

const CONFIGS: readonly (keyof typeof FILE_SCHEMAS)[] = ['RegistryConfig'];

/** Topics by name: the kinds of objects, and the configuration files. */
export const EXPLAINED: readonly string[] = [...KINDS.keys(), ...CONFIGS];

/** Topics by file name. */
export const EXPLAINED_FILES: readonly string[] = [PROJECT_FILE, LOCK_FILE];

/** A field of a kind or of a file, found by its path. */
export interface FieldLocation {
  /** The kind, or the name of the configuration file. */
  readonly kind: string;
  /** The full path, such as `VirtualMCPServer.spec.config.aggregation.tools[].workload`. */
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly isRequired: boolean;
}

/** The field at a path, or why there is none and which path was probably meant. */
export type Lookup = { readonly location: FieldLocation } | { readonly problem: string };

/**
 * The field at a path such as `VirtualMCPServer.spec.config.optimizer`. The kind may be in any case or in the plural. `[]` for list items (also
 * with a number) and `*` for map values are optional.
 */
export function findField(text: string): Lookup {
  const file = EXPLAINED_FILES.find(name => text === name || text.startsWith(`${name}.`));
  if (file !== undefined) return walk(locateRoot(file), parseSteps(text.slice(file.length)).slice(1));
  const [first = '', ...steps] = parseSteps(text);
  const lowerCased = first.toLowerCase();
  const name =
    [...KINDS.values()].find(({ kind, plural }) => [kind.toLowerCase(), plural].includes(lowerCased))?.kind ??
    CONFIGS.find(config => config.toLowerCase() === lowerCased);
  if (name === undefined) {
    const hint =
      formatSuggestion(findNearest(text, EXPLAINED_FILES) ?? findNearest(first, EXPLAINED)) ||
      '; lintel explain lists all topics';
    return { problem: `no kind or code is named "${first}"${hint}` };
  }
  return walk(locateRoot(name), steps);
}

/** A kind or a file as a whole. */
export function locateRoot(name: string): FieldLocation {
  return { kind: name, path: name, schema: getRootSchema(name), isRequired: true };
}

/** The field at a path of a document; undefined when no schema describes it. */
export function findFieldAt(kind: string, path: readonly (string | number)[]): FieldLocation | undefined {
  if (!EXPLAINED.includes(kind) && !EXPLAINED_FILES.includes(kind)) return undefined;
  return path.reduce<FieldLocation | undefined>((location, step) => {
    if (location === undefined || typeof step === 'number') return location && enter(location, '[]');
    const { properties = {} } = location.schema;
    return enter(location, Object.hasOwn(properties, step) ? step : '*');
  }, locateRoot(kind));
}

function parseSteps(text: string): readonly string[] {
  return text.split(/\.|(?=\[)/).map(step => (/^\[\d*\]$/.test(step) ? '[]' : step));
}

function walk(from: FieldLocation, steps: readonly string[]): Lookup {
  let location = from;
  for (const [at, step] of steps.entries()) {
    const next = enter(location, step);
    if (next === undefined) return { problem: formatNoField(location, step, steps.slice(at + 1)) };
    location = next;
  }
  return { location };
}

/** The object type, inside of any lists and maps. */
export function findInnermost(location: FieldLocation): FieldLocation {
  const { items, additionalProperties } = location.schema;
  if (items) return findInnermost({ ...location, path: `${location.path}[]`, schema: items });
  if (additionalProperties)
    return findInnermost({ ...location, path: `${location.path}.*`, schema: additionalProperties });
  return location;
}

function enter(location: FieldLocation, step: string): FieldLocation | undefined {
  const { items, additionalProperties, properties, required } = location.schema;
  if (step === '[]') return items && { ...location, path: `${location.path}[]`, schema: items };
  if (step === '*')
    return additionalProperties && { ...location, path: `${location.path}.*`, schema: additionalProperties };
  if (items || additionalProperties) return enter(findInnermost(location), step);
  const schema = properties && Object.hasOwn(properties, step) ? properties[step] : undefined;
  const isRequired = required?.includes(step) ?? false;
  return schema && { kind: location.kind, path: `${location.path}.${step}`, schema, isRequired };
}

function formatNoField(location: FieldLocation, step: string, rest: readonly string[]): string {
  const { path, schema } = findInnermost(location);
  if (step === '[]') return `${location.path} is no list`;
  if (step === '*') return `${location.path} is no map`;
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return `${path} has no fields that a schema names`;
  const near = findNearest(step, names);
  // The full path, up to and including this step.
  const full = near && ['', ...rest].join('.').replaceAll('.[]', '[]');
  const whole =
    near && 'location' in findField(`${path}.${near}${full}`) ? `${path}.${near}${full}` : near && `${path}.${near}`;
  return `${path} has no field "${step}"${formatSuggestion(whole) || `; it has ${names.join(', ')}`}`;
}

function formatSuggestion(name: string | undefined): string {
  return name === undefined ? '' : `; did you mean ${name}?`;
}

/** The API versions that specs of a kind may have, without the deprecated ones. */
export function listApiVersions(kind: string): string[] {
  const groups = getGroups(kind);
  return groups.map(group => `${group}/${STORAGE_VERSION}`);
}

/** The schema of a kind with Kubernetes' own fields added; a file has only its own. */
function getRootSchema(kind: string): StructuralSchema {
  if (kind === PROJECT_FILE) return FILE_SCHEMAS.ProjectFile;
  if (kind === LOCK_FILE) return FILE_SCHEMAS.CatalogLock;
  const config = CONFIGS.find(name => name === kind);
  if (config !== undefined) return FILE_SCHEMAS[config];
  const schemas = KINDS.get(kind);
  if (schemas === undefined) throw new Error(`the kind ${kind} has no schemas`);
  return {
    type: 'object',
    description: schemas.description,
    properties: {
      apiVersion: {
        type: 'string',
        description: 'The API group and version in which the object is written.',
        enum: listApiVersions(kind),
      },
      kind: { type: 'string', description: 'What sort of object it is.', enum: [kind] },
      metadata: {
        type: 'object',
        description: 'Name, namespace, labels and annotations, as of every object of Kubernetes.',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      spec: schemas.spec,
      status: schemas.status,
    },
    required: ['apiVersion', 'kind', 'metadata', ...(schemas.specRequired ? ['spec'] : [])],
  };
}
