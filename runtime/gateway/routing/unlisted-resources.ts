/** Where a client in a session subscribes to a URI that no list and no template has: some servers take subscriptions to any. */

import type { Sender } from '../backends/sender.ts';
import type { BackendConnection } from '../connection.ts';
import type { Gateway } from '../gateway.ts';
import type { Route } from './table.ts';
import { MAX_URI_LENGTH } from './template-routes.ts';

/**
 * The only backend that can have a URI which it does not list. With several of them it is not known whose it is, and asking each
 * would reveal to all of them what a caller wants from one. Policies name URIs as they are listed, and a backend may know a resource by
 * other spellings: callers who are limited by policies get at listed resources and templates only. So do all callers of a backend
 * that lists something else to each of them: what a caller is not listed does not exist for it.
 */
export function unlistedRoute(gateway: Gateway, uri: string, sender: Sender): Route | undefined {
  if (uri.length > MAX_URI_LENGTH || !gateway.getAccess(sender.identity).isUnlimited) return undefined;
  const [holder, ...others] = [...gateway.connections.values()].filter(mayHaveResources);
  if (holder === undefined || others.length > 0 || !hasAnswered(holder)) return undefined;
  // What it lists, and this caller is not shown, is hidden from it: withheld, or for clients with other capabilities.
  if (holder.discovery !== undefined || holder.listsResource(uri)) return undefined;
  return { backend: holder.name, originalName: uri };
}

/** A backend that has not answered since the start may turn out to have any. */
function mayHaveResources(connection: BackendConnection): boolean {
  return !hasAnswered(connection) || announcesResources(connection);
}

function announcesResources({ monitor, announcedInSessions }: BackendConnection): boolean {
  return Object.hasOwn(monitor.announced, 'resources') || Object.hasOwn(announcedInSessions, 'resources');
}

function hasAnswered({ monitor }: BackendConnection): boolean {
  return monitor.health.mcpRevision !== null;
}
