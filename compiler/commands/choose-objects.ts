import type { ObjectRef } from '../diagnostics/diagnostic.ts';
import { UsageError } from '../usage-error.ts';
import { displayName } from './choose-gateways.ts';

interface NamedObject {
  readonly object: ObjectRef;
}

/**
 * All objects of a kind, or only the one with the requested name.
 *
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
  const found = all.filter(one =>
    [formatObjectName(one), `${one.object.namespace}/${one.object.name}`, one.object.name].includes(requested),
  );
  if (found.length > 0) return found;
  const names = all.length === 0 ? 'there is none' : `there are: ${all.map(formatObjectName).join(', ')}`;
  throw new UsageError(`no ${what} is named "${requested}"; ${names}`);
}

/** The name as `namespace/name`. That of an MCPServer or MCPRemoteProxy includes its kind. */
export function formatObjectName({ object }: NamedObject): string {
  return `${object.namespace}/${displayName(object)}`;
}
