/**
 * One call of a stateless client while a backend with sessions works on it. What the backend asks of its client in between
 * becomes an `input_required` result: the call goes on at the backend, and the client's next attempt brings the answers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import type { AbortListener } from '#util';
import { AbortFlag } from '../../mcp/abort-flag.ts';
import { hasAnnounced, MAY_NEED_INPUT } from '../../mcp/client-traits.ts';
import { type Envelope, readParams } from '../../mcp/envelope.ts';
import type { ClientResponder, MessageContext } from '../../mcp/handler.ts';
import { findMember } from '../../mcp/json-members.ts';
import { isAtLeast } from '../../mcp/log-levels.ts';
import { readProgressTokenAt, withProgressToken } from '../../mcp/progress-token.ts';
import { soundMessage } from '../../mcp/read-envelope.ts';
import { getShareKey } from '../../mcp/share-key.ts';
import type { StatelessCaller } from '../../mcp/stateless/handler.ts';
import type { TraceContext } from '../../mcp/trace-context.ts';
import { errorResponse, resultResponse, WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import { BackendError, type ResponseSink } from '../backends/backend.ts';
import { WithoutSessionsError } from '../backends/failure.ts';
import { AddedMembers } from '../backends/messages/added-members.ts';
import { formatCancellation } from '../backends/messages/control-messages.ts';
import { ResponseRewriter } from '../backends/messages/response-rewriter.ts';
import type { Sender } from '../backends/sender.ts';
import type { BackendConnection } from '../connection.ts';
import { announcesChange } from '../offers/offered-items.ts';
import { BufferedResponse } from './buffered-response.ts';
import { rewriteCommonResponse } from './common-response.ts';
import { PendingServerRequests } from './pending-server-requests.ts';
import type { PooledSession } from './session-pool.ts';
import type { SuspendedCalls } from './suspended-calls.ts';

/** What every answer to a stateless client says. */
const COMPLETE = new AddedMembers({ resultType: 'complete' });

/** What a resource holds may depend on the session: it may not be cached. */
const COMPLETE_UNKEPT = new AddedMembers({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });

/** What every attempt at a call has in common. */
export interface CallTraits {
  readonly method: string;
  /** The name or URI as the client knows it. */
  readonly name: string;
  /** `Identity.key` of whom it is for. */
  readonly owner: string;
  /** Its arguments, as `argumentsDigest` tells. */
  readonly about: string;
}

export interface BridgedCallOptions extends Omit<CallTraits, 'about'> {
  readonly connection: BackendConnection;
  readonly lease: PooledSession;
  readonly held: SuspendedCalls;
  /** The backend has no sessions any more, and has seen nothing of the call. */
  withoutSessions(answer: ClientResponder, error: WithoutSessionsError): void;
  /** What the call is about, as in `CallTraits`. Asked once the call stays where it is: `withoutSessions` is not called any more. */
  takeAbout(): string;
}

/** The first request of the client about the call, and where its answer goes. */
export interface FirstAttempt {
  readonly caller: StatelessCaller;
  readonly envelope: Envelope;
  readonly answer: ClientResponder;
  readonly context: MessageContext;
  readonly trace?: TraceContext | undefined;
}

/** A later one, which may have come to another replica. */
export interface NextAttempt {
  readonly caller: StatelessCaller;
  /** The id of the request, as JSON text. */
  readonly id: string;
  /** As JSON text; undefined for none. */
  readonly progressToken: string | undefined;
  readonly answer: ClientResponder;
  /** The share key of the client. */
  readonly share: string;
  /** What the client has answered: JSON text by key of the question. */
  readonly responses: ReadonlyMap<string, string>;
  /** The sender whose credential goes out from now on; undefined where that stays as it was, since no token leaves its replica. */
  readonly sender: Sender | undefined;
}

/** It is the signal that its backend listens to, and listens to its client's answer. */
export class BridgedCall extends AbortFlag implements ResponseSink, AbortListener {
  private readonly _options: BridgedCallOptions;
  /** The call's id at the backend, as JSON text. */
  private readonly _id: string;
  /** The same at the client, in this attempt. */
  private _clientId = '';
  /** Where the answer goes; undefined while the client is away. */
  private _answer: ClientResponder | undefined;
  /** The client's share, or what it came with over HTTP, which tells; undefined while the client is away. */
  private _origin: string | MessageContext | undefined;
  /** The client's description of itself in this attempt. */
  private _caller: StatelessCaller | undefined;
  /**
   * The client's progress token in this attempt, as JSON text; null for none. The backend knows that of the first one, where this
   * is undefined.
   */
  private _progressToken: string | null | undefined;
  private _serverRequests: PendingServerRequests | undefined;
  private _about: string | undefined;
  private _rewriter: ResponseRewriter | undefined;
  /** The length of the response, when the backend has sent it and nothing has gone to the client. */
  private _length: number | undefined;
  private _hasStarted = false;
  /** What came while the client was away. */
  private _kept: BufferedResponse | undefined;
  private _outcome: 'complete' | BackendError | undefined;
  /** Resolves when the backend has the cancellation of the call; undefined where there is none. */
  private _cancelled: Promise<void> | undefined;

  constructor(options: BridgedCallOptions) {
    super();
    this._options = options;
    this._id = options.lease.nextId();
    options.lease.call = this;
  }

  /** Whether an attempt is about this call. */
  fits(attempt: CallTraits): boolean {
    const { method, name, owner, about } = this._traits;
    return method === attempt.method && name === attempt.name && owner === attempt.owner && about === attempt.about;
  }

  /** Once its client was asked. */
  private get _traits(): CallTraits {
    const { method, name, owner } = this._options;
    return { method, name, owner, about: this._about ?? '' };
  }

  /** Sends the call. `toText` makes the message with the id that it is given (JSON text). */
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
   * The client is back with answers; those that are still missing are asked for again. An attempt is a request of its own: what it
   * says of its client counts from now on.
   */
  resume(attempt: NextAttempt): void {
    const { sender, responses } = attempt;
    // A call that has ended has no session any more.
    if (this._outcome === undefined) {
      if (sender !== undefined) this._options.lease.sender = sender;
      void this._forward(attempt.caller, [
        ...(this._serverRequests?.answered(responses) ?? []),
        ...(this._serverRequests?.refused(attempt.caller.capabilities) ?? []),
      ]);
    }
    this._progressToken = attempt.progressToken ?? null;
    this._attach(attempt, attempt.id, attempt.share);
    if (this._outcome !== undefined || this._kept !== undefined) this._replay();
    else this._askClient();
  }

  /** The client has not come back. */
  giveUp(reason: string): void {
    this._cancelled = this._options.lease.session.post(formatCancellation(this._id, reason));
    this.raise();
    this._kept?.lose();
  }

  /** The client has gone. */
  handleEvent(): void {
    if (this._answer?.aborted === true && this._outcome === undefined) this.giveUp('the client has gone');
  }

  message(notification: Envelope): void {
    const { connection, lease } = this._options;
    if (announcesChange(notification)) connection.listChanged(lease.sender);
    else if (this._isWanted(notification)) this._answer?.message(this._forThisAttempt(notification));
  }

  request(json: string, id: string, method: string): void {
    const { session } = this._options.lease;
    if (method === 'ping') {
      void session.post(resultResponse(id, '{}'));
      return;
    }
    this._serverRequests ??= new PendingServerRequests();
    const sound = soundMessage(json);
    const params = sound && readParams(sound);
    if (sound === undefined || !this._mayAsk(method, params) || !this._serverRequests.add(id, method, params)) {
      void session.post(errorResponse(id, new WireError(WIRE_CODE.methodNotFound, 'Method not found')));
      return;
    }
    // Questions that come together go together.
    if (this._serverRequests.size === 1) setImmediate(() => this._askClient());
  }

  start(length: number | undefined): void {
    this._length = length;
  }

  data(chunk: Uint8Array): boolean {
    if (this._answer !== undefined) return this._write(this._answer, chunk);
    if (this.aborted) return true; // What may still come has no receiver.
    this._kept ??= new BufferedResponse(this._options.held.answers);
    this._kept.push(chunk);
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
    if (error.reason === 'connection_failed') this._options.connection.monitor.lookSoon();
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

  /** The level that is wanted from now on comes before what the backend waits for. */
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
    const requestState = this._options.held.hold(this, this._traits, share);
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
    // Only of an answer in one piece is it known how long it has become.
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

  /** The backend did not wait for the answers to its questions. */
  private _replay(): void {
    const answer = this._answer as ClientResponder;
    if (this._kept?.isLost === true) {
      const reason = 'what it answered before the client was back could not be kept';
      this._answer = undefined; // It has its answer before the backend's exchange is broken off.
      answer.fail(new BackendError(this._options.connection.name, 'too_large', reason));
      if (this._outcome === undefined) this.giveUp(reason);
      return;
    }
    for (const chunk of this._kept?.take() ?? []) this._write(answer, chunk);
    if (this._outcome === 'complete') answer.end();
    else if (this._outcome !== undefined) answer.fail(this._outcome);
  }

  /**
   * Log messages and progress are for those who asked for them in this very request. An `elicitation/complete` has no meaning
   * here, and updates of resources come where they were subscribed to.
   */
  private _isWanted(notification: Envelope): boolean {
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

  /** The session is this call's alone, so progress in it is about no other, and the backend has no other token for it. */
  private _forThisAttempt({ method, text, params }: Envelope): string {
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

/** The level of a log message; undefined when there is none, or it is no string. */
function readLevel({ text, params }: Envelope): unknown {
  const level = params && findMember(text, params.start, 'level');
  return level && JSON.parse(text.slice(level.start, level.end));
}
