/**
 * A session behind the guards of its backend: every request of a caller passes here. It sends none above the bulkhead's limit, and none while
 * the circuit is open, if there is a circuit breaker.
 */

import { BackendError } from '../../../mcp/backend-error.ts';
import type { Envelope } from '../../../mcp/envelope.ts';
import type { ResponseSink } from '../../../mcp/response-sink.ts';
import type {
  BackendIdentity,
  BackendListener,
  BackendRequest,
  BackendSession,
  NamedBackendSession,
  SavedBackendSession,
} from '../backend.ts';
import { type Bulkhead, createTooManyOpen } from './bulkhead.ts';
import type { AttemptOutcome, CircuitBreaker, Ticket } from './circuit-breaker.ts';
import { classifyFailure, classifyStatus } from './outcome.ts';

/** The ticket of a call without a circuit breaker. */
const NO_TICKET: Ticket = 0;

/** The guards of one backend's calls. */
export interface Guards {
  readonly bulkhead: Bulkhead;
  readonly circuit: CircuitBreaker | undefined;
}

export class GuardedSession implements Required<BackendSession> {
  readonly backend: string;
  private readonly _session: BackendSession;
  private readonly _guards: Guards;

  constructor(session: NamedBackendSession, guards: Guards) {
    this.backend = session.backend;
    this._session = session;
    this._guards = guards;
  }

  get sharesOneStream(): boolean {
    return this._session.sharesOneStream;
  }

  get isOpen(): boolean {
    return this._session.isOpen === true;
  }

  /** Opens the session, unless it is open: then only the memory is read. Only a failure to open says something about the backend. */
  async open(): Promise<BackendIdentity> {
    const { circuit } = this._guards;
    if (circuit === undefined) return this._session.open();
    const ticket = circuit.take();
    if (ticket === undefined) throw createCircuitOpen(this.backend, circuit);
    try {
      const identity = await this._session.open();
      circuit.settle(ticket, 'neither');
      return identity;
    } catch (error) {
      if (error instanceof BackendError) circuit.settle(ticket, classifyFailure(error), error.message);
      else circuit.settle(ticket, 'neither');
      throw error;
    }
  }

  request(request: BackendRequest, sink: ResponseSink): void {
    const { bulkhead, circuit } = this._guards;
    if (!bulkhead.enter()) {
      sink.fail(createTooManyOpen(this.backend));
      return;
    }
    const ticket = circuit?.take();
    if (circuit !== undefined && ticket === undefined) {
      bulkhead.leave();
      sink.fail(createCircuitOpen(this.backend, circuit));
      return;
    }
    const call = sink.request === undefined ? GuardedCall : GuardedConversation;
    this._session.request(request, new call(sink, this._guards, ticket));
  }

  post(text: string): Promise<void> {
    return this._session.post(text);
  }

  receive(listener: BackendListener): void {
    this._session.receive(listener);
  }

  listen(listener: BackendListener): void {
    this._session.listen(listener);
  }

  unlisten(): void {
    this._session.unlisten?.();
  }

  subscribedElsewhere(uri: string, isSubscribed: boolean): void {
    this._session.subscribedElsewhere?.(uri, isSubscribed);
  }

  moveTo(session: SavedBackendSession): void {
    this._session.moveTo?.(session);
  }

  close(isLeft?: boolean): Promise<void> {
    return this._session.close(isLeft);
  }
}

/** The failure of a request that the gateway did not send because the circuit is open. */
export function createCircuitOpen(backend: string, { waitMs }: CircuitBreaker): BackendError {
  const next =
    waitMs === 0
      ? 'another request tries the backend now'
      : `the gateway tries the backend again in ${Math.ceil(waitMs / 1000)} s`;
  return new BackendError(backend, 'circuit_open', `the circuit is open after consecutive failures; ${next}`);
}

/** Reports a request's outcome to the guards, and forwards everything to the sink. */
class GuardedCall implements ResponseSink {
  protected readonly sink: ResponseSink;
  private readonly _bulkhead: Bulkhead;
  private readonly _circuit: CircuitBreaker | undefined;
  private readonly _ticket: Ticket;
  private _outcome: AttemptOutcome = 'success';

  /** @param ticket the circuit breaker's ticket, if there is a breaker */
  constructor(sink: ResponseSink, { bulkhead, circuit }: Guards, ticket: Ticket = NO_TICKET) {
    this.sink = sink;
    this._bulkhead = bulkhead;
    this._circuit = circuit;
    this._ticket = ticket;
  }

  message(notification: Envelope): void {
    this.noteSignOfLife();
    this.sink.message(notification);
  }

  delayed(): void {
    this.noteSignOfLife();
    this.sink.delayed?.();
  }

  retry(ms: number): void {
    this.sink.retry?.(ms);
  }

  start(length: number | undefined, httpStatus?: number): void {
    this._outcome = classifyStatus(httpStatus);
    if (this._outcome === 'success') this.noteSignOfLife();
    this.sink.start(length, httpStatus);
  }

  data(chunk: Uint8Array): boolean {
    return this.sink.data(chunk);
  }

  onDrain(resume: () => void): void {
    this.sink.onDrain(resume);
  }

  end(): void {
    this._bulkhead.leave();
    this._circuit?.settle(this._ticket, this._outcome, 'answered with an HTTP status of 500 or above');
    this.sink.end();
  }

  fail(error: BackendError): void {
    this._bulkhead.leave();
    this._circuit?.settle(this._ticket, this.toOutcome(error), error.message);
    this.sink.fail(error);
  }

  /** Closes the circuit at the first sign of life, so that other requests need not wait for the end of a long call. */
  protected noteSignOfLife(): void {
    if (this._circuit?.isTrial(this._ticket)) this._circuit.settle(this._ticket, 'success');
  }

  protected toOutcome(error: BackendError): AttemptOutcome {
    return classifyFailure(error);
  }
}

/** A call whose client accepts requests of the backend: without the method `request` the gateway refuses them. */
class GuardedConversation extends GuardedCall {
  private _hasAsked = false;

  request(json: string, id: string, method: string): void {
    this._hasAsked = true;
    this.noteSignOfLife();
    this.sink.request?.(json, id, method);
  }

  /** Classifies a failure. A request that timed out may have waited for a client that did not answer, which says nothing about the backend. */
  protected override toOutcome(error: BackendError): AttemptOutcome {
    return this._hasAsked && error.reason === 'timeout' ? 'neither' : super.toOutcome(error);
  }
}
