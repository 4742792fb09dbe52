/** Subscriptions to resources of client sessions: kept next to the session, because a new bundle may move a resource. */
import { MAX_WATCHED_URI_LENGTH, MAX_WATCHED_URIS_LENGTH } from '../../mcp/client-limits.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import { detachString } from '../../tuning/detach-string.ts';
import type { ResponseSink } from '../backends/backend.ts';
import { resubscribe } from '../backends/resubscribe.ts';
import type { BackendConnection } from '../connection.ts';
import type { Gateway } from '../gateway.ts';
import { mayReadBy } from '../routing/access.ts';
import { type Destination, requireAvailable, type Target } from '../routing/targets.ts';
import { unlistedRoute } from '../routing/unlisted-resources.ts';
import type { GatewaySession } from './client-session.ts';

/** Resources that one session can be subscribed to: their URIs are kept. */
export const MAX_SUBSCRIPTIONS = 1_000;

/**
 * Notes what a relayed request subscribes to, and listens where the updates come.
 *
 * @returns where the answer has to go: to `sink`, past what takes back a subscription that the backend refuses
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

/** Whether a request ends a subscription that the session has. */
export function endsSubscription({ subscriptions }: GatewaySession, method: string, { member }: Target): boolean {
  return method === 'resources/unsubscribe' && subscriptions.has(member.value);
}

/**
 * Ends a subscription whose session at the backend another bundle has ended, and that has not been moved yet: no backend need be notified.
 * False for any other request.
 */
export function endsWithConnection(gateway: Gateway, session: GatewaySession, method: string, target: Target): boolean {
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
 * Where a subscription of the session ends: where it began, whatever is listed by now. Undefined for any other request.
 *
 * @throws WireError for a backend that is away
 */
export function endOfSubscription(session: GatewaySession, method: string, target: Target): Destination | undefined {
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

/** Subscribes again to what was subscribed to over connections that are closed, as {@link placeSubscription}. */
export async function moveSubscriptions(gateway: Gateway, session: GatewaySession): Promise<void> {
  const { subscriptions } = session;
  const previous = [...subscriptions].filter(
    ([, connection]) => gateway.connections.get(connection.name) !== connection,
  );
  await Promise.all(
    previous.map(([uri, connection]) => {
      // The client may have gone, or have changed its mind.
      const isWanted = () => subscriptions.get(uri) === connection;
      return placeSubscription(gateway, session, { uri, backend: connection.name, isWanted });
    }),
  );
}

/** A subscription to a resource that another bundle may have placed elsewhere. */
export interface FormerSubscription {
  readonly uri: string;
  /** The name of the backend where it was made. */
  readonly backend: string;
  /** Asked each time when more is known of what backends offer. */
  readonly isWanted: () => boolean;
}

/**
 * Subscribes where the resource is now. Backends that have not answered yet may have it: with none that has, they are waited for, and
 * when all have answered, the subscription ends.
 */
export async function placeSubscription(
  gateway: Gateway,
  session: GatewaySession,
  previous: FormerSubscription,
): Promise<void> {
  const { uri, isWanted } = previous;
  for (let unknown: readonly BackendConnection[] | undefined; unknown?.length !== 0 && isWanted(); ) {
    await Promise.race(unknown?.map(({ monitor }) => monitor.well()) ?? [undefined]);
    await gateway.discovery.discover(session.sender);
    unknown = await gateway.slices.run(session, () => {
      if (!isWanted()) return [];
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
  gateway: Gateway,
  session: GatewaySession,
  { uri, backend }: FormerSubscription,
): BackendConnection | undefined {
  const route = gateway.getTable(session.sender).resource(uri);
  if (!mayReadBy(gateway.getAccess(session.caller), uri, route)) return undefined;
  return gateway.connections.get(route?.backend ?? unlistedHolder(gateway, session, uri, backend) ?? '');
}

function subscribe(gateway: Gateway, session: GatewaySession, uri: string, holder: BackendConnection): void {
  session.subscriptions.set(uri, holder);
  const { monitor } = holder;
  const isWanted = () => session.subscriptions.get(uri) === holder;
  resubscribe({ session: session.listenToBackend(holder), monitor }, uri, isWanted).catch((error: Error) => {
    gateway.log.debug({ backend: holder.name, error: error.message }, 'a subscription could not be renewed');
  });
}

/** The backend of a subscription to an unlisted resource stays the same: no other is asked for what it may not know of. */
function unlistedHolder(gateway: Gateway, session: GatewaySession, uri: string, previous: string): string | undefined {
  const backend = unlistedRoute(gateway, uri, session.sender)?.backend;
  return backend === previous ? backend : undefined;
}
