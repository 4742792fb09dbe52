/**
 * One call of a stateless client while a backend with sessions works on it. What the backend asks of its client in between
 * becomes an `input_required` result: the call goes on at the backend, and the client's next attempt brings the answers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
import { CAPABILITY_OF_QUESTION } from '../../mcp/client-traits.ts';
import type { ClientAnswer } from '../../mcp/handler.ts';
import { isAtLeast } from '../../mcp/log-levels.ts';
import { readEnvelope } from '../../mcp/read-envelope.ts';
import type { StatelessCaller } from '../../mcp/stateless/handler.ts';
import { errorResponse, resultResponse, WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import { AbortFlag } from '../abort-flag.ts';
import { type AnswerSink, BackendError } from '../backend/backend.ts';
import { cancellationOf } from '../backend/side-messages.ts';
import { announcesChange } from '../capabilities.ts';
import type { BackendConnection } from '../connection.ts';
import { isWithdrawal } from '../questions.ts';
import { AnswerRewriter } from './answer-rewriter.ts';
import type { HeldCalls } from './held-calls.ts';
import type { Lease } from './lease-pool.ts';

/** Questions of one call that wait for an answer. */
const MAX_QUESTIONS = 16;

/** What is kept of an answer that comes while the client is away, in bytes; a longer one is lost. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** The requests that may be answered with questions. */
const MAY_ASK: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** A request of the backend: its id, and what the client gets to see; both as JSON text. */
interface Question {
  readonly id: string;
  readonly request: string;
}

export interface BridgedCallOptions {
  readonly caller: StatelessCaller;
  readonly method: string;
  /** The name or URI as the client knows it. */
  readonly name: string;
  readonly connection: BackendConnection;
  readonly lease: Lease;
  readonly held: HeldCalls;
}

export class BridgedCall implements AnswerSink {
  readonly #options: BridgedCallOptions;
  /** The call's id at the backend, as JSON text. */
  readonly #id: string;
  readonly #stop = new AbortFlag();
  readonly #questions = new Map<string, Question>();
  #asked = 0;
  /** Where the answer goes; undefined while the client is away. */
  #answer: ClientAnswer | undefined;
  #rewriter: AnswerRewriter | undefined;
  /** Of the answer, when the backend has told it and nothing has gone to the client. */
  #length: number | undefined;
  #hasStarted = false;
  /** What came while the client was away. */
  #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #outcome: 'complete' | BackendError | undefined;

  constructor(options: BridgedCallOptions) {
    this.#options = options;
    this.#id = options.lease.nextId();
    options.lease.call = this;
  }

  /** Whether an attempt is about this call. */
  fits(method: string, name: string): boolean {
    return method === this.#options.method && name === this.#options.name;
  }

  /** Sends the call. `toText` makes the message with the id that it is given (JSON text). */
  send(toText: (id: string) => string, originalName: string, id: string, answer: ClientAnswer): void {
    this.#attach(id, answer);
    const { caller, lease, method } = this.#options;
    const request = { text: toText(this.#id), id: this.#id, method, name: originalName, signal: this.#stop };
    if (caller.logLevel === undefined) lease.session.request(request, this);
    else void lease.setLogLevel(caller.logLevel).then(() => lease.session.request(request, this));
  }

  /** The client is back with answers; those that are still missing are asked for again. */
  resume(id: string, answer: ClientAnswer, responses: { readonly [key: string]: unknown }): void {
    for (const [key, question] of this.#questions) {
      if (!Object.hasOwn(responses, key)) continue;
      this.#questions.delete(key);
      void this.#options.lease.session.post(resultResponse(question.id, JSON.stringify(responses[key])));
    }
    this.#attach(id, answer);
    if (this.#outcome !== undefined || this.#keptBytes > 0) this.#replay();
    else this.#askClient();
  }

  /** The client has not come back. */
  giveUp(reason: string): void {
    void this.#options.lease.session.post(cancellationOf(this.#id, reason));
    this.#stop.abort();
  }

  message(json: string): void {
    if (announcesChange(json)) this.#options.connection.monitor.lookSoon();
    else if (this.#isWanted(json)) this.#answer?.message(json);
  }

  request(json: string, id: string, method: string): void {
    const { session } = this.#options.lease;
    if (method === 'ping') {
      void session.post(resultResponse(id, '{}'));
      return;
    }
    const request = this.#mayAsk(method) ? inputRequestIn(json) : undefined;
    if (request === undefined) {
      void session.post(errorResponse(id, new WireError(WIRE_CODE.methodNotFound, 'Method not found')));
      return;
    }
    this.#questions.set(`q${++this.#asked}`, { id, request });
    // Questions that come together go together.
    if (this.#questions.size === 1) setImmediate(() => this.#askClient());
  }

  start(length: number | undefined): void {
    this.#length = length;
  }

  data(chunk: Uint8Array): boolean {
    if (this.#answer !== undefined) return this.#write(this.#answer, chunk);
    this.#keptBytes += chunk.length;
    if (this.#keptBytes <= MAX_KEPT_BYTES)
      this.#kept.push(Uint8Array.from(chunk)); // The chunk belongs to its sender.
    else this.#kept = [];
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
    const isRead = this.#options.method === 'resources/read';
    // What a resource holds may depend on the session: nobody may keep it.
    const cache = isRead ? ',"ttlMs":0,"cacheScope":"private"' : '';
    this.#rewriter = new AnswerRewriter(id, `"resultType":"complete"${cache}`);
    this.#answer = answer;
    answer.onAbort(() => {
      if (this.#answer === answer && this.#outcome === undefined) this.giveUp('the client has gone');
    });
  }

  #askClient(): void {
    const answer = this.#answer;
    if (answer === undefined || this.#questions.size === 0 || this.#hasStarted || this.#outcome !== undefined) return;
    const requestState = this.#options.held.hold(this);
    if (requestState === undefined) {
      this.giveUp('too many calls wait for their clients');
      return;
    }
    const inputRequests = [...this.#questions].map(([key, { request }]) => `"${key}":${request}`).join(',');
    this.#answer = undefined;
    answer.result(
      `{"resultType":"input_required","inputRequests":{${inputRequests}},"requestState":"${requestState}"}`,
    );
  }

  #mayAsk(question: string): boolean {
    const { method, caller } = this.#options;
    const capability = MAY_ASK.has(method) ? CAPABILITY_OF_QUESTION.get(question) : undefined;
    if (capability === undefined || this.#questions.size >= MAX_QUESTIONS) return false;
    return Object.hasOwn(caller.capabilities, capability);
  }

  #write(answer: ClientAnswer, chunk: Uint8Array): boolean {
    const piece = (this.#rewriter as AnswerRewriter).push(chunk);
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      // Only of an answer in one piece is it known how long it has become.
      answer.start(chunk.length === this.#length ? piece.length : undefined);
    }
    return piece.length === 0 || answer.data(piece);
  }

  /** The backend did not wait for the answers to its questions. */
  #replay(): void {
    const answer = this.#answer as ClientAnswer;
    const { backend } = this.#options.lease.session as { backend?: string };
    if (this.#keptBytes > MAX_KEPT_BYTES) {
      this.#stop.abort();
      answer.fail(new BackendError(backend ?? '', 'too_large', 'answered too much before the client was back'));
      return;
    }
    for (const chunk of this.#kept.splice(0)) this.#write(answer, chunk);
    if (this.#outcome === 'complete') answer.end();
    else if (this.#outcome !== undefined) answer.fail(this.#outcome);
  }

  /** Log messages are for those who asked for them in this very request; an `elicitation/complete` has no meaning here. */
  #isWanted(json: string): boolean {
    if (isWithdrawal(json)) {
      this.#withdraw(json);
      return false;
    }
    if (json.includes('"notifications/elicitation/complete"')) return false;
    if (!json.includes('"notifications/message"')) return true;
    const { logLevel } = this.#options.caller;
    const { method, params } = JSON.parse(json) as { method: string; params?: { level?: unknown } };
    return method !== 'notifications/message' || (logLevel !== undefined && isAtLeast(params?.level, logLevel));
  }

  #withdraw(json: string): void {
    const { params } = JSON.parse(json) as { params?: { requestId?: unknown } };
    const id = JSON.stringify(params?.requestId);
    for (const [key, question] of this.#questions) if (question.id === id) this.#questions.delete(key);
  }

  #ended(outcome: 'complete' | BackendError): void {
    this.#outcome = outcome;
    const { connection, lease } = this.#options;
    lease.call = undefined;
    if (outcome === 'complete') connection.leases.giveBack(lease);
    else connection.leases.discard(lease);
  }
}

/** A request of a backend as one of `inputRequests`; undefined for what is no message that may be passed on. */
function inputRequestIn(json: string): string | undefined {
  try {
    const { text, method, params } = readEnvelope(json);
    const rest = params === undefined ? '' : `,"params":${text.slice(params.start, params.end)}`;
    return `{"method":${JSON.stringify(method)}${rest}}`;
  } catch {
    return undefined;
  }
}
