import type { ReplicaMessage } from '../../shared-sessions/store.ts';
import type { ClientTraits } from '../client-traits.ts';
import type { Envelope } from '../envelope.ts';
import type { ClientResponder, MessageContext } from '../handler.ts';

/** The sender of a request of the stateless revision: its `_meta` contains all information that a session would store. */
export interface StatelessCaller extends ClientTraits {
  readonly protocolVersion: string;
  /** `capabilities` as JSON text. */
  readonly capabilitiesText: string;
  /** The least severe log messages that the client wants during this request; without it, none. */
  readonly logLevel?: string | undefined;
}

/** The requested notifications of `subscriptions/listen`, or the acknowledged ones. */
export interface NotificationFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  /** URIs of resources. */
  readonly resourceSubscriptions?: readonly string[];
}

/** A stream of notifications in the form that the core uses. */
export interface NotificationSink {
  /** A notification as JSON text; the edge adds the subscription's id. */
  message(json: string): void;
}

/** An open stream of notifications. */
export interface Subscription {
  /** The part of the filter that is honoured. */
  readonly honoured: NotificationFilter;
  /** The client has disconnected. */
  close(): void;
}

/** Name and version of a server. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
}

/** The gateway core behind the stateless revision. Throws are answered as with `McpHandler`. */
export interface StatelessHandler {
  /** The server's description of itself, for `_meta` of results. It may change with the bundle. */
  readonly serverInfo: Implementation;
  /** The members of a DiscoverResult that are the core's: `capabilities`, `instructions`. */
  discover(caller: StatelessCaller): { readonly [member: string]: unknown };
  /** Handles a request other than `server/discover` and `subscriptions/listen`; writes exactly one answer. */
  request(caller: StatelessCaller, envelope: Envelope, answer: ClientResponder, context: MessageContext): void;
  /** Whether a request has no effect, so that a client may send it again when its answer is lost. */
  onlyReads?(envelope: Envelope): boolean;
  /**
   * `subscriptions/listen`: `sink` receives the notifications of `filter` until the subscription is closed.
   * @param signal aborts when the client disconnects, which may be before the subscription is open
   */
  subscribe(
    caller: StatelessCaller,
    filter: NotificationFilter,
    sink: NotificationSink,
    context: MessageContext,
    signal: AbortSignal,
  ): Promise<Subscription>;
  /** Another replica sent a message about a round: a request that continues a call of another replica. */
  onReplicaMessage?(message: ReplicaMessage): void;
}
