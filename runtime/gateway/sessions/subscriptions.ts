/**
 * Subscriptions of client sessions to resources: stored apart from the sessions with backends, because in a new bundle another backend may have a
 * resource.
 */

import { MAX_WATCHED_URI_LENGTH, MAX_WATCHED_URIS_LENGTH } from '../../mcp/client-limits.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import { detachString } from '../../tuning/detach-string.ts';
import { resubscribe } from '../backends/resubscribe.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { mayReadBy } from '../routing/access.ts';
import { type Destination, type RequestTarget, requireAvailable } from '../routing/targets.ts';
import { findUnlistedRoute } from '../routing/unlisted-resources.ts';
import type { GatewaySession } from './client-session.ts';
import type { SessionsGateway } from './sessions-gateway.ts';

/** Limit on the subscribed resources of one session, because the gateway stores their URIs. */
export const MAX_SUBSCRIPTIONS = 1_000;

/**
 * Records the subscription of a relayed request, and listens on the backend's session for updates.
 * @returns the sink for the answer: it removes the subscription if the backend refuses it, and forwards to `sink`
 * @throws WireError for one subscription too many
 */
export function noteSubscription(
  session: GatewaySession,
  method: string,
  { connection, originalName: uri }: Pick<Destination, 'connection' | 'originalName'>,
  sink: ResponseSink,
): ResponseSink {
  if (method === 'resources/subscribe') {
    if (!session.subscriptions.has(uri)) checkRoom(session, uri);
    session.listenToBackend(connection);
    session.shared?.noteSubscription(uri, connection);
    return session.subscriptions.ask(detachString(uri), connection, sink);
  }
  if (method === 'resources/unsubscribe') {
    session.subscriptions.delete(uri);
    session.shared?.noteSubscription(uri, undefined);
  }
  return sink;
}

/** Whether a request ends an existing subscription of the session. */
export function endsSubscription(
  { subscriptions }: GatewaySession,
  method: string,
  { member }: RequestTarget,
): boolean {
  return method === 'resources/unsubscribe' && subscriptions.has(member.value);
}

/**
 * Ends a subscription that has no backend at present, because another bundle has ended its session with the backend: no backend needs a notification.
 * Returns false for any other request.
 */
export function endsWithConnection(
  gateway: SessionsGateway,
  session: GatewaySession,
  method: string,
  target: RequestTarget,
): boolean {
  if (!endsSubscription(session, method, target)) return false;
  const { subscriptions } = session;
  const { value } = target.member;
  const connection = subscriptions.get(value) as BackendConnection;
  if (gateway.connections.get(connection.name) === connection) return false;
  subscriptions.delete(value);
  session.shared?.noteSubscription(value, undefined);
  return true;
}

/**
 * The backend of an ending subscription: the one that has the subscription, even if the resource now belongs to another backend by the lists.
 * Undefined for any other request.
 * @throws WireError for an unavailable backend
 */
export function endOfSubscription(
  session: GatewaySession,
  method: string,
  target: RequestTarget,
): Destination | undefined {
  if (!endsSubscription(session, method, target)) return undefined;
  const { value } = target.member;
  const connection = session.subscriptions.get(value) as BackendConnection;
  requireAvailable(connection);
  return { connection, originalName: value, paramHeaders: undefined };
}

function checkRoom({ subscriptions }: GatewaySession, uri: string): void {
  if (uri.length > MAX_WATCHED_URI_LENGTH) {
    const text = `params.uri must not be longer than ${MAX_WATCHED_URI_LENGTH} characters`;
    throw new WireError(WIRE_CODE.invalidParams, text);
  }
  let { length } = uri;
  for (const watched of subscriptions.keys()) length += watched.length;
  if (subscriptions.size < MAX_SUBSCRIPTIONS && length <= MAX_WATCHED_URIS_LENGTH) return;
  const most = `${MAX_SUBSCRIPTIONS} subscriptions to resources, of ${MAX_WATCHED_URIS_LENGTH} characters together`;
  throw new WireError(WIRE_CODE.refused, `a session has at most ${most}`);
}

/** Subscribes again to the resources whose connections were closed, as {@link placeSubscription} does. */
export async function moveSubscriptions(gateway: SessionsGateway, session: GatewaySession): Promise<void> {
  const { subscriptions } = session;
  const previous = [...subscriptions].filter(
    ([, connection]) => gateway.connections.get(connection.name) !== connection,
  );
  await Promise.all(
    previous.map(([uri, connection]) => {
      // The client may have disconnected or unsubscribed.
      const isStillSubscribed = () => subscriptions.get(uri) === connection;
      return placeSubscription(gateway, session, { uri, backend: connection.name, isStillSubscribed });
    }),
  );
}

/** A subscription whose resource may belong to another backend in a new bundle. */
export interface FormerSubscription {
  readonly uri: string;
  /** The name of its backend. */
  readonly backend: string;
  /** Called each time that more of the backends' lists becomes known. */
  readonly isStillSubscribed: () => boolean;
}

/**
 * Subscribes at the resource's current backend. Backends that have not answered yet may have the resource: if no other backend has it, the
 * subscription waits for them, and ends when all have answered.
 */
export async function placeSubscription(
  gateway: SessionsGateway,
  session: GatewaySession,
  previous: FormerSubscription,
): Promise<void> {
  const { uri, isStillSubscribed } = previous;
  for (let unknown: readonly BackendConnection[] | undefined; unknown?.length !== 0 && isStillSubscribed(); ) {
    await Promise.race(unknown?.map(({ monitor }) => monitor.well()) ?? [undefined]);
    await gateway.discovery.discover(session.sender);
    unknown = await gateway.scheduler.run(session, () => {
      if (!isStillSubscribed()) return [];
      const holder = findHolder(gateway, session, previous);
      if (holder !== undefined) {
        subscribe(gateway, session, uri, holder);
        return [];
      }
      const others = [...gateway.connections.values()].filter(({ monitor }) => !monitor.isKnown);
      if (others.length === 0) session.subscriptions.delete(uri);
      return others;
    });
  }
}

function findHolder(
  gateway: SessionsGateway,
  session: GatewaySession,
  { uri, backend }: FormerSubscription,
): BackendConnection | undefined {
  const route = gateway.getTable(session.sender).resource(uri);
  if (!mayReadBy(gateway.getAccess(session.caller), uri, route)) return undefined;
  return gateway.connections.get(route?.backend ?? findUnlistedHolder(gateway, session, uri, backend) ?? '');
}

function subscribe(gateway: SessionsGateway, session: GatewaySession, uri: string, holder: BackendConnection): void {
  session.subscriptions.set(uri, holder);
  const { monitor } = holder;
  const isStillSubscribed = () => session.subscriptions.get(uri) === holder;
  resubscribe({ session: session.listenToBackend(holder), monitor }, uri, isStillSubscribed).catch((error: Error) => {
    gateway.log.debug({ backend: holder.name, error: error.message }, 'a subscription could not be renewed');
  });
}

/** The backend that a subscription to an unlisted resource had before: the gateway tries no other. */
function findUnlistedHolder(
  gateway: SessionsGateway,
  session: GatewaySession,
  uri: string,
  previous: string,
): string | undefined {
  const backend = findUnlistedRoute(gateway, uri, session.sender)?.backend;
  return backend === previous ? backend : undefined;
}
