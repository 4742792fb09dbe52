/** Finds the references to objects. */
import { getMember, isObject } from '#schemas';
import type { ResourceDocument } from '../source/classify.ts';
import type { Path } from '../source/source-document.ts';
import { listReferences, type ObjectName, OWN_NAME } from './definition.ts';
import { BACKEND_KINDS } from './object-kinds.ts';

/** A text that is, or starts with, the name of an object. */
export interface Use {
  readonly document: ResourceDocument;
  readonly path: Path;
  readonly at: 'key' | 'value';
  readonly text: string;
}

/** Every reference to an object, without its definition. */
export function findUses(objects: readonly ResourceDocument[], objectName: ObjectName): readonly Use[] {
  return objects
    .filter(({ namespace }) => namespace === objectName.namespace)
    .flatMap(document => [
      ...listReferences(document)
        .filter(({ kind, name }) => kind === objectName.kind && name === objectName.name)
        .map(({ path }): Use => ({ document, path, at: 'value', text: objectName.name })),
      ...(BACKEND_KINDS.includes(objectName.kind) ? listWorkloadUses(document, objectName.name) : []),
    ]);
}

/** The definitions of an object. */
export function findDefinitionUses(objects: readonly ResourceDocument[], objectName: ObjectName): readonly Use[] {
  return objects
    .filter(
      object =>
        object.name === objectName.name && object.kind === objectName.kind && object.namespace === objectName.namespace,
    )
    .map(document => ({ document, path: OWN_NAME, at: 'value', text: objectName.name }));
}

/** The references to a workload. Settings of tools, credentials and steps refer to it too, unless the gateway has an inline backend of that name. */
function listWorkloadUses(document: ResourceDocument, name: string): readonly Use[] {
  const spec = getMember(document.doc.value, 'spec');
  const inPlace = getMember(getMember(spec, 'config'), 'backends');
  if (Array.isArray(inPlace) && inPlace.some(backend => getMember(backend, 'name') === name)) return [];
  return findUsesWithin(spec, ['spec'], document, name);
}

function findUsesWithin(value: unknown, path: Path, document: ResourceDocument, name: string): readonly Use[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => findUsesWithin(item, [...path, index], document, name));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const at = [...path, key];
    const isNamed = typeof member === 'string' && namesWorkload(key, member, name);
    const isKey = key === name && path.at(-1) === 'backends' && path.at(-2) === 'outgoingAuth';
    return [
      ...(isNamed ? [{ document, path: at, at: 'value', text: member } as const] : []),
      ...(isKey ? [{ document, path: at, at: 'key', text: key } as const] : []),
      ...findUsesWithin(member, at, document, name),
    ];
  });
}

function namesWorkload(key: string, text: string, name: string): boolean {
  return (key === 'workload' && text === name) || (key === 'tool' && text.startsWith(`${name}.`));
}
