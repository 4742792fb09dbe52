/** The lists that clients get: from the table, never from a backend while a client waits. */

import { requireCurrentAuth, type Sender } from '../backends/sender.ts';
import { type ItemKind, KINDS } from '../offers/offered-items.ts';
import type { PreparedList } from '../offers/prepared-list.ts';
import { OPTIMIZER_TOOLS } from '../optimizer/definitions.ts';
import { isAway, requireEveryBackend } from './partial-failure.ts';
import type { RoutingGateway } from './routing-gateway.ts';
import { getVisibleList } from './visible-lists.ts';

/** The kind of items that a method lists. */
export const LISTS: ReadonlyMap<string, ItemKind> = new Map(KINDS.map(({ listMethod, kind }) => [listMethod, kind]));

/**
 * The list of a kind for a caller: that of `getOfferedList`, but with an optimizer its two tools in place of all others.
 * @throws WireError as `getOfferedList`
 */
export async function getCallerList(gateway: RoutingGateway, kind: ItemKind, sender: Sender): Promise<PreparedList> {
  if (kind !== 'tools' || gateway.optimizer === undefined) return getOfferedList(gateway, kind, sender);
  await requireLists(gateway, sender);
  return OPTIMIZER_TOOLS;
}

/**
 * The items of a kind that the caller may see. Waits for the backends when the gateway has just started, and for backends that answer only
 * callers when this caller has not requested their lists yet.
 * @throws WireError when backends are missing and `partialFailureMode` is `fail`; as `requireCurrentAuth`
 */
export async function getOfferedList(gateway: RoutingGateway, kind: ItemKind, sender: Sender): Promise<PreparedList> {
  await requireLists(gateway, sender);
  return getVisibleList(gateway.getTable(sender), kind, gateway.getAccess(sender.identity));
}

async function requireLists(gateway: RoutingGateway, sender: Sender): Promise<void> {
  await gateway.settled();
  await gateway.discovery.discover(sender);
  requireCurrentAuth(sender);
  requireEveryBackend(gateway, connection => isAway(connection) || connection.discovery?.isPending(sender) === true);
}
