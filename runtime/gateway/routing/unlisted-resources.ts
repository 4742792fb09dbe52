/** The destination of a session's subscription to a URI that no list or template contains: some servers accept subscriptions to any URI. */

import { MAX_URI_LENGTH } from '#shared/plan';
import type { Sender } from '../backends/sender.ts';
import type { BackendConnection } from '../connections/connection.ts';
import type { RoutingGateway } from './routing-gateway.ts';
import type { Route } from './table.ts';

/**
 * The only backend that can have a URI that it does not list. With several candidates the owner is unknown, and querying each would reveal a
 * caller's request to all of them. Policies name URIs as they are listed, and a backend may know a resource by other spellings: callers that
 * policies limit can therefore only use listed resources and templates. The same holds for all callers of a backend with a list per caller: for
 * a caller, an unlisted item does not exist.
 */
export function findUnlistedRoute(gateway: RoutingGateway, uri: string, sender: Sender): Route | undefined {
  if (uri.length > MAX_URI_LENGTH || !gateway.getAccess(sender.identity).isUnlimited) return undefined;
  const [holder, ...others] = [...gateway.connections.values()].filter(mayHaveResources);
  if (holder === undefined || others.length > 0 || !hasAnswered(holder)) return undefined;
  // An item that the backend lists and this caller does not get is hidden from the caller: it is withheld, or only for clients with other
  // capabilities.
  if (holder.discovery !== undefined || holder.listsResource(uri)) return undefined;
  return { backend: holder.name, originalName: uri };
}

/** Whether a backend may have resources: one that has not answered since the start may have any. */
function mayHaveResources(connection: BackendConnection): boolean {
  return !hasAnswered(connection) || announcesResources(connection);
}

function announcesResources({ monitor, announcedInSessions }: BackendConnection): boolean {
  return Object.hasOwn(monitor.announced, 'resources') || Object.hasOwn(announcedInSessions, 'resources');
}

function hasAnswered({ monitor }: BackendConnection): boolean {
  return monitor.health.mcpRevision !== null;
}
