/**
 * One call of a stateless client while a backend with sessions works on it. What the backend asks of its client in between
 * becomes an `input_required` result: the call goes on at the backend, and the client's next attempt brings the answers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import { AbortFlag } from '../../mcp/abort-flag.ts';
import { CAPABILITY_OF_QUESTION, MAY_NEED_INPUT } from '../../mcp/client-traits.ts';
import type { ClientAnswer } from '../../mcp/handler.ts';
import { isAtLeast } from '../../mcp/log-levels.ts';
import type { StatelessCaller } from '../../mcp/stateless/handler.ts';
import { errorResponse, resultResponse, WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import { type AbortListener, type AnswerSink, BackendError } from '../backend/backend.ts';
import { cancellationOf } from '../backend/side-messages.ts';
import { announcesChange } from '../capabilities.ts';
import type { BackendConnection } from '../connection.ts';
import { isWithdrawal } from '../questions.ts';
import type { Sender } from '../sender.ts';
import { AnswerRewriter } from './answer-rewriter.ts';
import type { HeldCalls } from './held-calls.ts';
import { KeptAnswer } from './kept-answer.ts';
import type { Lease } from './lease-pool.ts';
import { OpenQuestions } from './open-questions.ts';
import { rewriteUsual } from './usual-answer.ts';

/** What every answer to a stateless client says. */
const COMPLETE = '"resultType":"complete"';

/** What a resource holds may depend on the session: nobody may keep it. */
const COMPLETE_UNKEPT = `${COMPLETE},"ttlMs":0,"cacheScope":"private"`;

/** What every attempt at a call has in common. */
export interface CallTraits {
  readonly method: string;
  /** The name or URI as the client knows it. */
  readonly name: string;
  /** `Identity.key` of whom it is for. */
  readonly owner: string;
}

export interface BridgedCallOptions extends CallTraits {
  readonly caller: StatelessCaller;
  readonly connection: BackendConnection;
  readonly lease: Lease;
  readonly held: HeldCalls;
}

/** It is the signal that its backend listens to, and listens to its client's answer. */
export class BridgedCall extends AbortFlag implements AnswerSink, AbortListener {
  readonly #options: BridgedCallOptions;
  /** The call's id at the backend, as JSON text. */
  readonly #id: string;
  /** The same at the client, in this attempt. */
  #clientId = '';
  /** Where the answer goes; undefined while the client is away. */
  #answer: ClientAnswer | undefined;
  #questions: OpenQuestions | undefined;
  #rewriter: AnswerRewriter | undefined;
  /** Of the answer, when the backend has told it and nothing has gone to the client. */
  #length: number | undefined;
  #hasStarted = false;
  /** What came while the client was away. */
  #kept: KeptAnswer | undefined;
  #outcome: 'complete' | BackendError | undefined;

  constructor(options: BridgedCallOptions) {
    super();
    this.#options = options;
    this.#id = options.lease.nextId();
    options.lease.call = this;
  }

  /** Whether an attempt is about this call. */
  fits(attempt: CallTraits): boolean {
    const { method, name, owner } = this.#options;
    return method === attempt.method && name === attempt.name && owner === attempt.owner;
  }

  /** Sends the call. `toText` makes the message with the id that it is given (JSON text). */
  send(toText: (id: string) => string, originalName: string, id: string, answer: ClientAnswer): void {
    this.#attach(id, answer);
    const { caller, lease, method } = this.#options;
    const { sender } = lease;
    const request = { text: toText(this.#id), id: this.#id, method, name: originalName, sender, signal: this };
    if (caller.logLevel === undefined) lease.session.request(request, this);
    else void lease.setLogLevel(caller.logLevel).then(() => lease.session.request(request, this));
  }

  /** The client is back with answers; those that are still missing are asked for again. */
  resume(
    id: string,
    answer: ClientAnswer,
    { sender, responses }: { readonly sender: Sender; readonly responses: { readonly [key: string]: unknown } },
  ): void {
    this.#options.lease.sender = sender;
    for (const message of this.#questions?.answered(responses) ?? []) void this.#options.lease.session.post(message);
    this.#attach(id, answer);
    if (this.#outcome !== undefined || this.#kept !== undefined) this.#replay();
    else this.#askClient();
  }

  /** The client has not come back. */
  giveUp(reason: string): void {
    void this.#options.lease.session.post(cancellationOf(this.#id, reason));
    this.raise();
  }

  /** Nobody waits for the answer any more. */
  handleEvent(): void {
    if (this.#answer?.aborted === true && this.#outcome === undefined) this.giveUp('the client has gone');
  }

  message(json: string): void {
    const { connection, lease } = this.#options;
    if (announcesChange(json)) connection.listChanged(lease.sender);
    else if (this.#isWanted(json)) this.#answer?.message(json);
  }

  request(json: string, id: string, method: string): void {
    const { session } = this.#options.lease;
    if (method === 'ping') {
      void session.post(resultResponse(id, '{}'));
      return;
    }
    this.#questions ??= new OpenQuestions();
    if (!this.#mayAsk(method) || !this.#questions.add(id, json)) {
      void session.post(errorResponse(id, new WireError(WIRE_CODE.methodNotFound, 'Method not found')));
      return;
    }
    // Questions that come together go together.
    if (this.#questions.size === 1) setImmediate(() => this.#askClient());
  }

  start(length: number | undefined): void {
    this.#length = length;
  }

  data(chunk: Uint8Array): boolean {
    if (this.#answer !== undefined) return this.#write(this.#answer, chunk);
    this.#kept ??= new KeptAnswer();
    this.#kept.push(chunk);
    return true;
  }

  onDrain(resume: () => void): void {
    if (this.#answer === undefined) queueMicrotask(resume);
    else this.#answer.onDrain(resume);
  }

  end(): void {
    this.#ended('complete');
    this.#answer?.end();
  }

  fail(error: BackendError): void {
    if (error.reason === 'connection_failed') this.#options.connection.monitor.lookSoon();
    this.#ended(error);
    this.#answer?.fail(error);
  }

  #attach(id: string, answer: ClientAnswer): void {
    this.#clientId = id;
    this.#answer = answer;
    if (answer.aborted) this.handleEvent();
    else answer.addEventListener('abort', this);
  }

  #askClient(): void {
    const answer = this.#answer;
    const questions = this.#questions;
    if (answer === undefined || this.#hasStarted || this.#outcome !== undefined) return;
    if (questions === undefined || questions.size === 0) return;
    const requestState = this.#options.held.hold(this);
    if (requestState === undefined) {
      this.giveUp('too many calls wait for their clients');
      return;
    }
    this.#answer = undefined;
    answer.result(
      `{"resultType":"input_required","inputRequests":${questions.inputRequests},"requestState":"${requestState}"}`,
    );
  }

  #mayAsk(question: string): boolean {
    const { method, caller } = this.#options;
    const capability = MAY_NEED_INPUT.has(method) ? CAPABILITY_OF_QUESTION.get(question) : undefined;
    return capability !== undefined && Object.hasOwn(caller.capabilities, capability);
  }

  #write(answer: ClientAnswer, chunk: Uint8Array): boolean {
    if (this.#hasStarted) return this.#writePiece(answer, this.#rewrite(chunk));
    this.#hasStarted = true;
    // Only of an answer in one piece is it known how long it has become.
    const isWhole = chunk.length === this.#length;
    const usual = isWhole ? rewriteUsual(chunk, this.#id, this.#clientId, this.#members) : undefined;
    const piece = usual ?? this.#rewrite(chunk);
    answer.start(isWhole ? piece.length : undefined);
    return this.#writePiece(answer, piece);
  }

  #writePiece(answer: ClientAnswer, piece: Uint8Array): boolean {
    return piece.length === 0 || answer.data(piece);
  }

  #rewrite(chunk: Uint8Array): Uint8Array {
    this.#rewriter ??= new AnswerRewriter(this.#clientId, this.#members);
    return this.#rewriter.push(chunk);
  }

  get #members(): string {
    return this.#options.method === 'resources/read' ? COMPLETE_UNKEPT : COMPLETE;
  }

  /** The backend did not wait for the answers to its questions. */
  #replay(): void {
    const answer = this.#answer as ClientAnswer;
    const { backend } = this.#options.lease.session as { backend?: string };
    if (this.#kept?.isLost === true) {
      this.raise();
      answer.fail(new BackendError(backend ?? '', 'too_large', 'answered too much before the client was back'));
      return;
    }
    for (const chunk of this.#kept?.take() ?? []) this.#write(answer, chunk);
    if (this.#outcome === 'complete') answer.end();
    else if (this.#outcome !== undefined) answer.fail(this.#outcome);
  }

  /** Log messages are for those who asked for them in this very request; an `elicitation/complete` has no meaning here. */
  #isWanted(json: string): boolean {
    if (isWithdrawal(json)) {
      this.#questions?.withdraw(json);
      return false;
    }
    if (json.includes('"notifications/elicitation/complete"')) return false;
    if (!json.includes('"notifications/message"')) return true;
    const { logLevel } = this.#options.caller;
    const { method, params } = JSON.parse(json) as { method: string; params?: { level?: unknown } };
    return method !== 'notifications/message' || (logLevel !== undefined && isAtLeast(params?.level, logLevel));
  }

  #ended(outcome: 'complete' | BackendError): void {
    this.#outcome = outcome;
    const { connection, lease } = this.#options;
    lease.call = undefined;
    if (outcome === 'complete') connection.leases.giveBack(lease);
    else connection.leases.discard(lease);
  }
}
