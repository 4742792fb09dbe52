/**
 * What a list says of backends that are away: without it a caller cannot tell a list that lacks their items from a whole one. Nothing is added
 * while every backend serves.
 */
import { UNAVAILABLE_BACKENDS_META, type UnavailableBackends } from '#schemas';
import type { Access } from '../../auth/authorization/authorizer.ts';
import type { BackendConnection } from '../connection.ts';
import { isAway } from './partial-failure.ts';

interface Serving {
  readonly connections: ReadonlyMap<string, BackendConnection>;
}

/**
 * A member of `_meta` as JSON text; undefined while every backend serves.
 *
 * @param access of the caller: where policies limit it, a name may be none of its business
 */
export function unavailableMember({ connections }: Serving, { isUnlimited }: Access): string | undefined {
  const names: string[] = [];
  for (const connection of connections.values()) if (isAway(connection)) names.push(connection.name);
  if (names.length === 0) return undefined;
  const said: UnavailableBackends = { count: names.length, names: isUnlimited ? names.sort() : [] };
  return `"${UNAVAILABLE_BACKENDS_META}":${JSON.stringify(said)}`;
}
