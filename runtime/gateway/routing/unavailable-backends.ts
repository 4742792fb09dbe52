/**
 * What a list says about unavailable backends: otherwise a caller could not distinguish a list that lacks their items from a complete list. Nothing
 * is added while every backend is available.
 */
import { UNAVAILABLE_BACKENDS_META, type UnavailableBackends } from '#schemas';
import type { CallerAccess } from '../../auth/authorization/authorizer.ts';
import { isAway } from './partial-failure.ts';
import type { RoutingGateway } from './routing-gateway.ts';

/**
 * A member of `_meta` as JSON text; undefined while every backend is available.
 * @param access the caller's permissions: if policies limit it, a backend's name may have to stay hidden
 */
export function findUnavailableMember(
  { connections }: Pick<RoutingGateway, 'connections'>,
  { isUnlimited }: CallerAccess,
): string | undefined {
  const names: string[] = [];
  for (const connection of connections.values()) if (isAway(connection)) names.push(connection.name);
  if (names.length === 0) return undefined;
  const summary: UnavailableBackends = { count: names.length, names: isUnlimited ? names.sort() : [] };
  return `"${UNAVAILABLE_BACKENDS_META}":${JSON.stringify(summary)}`;
}
