/**
 * Stops requests to one backend after consecutive failures, and tries again after a while. Probes and calls count together. All connections to
 * the backend share one breaker, even while a new bundle replaces the former one.
 */
import type { CircuitBreakerPlan } from '#schemas';

export type CircuitState = 'closed' | 'open' | 'half-open';

/** How a request ended: `neither` says nothing about the backend, for example when the caller cancelled the request. */
export type AttemptOutcome = 'success' | 'failure' | 'neither';

/** The permission to send one request; `settle` returns it. */
export type Ticket = number;

export interface Clock {
  /** A monotonic clock in milliseconds. */
  now(): number;
  date(): Date;
}

const SYSTEM: Clock = { now: () => performance.now(), date: () => new Date() };

export class CircuitBreaker {
  #plan: CircuitBreakerPlan;
  readonly #clock: Clock;
  #state: CircuitState = 'closed';
  #failures = 0;
  #openedAt = 0;
  /** Whether one trial request is running while the circuit is half-open. */
  #isTrying = false;
  /**
   * The number of the current phase. Tickets of former phases no longer count: a request from before the circuit opened says nothing about the
   * backend's present state.
   */
  #turn: Ticket = 1;
  #lastChanged: string | null = null;
  #lastFailure = '';
  /** Called when the circuit opens, closes, or lets the next request try. */
  readonly listeners: Set<() => void> = new Set();

  constructor(plan: CircuitBreakerPlan, clock: Clock = SYSTEM) {
    this.#plan = plan;
    this.#clock = clock;
  }

  get state(): CircuitState {
    if (this.#state === 'open' && this.waitMs === 0) this.#become('half-open');
    return this.#state;
  }

  /** ISO 8601, or null when the circuit has never left the state closed. */
  get lastChanged(): string | null {
    return this.#lastChanged;
  }

  /** The last failure as text for people. */
  get lastFailure(): string {
    return this.#lastFailure;
  }

  /** Whether the gateway may send a request at present. */
  get lets(): boolean {
    const { state } = this;
    return state === 'closed' || (state === 'half-open' && !this.#isTrying);
  }

  /** How long the circuit stays open, in milliseconds; 0 when it is not open. */
  get waitMs(): number {
    if (this.#state !== 'open') return 0;
    return Math.max(0, this.#openedAt + this.#plan.timeoutMs - this.#clock.now());
  }

  /** Sets other limits from now on. */
  configure(plan: CircuitBreakerPlan): void {
    this.#plan = plan;
  }

  /** Returns a ticket for one request, or undefined when the gateway must not send it. The caller must settle each ticket once. */
  take(): Ticket | undefined {
    if (!this.lets) return undefined;
    if (this.#state === 'half-open') {
      this.#isTrying = true;
      this.#turn++;
    }
    return this.#turn;
  }

  /** Whether the request with this ticket decides whether the circuit closes. */
  isTrial(ticket: Ticket): boolean {
    return this.#state === 'half-open' && ticket === this.#turn;
  }

  /** @param failure the failure as text for people */
  settle(ticket: Ticket, outcome: AttemptOutcome, failure = ''): void {
    if (ticket !== this.#turn || this.#state === 'open') return;
    if (outcome === 'success') this.#succeeded();
    else if (outcome === 'failure') this.#failed(failure);
    else if (this.#isTrying) this.#becomeFree();
  }

  #succeeded(): void {
    this.#failures = 0;
    if (this.#state === 'half-open') this.#become('closed');
  }

  #failed(failure: string): void {
    this.#lastFailure = failure;
    if (this.#state === 'closed' && ++this.#failures < this.#plan.failureThreshold) return;
    this.#openedAt = this.#clock.now();
    this.#become('open');
  }

  #becomeFree(): void {
    this.#isTrying = false;
    this.#turn++;
    this.#notify();
  }

  #become(state: CircuitState): void {
    this.#state = state;
    this.#isTrying = false;
    this.#turn++;
    this.#lastChanged = this.#clock.date().toISOString();
    // `half-open` needs no notification: the circuit computes its state when it is read, and listeners have timers for the passing of time.
    if (state !== 'half-open') this.#notify();
  }

  #notify(): void {
    for (const listener of this.listeners) listener();
  }
}
