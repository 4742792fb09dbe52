/** Manifests for ToolHive's operator, of any version since its first. */
import { isObject } from '#schemas';
import type { FoundObject, FoundServers } from '../found.ts';
import { GROUP, type MutableFields, migrateObject } from '../toolhive/migrate-object.ts';

export function isToolHiveObject(value: unknown): boolean {
  return isObject(value) && typeof value.kind === 'string' && isOfToolHive(value.apiVersion);
}

/** Kinds that occur in the same files and are not changed. */
export function isOtherObject(value: unknown): boolean {
  return isObject(value) && typeof value.kind === 'string' && typeof value.apiVersion === 'string';
}

function isOfToolHive(version: unknown): boolean {
  return typeof version === 'string' && version.startsWith(`${GROUP}/`);
}

export function readToolHiveObject(value: unknown): FoundServers {
  const migrated = migrateObject(value as MutableFields);
  const location = formatObject(migrated.value);
  const form = 'objects of ToolHive';
  if (migrated.refusal !== undefined) {
    const outcome = { type: 'refused', reason: migrated.refusal } as const;
    return {
      form,
      servers: [{ name: location, place: location, outcome, lost: [], ofClient: [] }],
      lost: [],
      objects: [],
    };
  }
  const { changes, lost, secrets } = migrated;
  const variables = secrets.map(({ secret, key, place: at }) => ({
    name: `Secret ${secret}, key ${key}`,
    recipe: `the value of ${at} of ${location}`,
  }));
  const objects: readonly FoundObject[] = [
    { place: location, value: migrated.value, changes, secrets: variables },
    ...migrated.made.map(made => ({
      place: formatObject(made),
      value: made,
      changes: [`made of ${location}`],
      secrets: [],
    })),
  ];
  return {
    form,
    servers: [],
    lost: lost.map(({ part, reason }) => ({ part: `${location} ${part}`, reason })),
    objects,
  };
}

/** An object that is not of ToolHive is not imported, and stays in its file. */
export function readOtherObject(value: unknown): FoundServers {
  const location = formatObject(value as MutableFields);
  const reason = 'it is no object of ToolHive: it stays where it is';
  const outcome = { type: 'off', reason } as const;
  return {
    form: 'objects of Kubernetes',
    servers: [{ name: location, place: location, outcome, lost: [], ofClient: [] }],
    lost: [],
    objects: [],
  };
}

/** `VirtualMCPServer team/eng`. */
function formatObject({ kind, metadata }: MutableFields): string {
  const { name, namespace } = (isObject(metadata) ? metadata : {}) as MutableFields;
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
