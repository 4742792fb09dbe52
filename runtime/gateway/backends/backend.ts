/**
 * The interface to backends, in raw JSON-RPC text: responses are forwarded unchanged, so that unknown fields and content types survive.
 * Implementations: `streamable-http.ts`, `sse.ts`, `stateless/stateless.ts`, and `era-switching-session.ts`, which chooses the one that the
 * backend supports.
 */
import type { AbortSource } from '#shared/util';
import type { Envelope } from '../../mcp/envelope.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import type { TraceContext } from '../../mcp/trace-context.ts';

/** One JSON-RPC request to the backend. */
export interface BackendRequest {
  /** The whole message as JSON text; its `id` is the JSON text `id`. */
  readonly text: string;
  /** The id as JSON text (`7` or `"a"`), to match responses on a shared stream. */
  readonly id: string;
  readonly method: string;
  /** `params.name`, `params.uri` or `params.taskId` as the backend knows it: the `Mcp-Name` header of a stateless backend. */
  readonly name?: string | undefined;
  /** Encoded `Mcp-Param-…` headers for a stateless backend; names and values alternate. */
  readonly paramHeaders?: readonly string[] | undefined;
  /** Further `Mcp-Param-…` headers of the client, which the tool is not known to require. No name is in `paramHeaders`. */
  readonly unknownHeaders?: readonly string[] | undefined;
  /**
   * The message has the `_meta` of a stateless client, which also gets the response: for a stateless backend nothing is added to the message,
   * and `input_required` responses are forwarded. A session backend does not accept it: the sink gets an `InSessionsError`.
   */
  readonly isStateless?: boolean | undefined;
  /**
   * The message of a stateless client, converted to session form. A stateless backend does not accept it: the sink gets a
   * `WithoutSessionsError`, and the original message can be sent instead.
   */
  readonly isBridged?: boolean | undefined;
  /** The sender, if several callers share the session: its credential and forwarded headers apply. */
  readonly sender?: object | undefined;
  /** The trace, which is already in the message's `_meta`: for the headers. */
  readonly trace?: TraceContext | undefined;
  /** Timeout of inactivity, if it differs from the plan's; milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Aborting stops reading. It cancels the request at a stateless backend; a session backend gets `notifications/cancelled`. */
  readonly signal?: AbortSource | undefined;
}

/** A backend's verbatim answer to `initialize` or `server/discover`. */
export interface BackendIdentity {
  readonly protocolVersion: string;
  readonly capabilities: { readonly [name: string]: unknown };
  readonly serverInfo: { readonly [name: string]: unknown };
}

/**
 * One MCP session with one backend. Opening is lazy and single-flight: the first request initializes. A session that the backend lost (HTTP 404,
 * or 400 that a ping gets as well) is initialized again once, and the request is repeated; the new session gets the log level and subscriptions
 * of the previous one. A stateless backend has the same interface.
 */
export interface BackendSession {
  /** Whether all messages of the backend share one stream, so that late messages cannot be matched to a request. */
  readonly sharesOneStream: boolean;
  /** Whether the backend has a session for this client, which `close` ends. */
  readonly isOpen?: boolean;
  /** Initializes if needed; rejects with BackendError. */
  open(): Promise<BackendIdentity>;
  /** Sends a request and delivers the response to `sink`. Never throws: failures call `sink.fail`. */
  request(request: BackendRequest, sink: ResponseSink): void;
  /** Sends a notification or a response (JSON text); failures are only logged. */
  post(text: string): Promise<void>;
  /**
   * Receives messages that belong to no request, if all messages share one stream (HTTP+SSE). Opens no connection, and leaves none open. If `listen`
   * is called after it, its receiver replaces this one.
   */
  receive(listener: BackendListener): void;
  /**
   * Receives messages that belong to no request (`list_changed`, ...). Opens the standing stream of transports that have one; a backend without
   * it (405) is not an error. Reconnects until the session is closed.
   */
  listen(listener: BackendListener): void;
  /**
   * Ends the session (DELETE where there is a session id) and frees its connections. Never rejects; may be called again.
   *
   * @param isLeft whether the session is not ended at the backend, because other replicas use it
   */
  close(isLeft?: boolean): Promise<void>;
  /** Stops receiving messages that belong to no request, and closes their stream. */
  unlisten?(): void;
  /**
   * Called when the client subscribed to a resource, or unsubscribed, at another replica. A session that replicas share only records it, for the time
   * when it has to be opened again; a session of this replica alone subscribes as well.
   */
  subscribedElsewhere?(uri: string, isSubscribed: boolean): void;
  /** Called when another replica opened a new session after the backend lost the shared one: this replica continues with the new session. */
  moveTo?(session: SavedBackendSession): void;
}

/** A session that knows its backend: errors contain the backend's name. */
export type NamedBackendSession = BackendSession & { readonly backend: string };

/** A backend session in the form in which replicas share it. */
export interface SavedBackendSession {
  /** As in `Mcp-Session-Id`; for HTTP+SSE, the URL for posting messages. */
  readonly id: string;
  /** The replica with the HTTP+SSE stream; undefined for Streamable HTTP. */
  readonly holder?: number | undefined;
  readonly identity: BackendIdentity;
}

/** Receives unsolicited messages of a backend. */
export interface BackendListener {
  message(notification: Envelope): void;
  /**
   * A request of the backend outside of any client request: the message is valid, and `id` is JSON text. Without this method such requests
   * are refused.
   */
  request?(json: string, id: string, method: string): void;
  /** Called when the backend is available again after a gap: notifications may have been lost. */
  missed?(): void;
  /** Called when the backend's session is lost with its unanswered questions: the next session may use their ids for other questions. */
  lost?(): void;
}
