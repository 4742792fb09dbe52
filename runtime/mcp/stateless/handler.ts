import type { ReplicaMessage } from '../../shared-sessions/store.ts';
import type { ClientTraits } from '../client-traits.ts';
import type { Envelope } from '../envelope.ts';
import type { ClientResponder, MessageContext } from '../handler.ts';

/** Who sends a request of the stateless revision: everything that a session would know stands in its `_meta`. */
export interface StatelessCaller extends ClientTraits {
  readonly protocolVersion: string;
  /** `capabilities` as JSON text. */
  readonly capabilitiesText: string;
  /** The least severe log messages that the client wants during this request; none at all without it. */
  readonly logLevel?: string | undefined;
}

/** What a client asks for by `subscriptions/listen`, and what of it it will get. */
export interface NotificationFilter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  /** URIs of resources. */
  readonly resourceSubscriptions?: readonly string[];
}

/** A stream of notifications as the core feeds it. */
export interface NotificationSink {
  /** A notification as JSON text; the edge adds the subscription's id to it. */
  message(json: string): void;
}

/** A stream of notifications under way. */
export interface Subscription {
  /** The part of the filter that is honoured. */
  readonly honoured: NotificationFilter;
  /** The client has gone. */
  close(): void;
}

/** Name and version of a server. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
}

/** The gateway core behind the stateless revision. Throws are answered as with `McpHandler`. */
export interface StatelessHandler {
  /** Who answers, for `_meta` of results. May change with the bundle. */
  readonly serverInfo: Implementation;
  /** The members of a DiscoverResult that are the core's: `capabilities`, `instructions`. */
  discover(caller: StatelessCaller): { readonly [member: string]: unknown };
  /** One request, `server/discover` and `subscriptions/listen` excepted; writes exactly one answer. */
  request(caller: StatelessCaller, envelope: Envelope, answer: ClientResponder, context: MessageContext): void;
  /**
   * `subscriptions/listen`: `sink` receives what `filter` asks for until the subscription is closed.
   *
   * @param signal aborts when the client has gone, which may be before the subscription stands
   */
  subscribe(
    caller: StatelessCaller,
    filter: NotificationFilter,
    sink: NotificationSink,
    context: MessageContext,
    signal: AbortSignal,
  ): Promise<Subscription>;
  /** Another replica sent a message about a round: a request that goes on with a call at another replica than its own. */
  onReplicaMessage?(message: ReplicaMessage): void;
}
