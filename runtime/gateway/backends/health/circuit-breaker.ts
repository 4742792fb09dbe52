/**
 * Stops requests to one backend after failures in a row, and tries it again after a while. Probes and calls are counted together, and
 * all connections to the backend share one breaker, also while a new bundle takes the place of the former one.
 */
import type { CircuitBreakerPlan } from '#schemas';

export type CircuitState = 'closed' | 'open' | 'half-open';

/** How a request went: `neither` says nothing about the backend, such as one that its caller took back. */
export type Outcome = 'success' | 'failure' | 'neither';

/** A request that may be sent; `settle` takes it back. */
export type Ticket = number;

export interface Clock {
  /** Milliseconds that never go back. */
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
  /** Half-open, and one request is under way. */
  #isTrying = false;
  /** Tickets of former turns no longer count: a request that began before the circuit opened says nothing about what is there now. */
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

  /** ISO 8601, or null while it was always closed. */
  get lastChanged(): string | null {
    return this.#lastChanged;
  }

  /** What the last failure was, for people. */
  get lastFailure(): string {
    return this.#lastFailure;
  }

  /** Whether a request may be sent now. */
  get lets(): boolean {
    const { state } = this;
    return state === 'closed' || (state === 'half-open' && !this.#isTrying);
  }

  /** How long it stays open; 0 when it is not. Milliseconds. */
  get waitMs(): number {
    if (this.#state !== 'open') return 0;
    return Math.max(0, this.#openedAt + this.#plan.timeoutMs - this.#clock.now());
  }

  /** Other limits, from now on. */
  configure(plan: CircuitBreakerPlan): void {
    this.#plan = plan;
  }

  /** For a request that is about to be sent; undefined when it must not be. What is taken has to be settled, once. */
  take(): Ticket | undefined {
    if (!this.lets) return undefined;
    if (this.#state === 'half-open') {
      this.#isTrying = true;
      this.#turn++;
    }
    return this.#turn;
  }

  /** It is the one request that decides whether the circuit closes. */
  isTrial(ticket: Ticket): boolean {
    return this.#state === 'half-open' && ticket === this.#turn;
  }

  /** @param failure what it was, for people */
  settle(ticket: Ticket, outcome: Outcome, failure = ''): void {
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
    // That time has passed is seen by looking: listeners have timers for it.
    if (state !== 'half-open') this.#notify();
  }

  #notify(): void {
    for (const listener of this.listeners) listener();
  }
}
