import type { IncomingMessage } from 'node:http';
import type { AbortSource } from '#util';
import type { AuthGeneration } from '../auth/auth-generation.ts';
import type { Identity } from '../auth/identity.ts';
import type { ResponseSink } from '../gateway/backends/backend.ts';
import type { RequestRecord } from '../observe/audit/request-record.ts';
import type { ReplicaMessage, SessionFields } from '../shared-sessions/store.ts';
import type { Envelope } from './envelope.ts';
import type { TraceContext } from './trace-context.ts';
import type { WireError } from './wire-error.ts';

/** A client's session in the form that the gateway core uses. `S` is the core's own state of it. */
export interface ClientSession<S> {
  /** UUID v4, as in `Mcp-Session-Id`. It works like a credential: do not log it. */
  readonly id: string;
  /** The negotiated revision. */
  readonly protocolVersion: string;
  readonly payload: S;
  /**
   * Sends an unsolicited message on the newest open stream. Without a stream, a `…/list_changed` notification is kept, once per method, until a
   * stream opens; other messages are dropped. Returns false for a dropped message.
   */
  send(json: string): boolean;
  /** Ends the session: its streams end, `McpHandler.closed` is called, and the id is unknown from now on. */
  close(): void;
}

/** A request to a backend. */
export interface SentRequest {
  readonly backend: string;
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** The client's name of a tool or prompt, or the URI of a resource. */
  readonly name: string;
  /** The backend's name of the item. */
  readonly originalName: string;
}

/** A run of a workflow. */
export interface StartedRun {
  readonly id: string;
  /** The client's name of the workflow. */
  readonly workflow: string;
  /** The client's trace, which calls of steps carry when the gateway does not trace requests. */
  readonly trace: TraceContext | undefined;
}

/** Observes a run of a workflow. */
export interface ObservedRun {
  /** @param type type of the step */
  stepStarted(step: string, type: string): void;
  /**
   * A step has ended, or was skipped.
   * @param reason the class of its failure; empty without one
   */
  stepEnded(step: string, type: string, status: 'completed' | 'failed' | 'skipped', reason: string): void;
  /**
   * The sink of the backend's answer to a step's call.
   * @param tool its name for clients, or the name that it would have if it were not hidden
   */
  call(step: string, tool: string, answer: ClientResponder): ClientResponder;
  /**
   * The run has ended, or continues with another request of its client. Only the first call has an effect.
   * @param reason the class of its failure; empty without one
   */
  ended(status: 'completed' | 'failed' | 'waiting', reason: string): void;
}

/**
 * The sink of the gateway core's answer to one client request. Exactly one of `result`, `error`, `end` (after `start` and `data`), `fail` and
 * `cancel` ends it; later calls are ignored. Once the client has disconnected, it ignores all calls, and a full sink reports that it has room.
 * As an `AbortSource` it reports that the client disconnects or cancels before the answer is complete.
 */
export interface ClientResponder extends Omit<ResponseSink, 'message' | 'request'>, AbortSource {
  /** Answers with a result in JSON text or its UTF-8 bytes, which it does not parse. Bytes must not change afterwards. */
  result(json: string | Buffer): void;
  /** Answers with a JSON-RPC error: with HTTP 200 in a session, except for a denial (403). */
  error(error: WireError): void;
  /**
   * A message before the answer, as JSON text; it may be a request to the client (elicitation, sampling, roots), whose answer
   * `McpHandler.response` gets. Returns false when it was not delivered: the client accepts no event stream, or has its answer already.
   */
  message(json: string): boolean;
  /** The answer will take a while: opens the event stream if possible, so that a client can leave and return. */
  hold(): void;
  /** Ends without an answer: the client has cancelled the request, or no longer wants it. Aborts. */
  cancel(): void;
  /** Calls back once when it aborts, or at once when it has aborted already. */
  onAbort(callback: () => void): void;
  /**
   * Called synchronously when the request is sent to a backend; defined when requests are observed.
   * @returns the trace context for the backend; undefined when requests are not traced
   */
  sentTo?(sent: SentRequest): TraceContext | undefined;
  /** Called when the request starts or continues a run of a workflow; defined when requests are observed. */
  runs?(run: StartedRun): ObservedRun;
  /** Called when a limit rejects the call; defined when requests are observed. */
  limited?(rejectedBy: string): void;
  /** Called when the call is one of the optimizer's own tools; defined when requests are observed. */
  optimizes?(work: OptimizerWork): void;
}

/** A call of `find_tool`, or a call through `call_tool`. */
export interface OptimizerWork {
  readonly span: 'optimizer.FindTool' | 'optimizer.CallTool';
  /** Name of the optimizer's tool, when the call calls no other tool. */
  readonly name: string | undefined;
  /** Called once. @param errorType empty after a success */
  ended(errorType: string, seconds: number): void;
}

/** The HTTP context of a message: headers to forward, the connection, and the sender. */
export interface MessageContext {
  readonly http: IncomingMessage;
  /** The identity of the sender; in a session, its owner, with the token of this message. */
  readonly identity: Identity;
  /** The rules that admitted the caller. */
  readonly rules: AuthGeneration;
  /** The request's record for the audit log; undefined when there is none. */
  readonly record: RequestRecord | undefined;
}

/** The contents of an `initialize` request. */
export interface InitializeRequest extends MessageContext {
  /** The params, parsed. An object. */
  readonly params: { readonly [name: string]: unknown };
  /** The revision for the answer, already negotiated. */
  readonly protocolVersion: string;
}

/** The outcome of `initialize`. */
export interface InitializeOutcome<S> {
  readonly session: S;
  /** The InitializeResult as JSON text. */
  readonly result: string;
  /** The data from which another replica continues the session, by {@link McpHandler.restore}. */
  readonly fields?: SessionFields;
}

/**
 * The gateway core behind the client edge. A synchronous throw is answered with -32603 and logged (a thrown WireError is the answer); the core
 * itself must catch later errors.
 */
export interface McpHandler<S> {
  /** Answers `initialize`. A thrown or rejected WireError becomes the answer. */
  initialize(request: InitializeRequest): InitializeOutcome<S> | Promise<InitializeOutcome<S>>;
  /** The session exists from now on; called before the client learns its id. */
  opened?(session: ClientSession<S>): void;
  /** One request; the core sends exactly one answer. */
  request(session: ClientSession<S>, envelope: Envelope, answer: ClientResponder, context: MessageContext): void;
  notification(session: ClientSession<S>, envelope: Envelope, context: MessageContext): void;
  /** The client's answer to a request of the gateway (elicitation, sampling, roots). */
  response(session: ClientSession<S>, envelope: Envelope, context: MessageContext): void;
  /** A client has opened a standing stream: unsolicited messages of backends can reach it from now on. */
  listening?(session: ClientSession<S>): void;
  /**
   * The session has ended: DELETE, expiry, `ClientSession.close` or shutdown.
   * @param isLeft other replicas continue it
   */
  closed(session: ClientSession<S>, isLeft: boolean): void;
  /** Creates the core's own state of a session that another replica opened. */
  restore?(context: MessageContext, fields: SessionFields): S;
  /** Called with the session's stored fields when they were loaded, and with fields that another replica changed. */
  shared?(session: ClientSession<S>, fields: Readonly<Record<string, string | null>>): void;
  /** Another replica sent a message about the session. */
  onReplicaMessage?(session: ClientSession<S>, message: ReplicaMessage): void;
  /** Another replica sent a message about a backend's stream, in a current or former session of this replica. */
  onStreamMessage?(message: ReplicaMessage): void;
  /**
   * Another replica sent a message about the use of sessions with backends.
   * @param find returns the session with this key, if this replica has it
   */
  onUseMessage?(message: ReplicaMessage, find: (key: string) => ClientSession<S> | undefined): void;
}
