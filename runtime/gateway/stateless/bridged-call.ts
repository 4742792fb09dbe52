/**
 * One call of a stateless client at a backend with sessions. The backend's questions meanwhile become an `input_required` result: the call
 * continues at the backend, and the client's next attempt brings the answers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import type { AbortListener } from '#shared/util';
import { AbortFlag } from '../../mcp/abort-flag.ts';
import { BackendError } from '../../mcp/backend-error.ts';
import { hasAnnounced, MAY_NEED_INPUT } from '../../mcp/client-traits.ts';
import { type Envelope, readParams } from '../../mcp/envelope.ts';
import type { ClientResponder, MessageContext } from '../../mcp/handler.ts';
import { findMember } from '../../mcp/json/members.ts';
import { isAtLeast } from '../../mcp/log-levels.ts';
import { readProgressTokenAt, withProgressToken } from '../../mcp/progress-token.ts';
import { parseSoundMessage } from '../../mcp/read-envelope.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import { getShareKey } from '../../mcp/share-key.ts';
import type { StatelessCaller } from '../../mcp/stateless/handler.ts';
import type { TraceContext } from '../../mcp/trace-context.ts';
import { formatErrorResponse, formatResultResponse, WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import { WithoutSessionsError } from '../backends/failure.ts';
import { AddedMembers } from '../backends/messages/added-members.ts';
import { formatCancellation } from '../backends/messages/control-messages.ts';
import { ResponseRewriter } from '../backends/messages/response-rewriter.ts';
import type { BackendConnection } from '../connections/connection.ts';
import type { PooledSession } from '../connections/session-pool.ts';
import { announcesChange } from '../offers/offered-items.ts';
import { BufferedResponse } from './buffered-response.ts';
import { rewriteCommonResponse } from './common-response.ts';
import { PendingServerRequests } from './pending-server-requests.ts';
import type { CallTraits, NextAttempt } from './rounds/next-attempt.ts';
import type { SuspendedCalls } from './suspended-calls.ts';

/** Members of every answer to a stateless client. */
const COMPLETE = new AddedMembers({ resultType: 'complete' });

/** Members of an answer that may not be cached: a resource's content may depend on the session. */
const COMPLETE_UNKEPT = new AddedMembers({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });

export interface BridgedCallOptions extends Omit<CallTraits, 'about'> {
  readonly connection: BackendConnection;
  readonly lease: PooledSession;
  readonly suspendedCalls: SuspendedCalls;
  /** Called when the backend no longer has sessions, and has not seen the call. */
  withoutSessions(answer: ClientResponder, error: WithoutSessionsError): void;
  /**
   * Returns the traits of the call, as in `CallTraits`. Called once, when it is certain that the backend has a session for the call: after that
   * `withoutSessions` is not called.
   */
  takeAbout(): string;
}

/** The client's first request for the call, and the sink of its answer. */
export interface FirstAttempt {
  readonly caller: StatelessCaller;
  readonly envelope: Envelope;
  readonly answer: ClientResponder;
  readonly context: MessageContext;
  readonly trace?: TraceContext | undefined;
}

/** The call is itself the signal that its backend gets, and the listener for the client's abort. */
export class BridgedCall extends AbortFlag implements ResponseSink, AbortListener {
  private readonly _options: BridgedCallOptions;
  /** The backend's id of the call, as JSON text. */
  private readonly _id: string;
  /** The client's id of this attempt, as JSON text. */
  private _clientId = '';
  /** The sink of the answer; undefined while the client is away. */
  private _answer: ClientResponder | undefined;
  /** The client's key for shared limits, or the HTTP request that determines the key; undefined while the client is away. */
  private _origin: string | MessageContext | undefined;
  /** The client's description of itself in this attempt. */
  private _caller: StatelessCaller | undefined;
  /** The client's progress token in this attempt, as JSON text; null for none. Undefined in the first attempt, whose token the backend knows. */
  private _progressToken: string | null | undefined;
  private _serverRequests: PendingServerRequests | undefined;
  private _about: string | undefined;
  private _rewriter: ResponseRewriter | undefined;
  /** The length of the response, when the backend has sent it and the client has received nothing. */
  private _length: number | undefined;
  private _hasStarted = false;
  /** The part of the answer that arrived while the client was away. */
  private _bufferedResponse: BufferedResponse | undefined;
  private _outcome: 'complete' | BackendError | undefined;
  /** Resolves when the backend has the cancellation of the call; undefined without a cancellation. */
  private _cancelled: Promise<void> | undefined;

  constructor(options: BridgedCallOptions) {
    super();
    this._options = options;
    this._id = options.lease.nextId();
    options.lease.call = this;
  }

  /** Whether a client's attempt belongs to this call. */
  fits(attempt: CallTraits): boolean {
    const { method, name, owner, about } = this._traits;
    return method === attempt.method && name === attempt.name && owner === attempt.owner && about === attempt.about;
  }

  /** The traits of the call, which are known once the client has been sent a question. */
  private get _traits(): CallTraits {
    const { method, name, owner } = this._options;
    return { method, name, owner, about: this._about ?? '' };
  }

  /** Sends the call. `toText` returns the message with a given id (JSON text). */
  send(toText: (id: string) => string, originalName: string, attempt: FirstAttempt): void {
    this._attach(attempt, attempt.envelope.id as string, attempt.context);
    const { lease, method } = this._options;
    const { sender } = lease;
    const request = {
      text: toText(this._id),
      id: this._id,
      method,
      name: originalName,
      isBridged: true,
      trace: sender.passed.traceparent === undefined ? attempt.trace : undefined,
      sender,
      signal: this,
    };
    const { logLevel } = attempt.caller;
    if (logLevel === undefined) lease.session.request(request, this);
    else void lease.setLogLevel(logLevel).then(() => lease.session.request(request, this));
  }

  /**
   * Called when the client returns with answers; questions without an answer are sent again. An attempt is a request of its own, so its client's
   * traits replace the former ones.
   */
  resume(attempt: NextAttempt): void {
    const { sender, responses } = attempt;
    // A call that has ended no longer has a session.
    if (this._outcome === undefined) {
      if (sender !== undefined) this._options.lease.sender = sender;
      void this._forward(attempt.caller, [
        ...(this._serverRequests?.answered(responses) ?? []),
        ...(this._serverRequests?.refused(attempt.caller.capabilities) ?? []),
      ]);
    }
    this._progressToken = attempt.progressToken ?? null;
    this._attach(attempt, attempt.id, attempt.share);
    if (this._outcome !== undefined || this._bufferedResponse !== undefined) this._replay();
    else this._askClient();
  }

  /** Called when the client has not returned in time. */
  giveUp(reason: string): void {
    this._cancelled = this._options.lease.session.post(formatCancellation(this._id, reason));
    this.raise();
    this._bufferedResponse?.lose();
  }

  /** Called when the client has disconnected. */
  handleEvent(): void {
    if (this._answer?.aborted === true && this._outcome === undefined) this.giveUp('the client has disconnected');
  }

  message(notification: Envelope): void {
    const { connection, lease } = this._options;
    if (announcesChange(notification)) connection.listChanged(lease.sender);
    else if (this._isForClient(notification)) this._answer?.message(this._formatForAttempt(notification));
  }

  request(json: string, id: string, method: string): void {
    const { session } = this._options.lease;
    if (method === 'ping') {
      void session.post(formatResultResponse(id, '{}'));
      return;
    }
    this._serverRequests ??= new PendingServerRequests();
    const sound = parseSoundMessage(json);
    const params = sound && readParams(sound);
    if (sound === undefined || !this._mayAsk(method, params) || !this._serverRequests.add(id, method, params)) {
      void session.post(formatErrorResponse(id, new WireError(WIRE_CODE.methodNotFound, 'Method not found')));
      return;
    }
    // Questions that arrive together are sent to the client together.
    if (this._serverRequests.size === 1) setImmediate(() => this._askClient());
  }

  start(length: number | undefined): void {
    this._length = length;
  }

  data(chunk: Uint8Array): boolean {
    if (this._answer !== undefined) return this._write(this._answer, chunk);
    if (this.aborted) return true; // A call that was aborted has no receiver for the answer.
    this._bufferedResponse ??= new BufferedResponse(this._options.suspendedCalls.answers);
    this._bufferedResponse.push(chunk);
    return true;
  }

  onDrain(resume: () => void): void {
    if (this._answer === undefined) queueMicrotask(resume);
    else this._answer.onDrain(resume);
  }

  end(): void {
    this._ended('complete');
    this._answer?.end();
  }

  fail(error: BackendError): void {
    if (error.reason === 'connection_failed') this._options.connection.monitor.probeSoon();
    this._ended(error);
    if (error instanceof WithoutSessionsError && this._serverRequests === undefined) this._passOn(error);
    else this._answer?.fail(error);
  }

  private _passOn(error: WithoutSessionsError): void {
    const answer = this._answer;
    if (answer === undefined || answer.aborted) return;
    answer.removeEventListener('abort', this);
    this._options.withoutSessions(answer, error);
  }

  /** The backend gets the new log level before the client's answers. */
  private async _forward({ logLevel }: StatelessCaller, messages: readonly string[]): Promise<void> {
    const { lease } = this._options;
    if (logLevel !== undefined) await lease.setLogLevel(logLevel);
    for (const message of messages) void lease.session.post(message);
  }

  private _attach(
    { caller, answer }: Pick<FirstAttempt, 'caller' | 'answer'>,
    id: string,
    origin: string | MessageContext,
  ): void {
    this._caller = caller;
    this._clientId = id;
    this._answer = answer;
    this._origin = origin;
    if (answer.aborted) this.handleEvent();
    else answer.addEventListener('abort', this);
  }

  private _askClient(): void {
    const { _answer: answer, _origin: origin, _serverRequests: questions } = this;
    if (answer === undefined || origin === undefined || this._hasStarted || this._outcome !== undefined) return;
    if (questions === undefined || questions.size === 0) return;
    this._about ??= this._options.takeAbout();
    const share = typeof origin === 'string' ? origin : getShareKey(origin);
    const requestState = this._options.suspendedCalls.hold(this, this._traits, share);
    this._answer = undefined;
    this._origin = undefined;
    if (requestState === undefined) {
      const reason = 'too many calls wait for their clients';
      answer.fail(new BackendError(this._options.connection.name, 'busy', reason));
      this.giveUp(reason);
      return;
    }
    answer.result(
      `{"resultType":"input_required","inputRequests":${questions.inputRequests},"requestState":"${requestState}"}`,
    );
  }

  private _mayAsk(question: string, params: string | undefined): boolean {
    const capabilities = this._caller?.capabilities;
    if (capabilities === undefined || !MAY_NEED_INPUT.has(this._options.method)) return false;
    return hasAnnounced(capabilities, question, params);
  }

  private _write(answer: ClientResponder, chunk: Uint8Array): boolean {
    if (this._hasStarted) return this._writePiece(answer, this._rewrite(chunk));
    this._hasStarted = true;
    // The length of the answer is known only if the chunk is the complete answer.
    const isWhole = chunk.length === this._length;
    const usual =
      isWhole && Buffer.isBuffer(chunk)
        ? rewriteCommonResponse(chunk, this._id, this._clientId, this._members)
        : undefined;
    const piece = usual ?? this._rewrite(chunk);
    answer.start(isWhole ? piece.length : undefined);
    return this._writePiece(answer, piece);
  }

  private _writePiece(answer: ClientResponder, piece: Uint8Array): boolean {
    return piece.length === 0 || answer.data(piece);
  }

  private _rewrite(chunk: Uint8Array): Uint8Array {
    this._rewriter ??= new ResponseRewriter(this._clientId, this._members);
    return this._rewriter.push(chunk);
  }

  private get _members(): AddedMembers {
    return this._options.method === 'resources/read' ? COMPLETE_UNKEPT : COMPLETE;
  }

  /** Sends the client the answer that the backend gave while the client was away. A backend can answer a call before it gets the answers to its own requests. */
  private _replay(): void {
    const answer = this._answer as ClientResponder;
    if (this._bufferedResponse?.isLost === true) {
      const reason = 'the answer arrived before the client reconnected, and could not be stored';
      this._answer = undefined; // The client gets its answer before the backend's exchange is aborted.
      answer.fail(new BackendError(this._options.connection.name, 'too_large', reason));
      if (this._outcome === undefined) this.giveUp(reason);
      return;
    }
    for (const chunk of this._bufferedResponse?.take() ?? []) this._write(answer, chunk);
    if (this._outcome === 'complete') answer.end();
    else if (this._outcome !== undefined) answer.fail(this._outcome);
  }

  /**
   * Whether the client of this attempt gets a notification. It gets log messages and progress only if it requested them in this request. An
   * `elicitation/complete` has no meaning here, and updates of resources are sent on the subscribed stream.
   */
  private _isForClient(notification: Envelope): boolean {
    switch (notification.method) {
      case 'notifications/cancelled':
        this._serverRequests?.withdraw(notification);
        return false;
      case 'notifications/elicitation/complete':
      case 'notifications/resources/updated':
        return false;
      case 'notifications/progress':
        return this._progressToken !== null;
      case 'notifications/message': {
        const logLevel = this._caller?.logLevel;
        return logLevel !== undefined && isAtLeast(readLevel(notification), logLevel);
      }
      default:
        return true;
    }
  }

  /**
   * The notification with the progress token of this attempt. The session has only this call, so all progress is about it, and the backend knows no
   * other token.
   */
  private _formatForAttempt({ method, text, params }: Envelope): string {
    const token = this._progressToken ?? undefined;
    if (token === undefined || method !== 'notifications/progress' || params === undefined) return text;
    return readProgressTokenAt(text, params.start) === undefined ? text : withProgressToken(text, params.start, token);
  }

  private _ended(outcome: 'complete' | BackendError): void {
    this._outcome = outcome;
    const { connection, lease } = this._options;
    lease.call = undefined;
    if (outcome === 'complete') connection.leases.giveBack(lease);
    else connection.leases.discard(lease, this._cancelled);
  }
}

/** The level of a log message; undefined when there is none, or it is not a string. */
function readLevel({ text, params }: Envelope): unknown {
  const level = params && findMember(text, params.start, 'level');
  return level && JSON.parse(text.slice(level.start, level.end));
}
