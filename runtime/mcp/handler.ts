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

/** A client's session as the gateway core sees it. `S` is what the core keeps with it. */
export interface ClientSession<S> {
  /** UUID v4, as in `Mcp-Session-Id`. It works like a credential: keep it out of logs. */
  readonly id: string;
  /** The negotiated revision. */
  readonly protocolVersion: string;
  readonly payload: S;
  /**
   * Sends a message of the server's own accord on the newest open stream. Without one, a `…/list_changed` notification is
   * kept, once per method, until a stream opens; anything else is dropped. Returns false for what was dropped.
   */
  send(json: string): boolean;
  /** Ends the session: its streams end, `McpHandler.closed` is called, and the id is unknown from now on. */
  close(): void;
}

/** A request that goes to a backend. */
export interface SentRequest {
  readonly backend: string;
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** As the client knows it: of a tool or prompt, or the URI of a resource. */
  readonly name: string;
  /** The same as the backend knows it. */
  readonly originalName: string;
}

/** A run of a workflow. */
export interface StartedRun {
  readonly id: string;
  /** As clients know it. */
  readonly workflow: string;
  /** The trace of the client, which calls of steps take along where requests are not traced here. */
  readonly trace: TraceContext | undefined;
}

/** What observes a run of a workflow. */
export interface ObservedRun {
  /** @param type of the step */
  stepStarted(step: string, type: string): void;
  /**
   * A step has ended, or was left out.
   *
   * @param reason the class of its failure; empty without one
   */
  stepEnded(step: string, type: string, status: 'completed' | 'failed' | 'skipped', reason: string): void;
  /**
   * The answer to the call of a step, as the backend gives it.
   *
   * @param tool its name as clients know it, or would if it were not hidden
   */
  call(step: string, tool: string, answer: ClientResponder): ClientResponder;
  /**
   * The run has ended, or goes on with another request of its client. What comes after the first call changes nothing.
   *
   * @param reason the class of its failure; empty without one
   */
  ended(status: 'completed' | 'failed' | 'waiting', reason: string): void;
}

/**
 * Where the gateway core puts the answer to one client request. Exactly one of `result`, `error`, `end` (after `start` and
 * `data`), `fail` and `cancel` ends it; whatever follows is ignored. Once the client has gone, everything is ignored and a full
 * sink reports itself drained. As an `AbortSource` it tells when the client goes away or cancels before the answer is complete.
 */
export interface ClientResponder extends Omit<ResponseSink, 'message' | 'request'>, AbortSource {
  /** Answers with a result that is JSON text, or its UTF-8; it is not parsed. Bytes must not change afterwards. */
  result(json: string | Buffer): void;
  /** Answers with a JSON-RPC error: at HTTP 200 in a session, but for what is denied (403). */
  error(error: WireError): void;
  /**
   * A message that precedes the answer, as JSON text; also a request of ours to the client (elicitation, sampling, roots), whose answer comes to
   * `McpHandler.response`. Returns false when it was not delivered: the client takes no event stream, or has its answer already.
   */
  message(json: string): boolean;
  /** The answer is far off: opens the event stream where there is one to open, so that a client can leave and come back. */
  hold(): void;
  /** Ends without an answer: the client has cancelled the request, or does not want it any more. Aborts. */
  cancel(): void;
  /** Calls back once when it aborts, at once when that has happened already. */
  onAbort(callback: () => void): void;
  /**
   * Called in the moment in which the request goes to a backend; there where requests are observed.
   *
   * @returns the trace that it belongs to, for it to take along; undefined where requests are not traced
   */
  sentTo?(sent: SentRequest): TraceContext | undefined;
  /** Called when the request runs a workflow, or goes on with one; there where requests are observed. */
  runs?(run: StartedRun): ObservedRun;
  /** Called when a limit rejects the call; there where requests are observed. */
  limited?(rejectedBy: string): void;
  /** Called when the call is one of the optimizer's own tools; there where requests are observed. */
  optimizes?(work: OptimizerWork): void;
}

/** A call of `find_tool`, or one through `call_tool`. */
export interface OptimizerWork {
  readonly span: 'optimizer.FindTool' | 'optimizer.CallTool';
  /** Name of the tool where no other is called. */
  readonly name: string | undefined;
  /** Called once. @param errorType empty after a success */
  ended(errorType: string, seconds: number): void;
}

/** What came over HTTP around a message: headers to pass on, the connection, and who sent it. */
export interface MessageContext {
  readonly http: IncomingMessage;
  /** In a session its owner, with the token of this very message. */
  readonly identity: Identity;
  /** By which they were let in. */
  readonly rules: AuthGeneration;
  /** What is recorded of the request for the audit log; undefined where there is none. */
  readonly record: RequestRecord | undefined;
}

/** What `initialize` asks for. */
export interface InitializeRequest extends MessageContext {
  /** The params, parsed. An object. */
  readonly params: { readonly [name: string]: unknown };
  /** The revision to answer with: already negotiated. */
  readonly protocolVersion: string;
}

/** The outcome of `initialize`. */
export interface InitializeOutcome<S> {
  readonly session: S;
  /** The InitializeResult as JSON text. */
  readonly result: string;
  /** What another replica needs to go on with the session, by {@link McpHandler.restore}. */
  readonly fields?: SessionFields;
}

/**
 * The gateway core behind the client edge. A synchronous throw is answered with -32603 and logged (a thrown WireError is
 * answered as it is); what happens later is the core's own to catch.
 */
export interface McpHandler<S> {
  /** Answers `initialize`. A WireError that is thrown or rejected becomes the answer. */
  initialize(request: InitializeRequest): InitializeOutcome<S> | Promise<InitializeOutcome<S>>;
  /** The session exists from here on; called before the client learns its id. */
  opened?(session: ClientSession<S>): void;
  /** One request; writes exactly one answer. */
  request(session: ClientSession<S>, envelope: Envelope, answer: ClientResponder, context: MessageContext): void;
  notification(session: ClientSession<S>, envelope: Envelope, context: MessageContext): void;
  /** The client's answer to a request of ours (elicitation, sampling, roots). */
  response(session: ClientSession<S>, envelope: Envelope, context: MessageContext): void;
  /** A client has opened a standing stream: what backends say of their own accord can reach it from here on. */
  listening?(session: ClientSession<S>): void;
  /**
   * The session has ended: DELETE, expiry, `ClientSession.close` or shutdown.
   *
   * @param isLeft other replicas go on with it
   */
  closed(session: ClientSession<S>, isLeft: boolean): void;
  /** Creates the core's own state for a session that another replica opened. */
  restore?(context: MessageContext, fields: SessionFields): S;
  /** Called with the stored fields of the session when they were loaded, and with those that another replica changed. */
  shared?(session: ClientSession<S>, fields: Readonly<Record<string, string | null>>): void;
  /** Another replica sent a message about the session. */
  onReplicaMessage?(session: ClientSession<S>, message: ReplicaMessage): void;
  /** Another replica sent a message about the stream of a backend, in a session that is here or was. */
  onStreamMessage?(message: ReplicaMessage): void;
  /**
   * Another replica sent a message about who uses sessions with backends.
   *
   * @param find the session with this key, where it is here
   */
  onUseMessage?(message: ReplicaMessage, find: (key: string) => ClientSession<S> | undefined): void;
}
