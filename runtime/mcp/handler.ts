import type { IncomingMessage } from 'node:http';
import type { AbortSource } from '#shared/util';
import type { AuthGeneration } from '../auth/auth-generation.ts';
import type { Identity } from '../auth/identity.ts';
import type { ReplicaMessage, SessionFields } from '../shared-sessions/store.ts';
import type { Envelope } from './envelope.ts';
import type { RequestRecord } from './request-record.ts';
import type { ResponseSink } from './response-sink.ts';
import type { TraceContext } from './trace-context.ts';
import type { WireError } from './wire-error.ts';

/** A client's session in the form that the gateway core uses. `S` is the core's own state of the session. */
export interface ClientSession<S> {
  /** UUID v4, as in `Mcp-Session-Id`. It works like a credential: do not log it. */
  readonly id: string;
  /** The negotiated revision. */
  readonly protocolVersion: string;
  readonly payload: S;
  /**
   * Sends an unsolicited message on the newest open GET stream. Without a stream, the session keeps the last `…/list_changed` notification of each
   * method until a stream opens, and drops other messages. Returns false for a dropped message.
   */
  send(json: string): boolean;
  /** Ends the session: its streams end, `McpHandler.closed` is called, and the id is unknown from now on. */
  close(): void;
}

/** A request that the gateway sends to a backend, as the observer of a client's request sees it. */
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
  /** The trace context of the client, which the calls of steps get if the gateway does not trace requests. */
  readonly trace: TraceContext | undefined;
}

/** Observes a run of a workflow. */
export interface ObservedRun {
  /** @param type type of the step */
  stepStarted(step: string, type: string): void;
  /**
   * A step has ended, or was skipped.
   * @param reason the class of the step's failure; empty without a failure
   */
  stepEnded(step: string, type: string, status: 'completed' | 'failed' | 'skipped', reason: string): void;
  /**
   * The sink of the backend's answer to a step's call.
   * @param tool the name of the tool for clients, or the name that it would have if it were not hidden
   */
  call(step: string, tool: string, answer: ClientResponder): ClientResponder;
  /**
   * The run has ended, or continues with another request of its client. Only the first call has an effect.
   * @param reason the class of the run's failure; empty without a failure
   */
  ended(status: 'completed' | 'failed' | 'waiting', reason: string): void;
}

/**
 * Receives the gateway core's answer to one client request. Exactly one of `result`, `error`, `end` (after `start` and `data`), `fail` and `cancel`
 * ends the answer; later calls are ignored. Once the client has disconnected, all calls are ignored, and a full responder reports that it has room.
 * As an `AbortSource`, the responder reports that the client disconnects or cancels before the answer is complete.
 */
export interface ClientResponder extends Omit<ResponseSink, 'message' | 'request'>, AbortSource {
  /** Answers with a result, as JSON text or its UTF-8 bytes. The responder does not parse them. The bytes must not change afterwards. */
  result(json: string | Buffer): void;
  /** Answers with a JSON-RPC error: with HTTP 200 in a session, except for a denial (403). */
  error(error: WireError): void;
  /**
   * Sends a message before the answer, as JSON text. It may be a request to the client (elicitation, sampling, roots), whose answer
   * `McpHandler.response` gets. Returns false if the message was not sent: the client accepts no event stream, or its answer has begun.
   */
  message(json: string): boolean;
  /** The answer will take a while: opens the event stream if possible, so that a client whose connection breaks can resume. */
  hold(): void;
  /** Ends without an answer: the client has cancelled the request, or no longer wants it. Aborts. */
  cancel(): void;
  /** Calls back once when the request is aborted, or at once if it is already aborted. */
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

/** The observation of a call of `find_tool`, or of a call through `call_tool`. */
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
  /** The authentication settings under which the caller was admitted. */
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
 * The gateway core, as the endpoints for clients call it. If a method throws synchronously, the client gets -32603 and the error is logged; a thrown
 * WireError is sent as it is. The core itself must catch later errors.
 */
export interface McpHandler<S> {
  /** Answers `initialize`. A thrown or rejected WireError becomes the answer. */
  initialize(request: InitializeRequest): InitializeOutcome<S> | Promise<InitializeOutcome<S>>;
  /** The session now exists; called before the client gets the id of the session. */
  opened?(session: ClientSession<S>): void;
  /** One request; the core sends exactly one answer. */
  request(session: ClientSession<S>, envelope: Envelope, answer: ClientResponder, context: MessageContext): void;
  /** Whether a request has no effect, so that a client may send it again when its answer is lost. */
  onlyReads?(envelope: Envelope): boolean;
  notification(session: ClientSession<S>, envelope: Envelope, context: MessageContext): void;
  /** The client's answer to a request of the gateway (elicitation, sampling, roots). */
  response(session: ClientSession<S>, envelope: Envelope, context: MessageContext): void;
  /** A client has opened a standing stream: unsolicited messages of backends can reach it from now on. */
  listening?(session: ClientSession<S>): void;
  /**
   * The session has ended: DELETE, expiry, `ClientSession.close` or shutdown.
   * @param isLeft whether other replicas continue the session
   */
  closed(session: ClientSession<S>, isLeft: boolean): void;
  /** Creates the core's own state of a session that another replica opened. */
  restore?(context: MessageContext, fields: SessionFields): S;
  /** Called with the session's stored fields when this replica has loaded them, and with fields that another replica has changed. */
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
