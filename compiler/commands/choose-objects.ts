import { findNearest } from '#shared/util';
import type { ObjectRef } from '../diagnostics/diagnostic.ts';
import { getExposedName } from '../servers/exposed-name.ts';
import { UsageError } from '../usage-error.ts';

interface NamedObject {
  readonly object: ObjectRef;
}

const SERVER_KINDS: readonly string[] = ['MCPServer', 'MCPRemoteProxy'];

/**
 * All objects of a kind, or only those with the requested name.
 * @param requested `name` or `namespace/name`, for a server also `MCPServer/name`; default: all
 * @param what the kind, for the message
 * @throws UsageError when there is none of that name
 */
export function chooseObjects<T extends NamedObject>(
  all: readonly T[],
  requested: string | undefined,
  what: string,
): readonly T[] {
  if (requested === undefined) return all;
  const found = all.filter(one => isCalled(one, requested));
  if (found.length > 0) return found;
  const names = all.map(formatObjectName);
  const near = findNearest(requested, [...names, ...all.map(({ object }) => object.name)]);
  const list = names.length === 0 ? 'there is none' : `there are: ${names.join(', ')}`;
  throw new UsageError(`no ${what} is named "${requested}"; ${near === undefined ? list : `did you mean ${near}?`}`);
}

/**
 * @param what the kind, for the message
 * @param named all objects that `option` may name; default: those that were chosen
 * @throws UsageError unless exactly one was chosen
 */
export function requireOne<T extends NamedObject>(
  chosen: readonly T[],
  what: string,
  option: string,
  named: readonly T[] = chosen,
): T {
  const [only, ...others] = chosen;
  if (only === undefined) throw new UsageError(`the sources describe no ${what}`);
  if (others.length === 0) return only;
  throw new UsageError(`several ${what}s: choose one with ${option}: ${named.map(formatObjectName).join(', ')}`);
}

/** The name as `namespace/name`. That of an MCPServer or MCPRemoteProxy includes its kind. */
export function formatObjectName({ object }: NamedObject): string {
  return `${object.namespace}/${displayName(object)}`;
}

/** The name for messages. The name of an MCPServer or MCPRemoteProxy includes its kind, because a gateway may have the same name. */
export function displayName(object: ObjectRef): string {
  return isServerKind(object) ? getExposedName(object) : object.name;
}

export function isServer({ object }: NamedObject): boolean {
  return isServerKind(object);
}

function isServerKind({ kind }: ObjectRef): boolean {
  return SERVER_KINDS.includes(kind);
}

function isCalled({ object }: NamedObject, requested: string): boolean {
  const { namespace, name } = object;
  return [name, displayName(object)].some(one => requested === one || requested === `${namespace}/${one}`);
}
