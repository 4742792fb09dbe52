/** `subscriptions/listen`: changes of the gateway's lists, and updates of resources from their backends. */
import { OURSELVES } from '../../mcp/client-traits.ts';
import type { Envelope } from '../../mcp/envelope.ts';
import type { NotificationFilter, NotificationSink, Subscription } from '../../mcp/stateless/handler.ts';
import type { BackendSession } from '../backends/backend.ts';
import { requestResult } from '../backends/collect.ts';
import { resubscribe } from '../backends/resubscribe.ts';
import { requireCurrentAuth, type Sender } from '../backends/sender.ts';
import { untilAborted } from '../backends/until-aborted.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { mayRead, mayReadBy } from '../routing/access.ts';
import { readUpdatedResource } from '../routing/resource-updates.ts';
import type { StatelessGateway, SubscriptionListener } from './stateless-gateway.ts';

/**
 * How long a stream waits for an answer of its resources' backends, in milliseconds: as long as a first list does; and for all of them while
 * answers keep arriving. Concurrent streams take turns at one backend.
 */
const WAIT_MS = 3_000;
const WAIT_FOR_ALL_MS = 30_000;

/**
 * Opens the stream of notifications that `filter` requests. The acknowledgement omits a resource that the caller may not read or whose
 * subscription failed.
 * @param signal aborts when the client disconnects: later subscriptions are not sent
 */
export async function subscribe(
  gateway: StatelessGateway,
  filter: NotificationFilter,
  sink: NotificationSink,
  sender: Sender,
  signal: AbortSignal,
): Promise<Subscription> {
  await gateway.settled();
  const resources = filter.resourceSubscriptions ?? [];
  if (resources.length > 0) await gateway.discovery.discover(sender);
  requireCurrentAuth(sender);
  const watch = new ResourceWatch(gateway, sink, sender);
  const methods = new Set<string>();
  if (filter.toolsListChanged === true) methods.add('notifications/tools/list_changed');
  if (filter.promptsListChanged === true) methods.add('notifications/prompts/list_changed');
  if (filter.resourcesListChanged === true) methods.add('notifications/resources/list_changed');
  const listener: SubscriptionListener = {
    sender,
    listChanged: (method, json) => {
      if (methods.has(method)) sink.message(json);
    },
    swapped: () => watch.follow(),
  };
  // The stream is registered before the backends have answered, because another bundle may arrive meanwhile.
  gateway.listeners.add(listener);
  const close = () => {
    gateway.listeners.delete(listener);
    watch.close();
  };
  signal.addEventListener('abort', close);
  if (signal.aborted) close();
  const honoured = await watch.add(resources);
  return {
    honoured: {
      ...(filter.toolsListChanged === true && { toolsListChanged: true }),
      ...(filter.promptsListChanged === true && { promptsListChanged: true }),
      ...(filter.resourcesListChanged === true && { resourcesListChanged: true }),
      ...(honoured.length > 0 && { resourceSubscriptions: honoured }),
    },
    close,
  };
}

/** The resources of one stream: a session with each of their backends. */
class ResourceWatch {
  readonly #gateway: StatelessGateway;
  readonly #sink: NotificationSink;
  readonly #sender: Sender;
  readonly #sessions = new Map<BackendConnection, BackendSession>();
  readonly #holders = new Map<string, BackendConnection>();
  /** Aborted on timeout or when the client disconnects: subscriptions that are not acknowledged yet are then dropped. */
  readonly #late = new AbortController();
  #isClosed = false;

  constructor(gateway: StatelessGateway, sink: NotificationSink, sender: Sender) {
    this.#gateway = gateway;
    this.#sink = sink;
    this.#sender = sender;
  }

  /**
   * Subscribes; returns the URIs whose subscription succeeded in time, in their order. The other resources get no notifications, even if
   * they succeed later: one backend must not delay the notifications of the others.
   */
  async add(uris: readonly string[]): Promise<string[]> {
    const distinctUris = [...new Set(uris)];
    const waiting = new Set(distinctUris);
    const late = this.#late;
    const { signal } = late;
    if (signal.aborted) return [];
    const end = () => this.#endAdding();
    const silence = setTimeout(end, WAIT_MS).unref();
    const limit = setTimeout(end, WAIT_FOR_ALL_MS).unref();
    const subscribed = distinctUris.map(async uri => {
      await this.#subscribe(late, uri, (session, { watching }) =>
        watching.run(late, () => requestResult(session, 'resources/subscribe', { uri }, { signal })),
      );
      waiting.delete(uri);
      silence.refresh();
    });
    await untilAborted(Promise.all(subscribed), signal).catch(() => {});
    clearTimeout(silence);
    clearTimeout(limit);
    for (const uri of waiting) this.#holders.delete(uri);
    return distinctUris.filter(uri => this.#holders.has(uri));
  }

  /** Called when another bundle is served: subscribes again to the resources of closed connections. */
  follow(): void {
    const isGone = (connection: BackendConnection) => this.#gateway.connections.get(connection.name) !== connection;
    const moved = [...this.#holders].filter(([, connection]) => isGone(connection));
    for (const [connection, session] of this.#sessions) {
      if (!isGone(connection)) continue;
      this.#sessions.delete(connection);
      void connection.endSession(session);
    }
    for (const [uri, { name }] of moved) {
      // Until the resource's backend is known again, the end of the former session must not count as a refusal.
      const next = this.#gateway.connections.get(name);
      if (next === undefined) this.#holders.delete(uri);
      else this.#holders.set(uri, next);
    }
    if (moved.length > 0) void this.#renewAll(moved.map(([uri]) => uri));
  }

  /** Subscribes again, which may have to wait: the new connections may not have given this caller any lists yet. */
  async #renewAll(uris: readonly string[]): Promise<void> {
    await this.#gateway.discovery.discover(this.#sender);
    for (const uri of uris) void this.#renew(uri);
  }

  #endAdding(): void {
    const late = this.#late;
    late.abort();
    this.#gateway.scheduler.drop(late);
    for (const { watching } of this.#sessions.keys()) watching.drop(late);
  }

  close(): void {
    this.#isClosed = true;
    this.#endAdding();
    this.#gateway.scheduler.drop(this);
    for (const [connection, session] of this.#sessions) void connection.endSession(session);
    this.#sessions.clear();
    this.#holders.clear();
  }

  /** Subscribes again to a resource that the acknowledgement has named to the client. */
  #renew(uri: string): Promise<void> {
    return this.#subscribe(this, uri, (session, connection) => {
      const { monitor } = connection;
      return resubscribe({ session, monitor }, uri, () => this.#holders.get(uri) === connection);
    });
  }

  /**
   * Subscribes to a resource in its turn.
   * @param owner the owner of the turns
   */
  async #subscribe(
    owner: object,
    uri: string,
    send: (session: BackendSession, connection: BackendConnection) => Promise<unknown>,
  ): Promise<void> {
    let connection: BackendConnection | undefined;
    try {
      const session = await this.#gateway.scheduler.run(owner, () => {
        const isOver = this.#isClosed || this.#sender.rules.isSuperseded;
        connection = isOver ? undefined : this.#findConnection(uri);
        if (connection === undefined) {
          this.#holders.delete(uri);
          return undefined;
        }
        this.#holders.set(uri, connection);
        return this.#openSession(connection);
      });
      if (session !== undefined && connection !== undefined) await send(session, connection);
    } catch (error) {
      // Only if the backend is still the one of the resource: another bundle may have changed that meanwhile.
      if (this.#holders.get(uri) === connection) this.#holders.delete(uri);
      const { message } = error as Error;
      this.#gateway.log.debug({ backend: connection?.name, error: message }, 'a resource could not be subscribed to');
    }
  }

  /** The backend from which the caller may read the resource. */
  #findConnection(uri: string): BackendConnection | undefined {
    const route = this.#gateway.getTable(this.#sender).resource(uri);
    const isPermitted = mayReadBy(this.#gateway.getAccess(this.#sender.identity), uri, route);
    return route === undefined || !isPermitted ? undefined : this.#gateway.connections.get(route.backend);
  }

  #openSession(connection: BackendConnection): BackendSession {
    let session = this.#sessions.get(connection);
    if (session === undefined) {
      session = connection.openSession(OURSELVES, () => this.#sender);
      session.listen({
        message: notification => this.#handleMessage(connection, notification),
      });
      this.#sessions.set(connection, session);
    }
    return session;
  }

  /** Forwards an update. Backends may send updates of sub-resources; the gateway forwards only those of resources that the client subscribed to. */
  #handleMessage(connection: BackendConnection, notification: Envelope): void {
    const uri = readUpdatedResource(notification);
    if (uri === undefined) return;
    const isOurs = [...this.#holders].some(
      ([subscribed, holder]) => holder === connection && uri.startsWith(subscribed),
    );
    if (isOurs && this.#mayRead(uri)) this.#sink.message(notification.text);
  }

  #mayRead(uri: string): boolean {
    return mayRead(this.#gateway.getAccess(this.#sender.identity), uri);
  }
}
