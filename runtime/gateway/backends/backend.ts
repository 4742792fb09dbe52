/**
 * The edge towards backends, in raw JSON-RPC text: what a backend answers is handed on as it came, so unknown fields and
 * content types survive. Implementations: `streamable-http.ts`, `sse.ts`, `stateless/stateless.ts`, and `era-switching-session.ts`,
 * which is whichever of them the backend understands.
 */
import type { AbortSource } from '#util';
import type { Envelope } from '../../mcp/envelope.ts';
import type { TraceContext } from '../../mcp/trace-context.ts';

/** Where the answer to one request goes. Exactly one of `end` and `fail` is called, once, and nothing after it. */
export interface ResponseSink {
  /** A notification that precedes the answer on its stream (progress, logging). */
  message(notification: Envelope): void;
  /**
   * A request of the backend to its client, made while it works on this one: a sound message; `id` is JSON text. A sink that takes it owes
   * the answer (`BackendSession.post`). Without this method such requests are refused in the backend's session.
   */
  request?(json: string, id: string, method: string): void;
  /** The backend has put the answer off: it closed its stream and lets the request be resumed. */
  delayed?(): void;
  /** How long the backend wants a client to wait that comes back for the rest of its stream (`retry`; milliseconds, within bounds). */
  retry?(ms: number): void;
  /**
   * The answer is a JSON document that follows as chunks; `length` in bytes when known. Called before the first `data`.
   * `httpStatus` is given when the document is an error that came with another status than 200.
   */
  start(length: number | undefined, httpStatus?: number): void;
  /**
   * A chunk of the answer. Returns false when the sink is full: stop until `onDrain` is called. The sender does not look at a
   * chunk again, whose memory may be given back (`writeAndRelease`): a sink that hands chunks on and keeps them copies them. One that
   * only gathers them need not, since what is given back holds chunks of one answer.
   */
  data(chunk: Uint8Array): boolean;
  /** Calls back, once, when a full sink takes data again. */
  onDrain(resume: () => void): void;
  /** The answer is complete. */
  end(): void;
  /** No complete answer came. After `start` the sink cannot take anything back: it breaks its own connection. */
  fail(error: BackendError): void;
}

/** One JSON-RPC request as it goes to the backend. */
export interface BackendRequest {
  /** The whole message as JSON text; its `id` is the JSON text `id`. */
  readonly text: string;
  /** The id as JSON text (`7` or `"a"`): answers on a shared stream are told apart by it. */
  readonly id: string;
  readonly method: string;
  /** `params.name`, `params.uri` or `params.taskId` as the backend knows it: `Mcp-Name` towards a stateless backend. */
  readonly name?: string | undefined;
  /** `Mcp-Param-…` headers towards a stateless backend, already encoded; names and values alternate. */
  readonly paramHeaders?: readonly string[] | undefined;
  /** Further ones of the client, which the tool was not known to ask for; likewise. None has a name of `paramHeaders`. */
  readonly unknownHeaders?: readonly string[] | undefined;
  /**
   * The message carries the `_meta` of a stateless client, and its answer is for such a client: towards a stateless backend
   * nothing is added to the one, and `input_required` in the other is handed on. A session with a backend that keeps sessions
   * does not take it: the sink gets an `InSessionsError`.
   */
  readonly isStateless?: boolean | undefined;
  /**
   * The message is that of a stateless client in the words of a session. A stateless backend does not get it: the sink gets a
   * `WithoutSessionsError`, and the message can go as it was.
   */
  readonly isBridged?: boolean | undefined;
  /** Whom it is sent for, where others share the session: its credential and forwarded headers. */
  readonly sender?: object | undefined;
  /** The trace that it belongs to, which stands in its `_meta` already: for the headers. */
  readonly trace?: TraceContext | undefined;
  /** How long the backend may be silent, when that is not what its plan says; milliseconds. */
  readonly timeoutMs?: number | undefined;
  /** Aborting stops reading. That cancels the request at a stateless backend; one with sessions gets `notifications/cancelled`. */
  readonly signal?: AbortSource | undefined;
}

/** What a backend answered to `initialize` or `server/discover`, verbatim. */
export interface BackendIdentity {
  readonly protocolVersion: string;
  readonly capabilities: { readonly [name: string]: unknown };
  readonly serverInfo: { readonly [name: string]: unknown };
}

/**
 * One MCP session with one backend. Opening is lazy and single-flight: the first request initializes. A session that the
 * backend forgot (HTTP 404, or 400 to a ping as well) is initialized again once and the request is sent again; the new session
 * gets the log level and the subscriptions of the previous one. A stateless backend looks the same from here.
 */
export interface BackendSession {
  /** What the backend says comes on one stream, whichever request it is about: of what it says late nothing tells. */
  readonly sharesOneStream: boolean;
  /** The backend keeps a session, which `close` ends. */
  readonly isOpen?: boolean;
  /** Initializes when that has not happened; rejects with BackendError. */
  open(): Promise<BackendIdentity>;
  /** Sends a request and delivers the answer to `sink`. Never throws: failures arrive at `sink.fail`. */
  request(request: BackendRequest, sink: ResponseSink): void;
  /** Sends a notification or a response (JSON text); failures are ignored except for the log. */
  post(text: string): Promise<void>;
  /**
   * Receives what belongs to no request where everything comes on one stream (HTTP+SSE): opens nothing, keeps nothing open, and
   * receives nothing else. `listen` takes its place.
   */
  receive(listener: BackendListener): void;
  /**
   * Receives what belongs to no request (`list_changed`, ...). Opens the standing stream where the transport has a separate
   * one; a backend without it (405) is not an error. Reconnects by itself until the session is closed.
   */
  listen(listener: BackendListener): void;
  /**
   * Ends the session (DELETE where there is a session id) and frees its connections. Never rejects; may be called again.
   *
   * @param isLeft the session stays at the backend: other replicas go on with it
   */
  close(isLeft?: boolean): Promise<void>;
  /** Receives no more what belongs to no request, and closes the stream for that. */
  unlisten?(): void;
  /**
   * The client has subscribed to a resource at another replica, or has ended that. A session that replicas share needs to know when it is
   * opened again; one that is of this replica alone subscribes as well.
   */
  subscribedElsewhere?(uri: string, isSubscribed: boolean): void;
  /** Another replica has opened the session again, since the backend had forgotten it: this replica goes on with that one. */
  moveTo?(session: SavedBackendSession): void;
}

/** A session with a backend as replicas share it. */
export interface SavedBackendSession {
  /** As in `Mcp-Session-Id`; for HTTP+SSE, where messages are posted. */
  readonly id: string;
  /** The replica that has the stream of a session over HTTP+SSE; undefined for Streamable HTTP. */
  readonly holder?: number | undefined;
  readonly identity: BackendIdentity;
}

/** Receives what a backend sends of its own accord. */
export interface BackendListener {
  message(notification: Envelope): void;
  /** A request outside of any of ours: a sound message; `id` is JSON text. Without this method it is refused. */
  request?(json: string, id: string, method: string): void;
  /** The backend is back after a gap: notifications may have been missed. */
  missed?(): void;
  /** The backend's session is gone, and what it asked with it: the next one may ask something else under the same id. */
  lost?(): void;
}

/** Why a backend gave no answer; `reason` is a closed set for metrics and status. */
export type BackendFailure =
  | 'connection_failed'
  | 'timeout'
  /** As many calls as may be are under way already, and it has waited too long behind them. */
  | 'busy'
  /** The circuit breaker has not let it through. */
  | 'circuit_open'
  | 'unauthenticated'
  /** The caller has to log in again: nothing else helps. */
  | 'login_required'
  | 'http_error'
  | 'protocol_error'
  | 'too_large'
  | 'address_refused'
  | 'aborted';

/** A failure on the way to or from a backend. The message names the backend and the cause, never a credential or a URL query. */
export class BackendError extends Error {
  readonly reason: BackendFailure;
  readonly backend: string;
  readonly httpStatus: number | undefined;
  constructor(backend: string, reason: BackendFailure, message: string, httpStatus?: number) {
    super(`backend "${backend}": ${message}`);
    this.name = 'BackendError';
    this.reason = reason;
    this.backend = backend;
    this.httpStatus = httpStatus;
  }
}
