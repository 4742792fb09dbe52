/** Logs changes of a backend's health for operators. */
import type { Logger } from '../../../observe/log.ts';
import type { BackendHealth, CheckedHealth } from './backend-health.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { createCircuitOpen } from './guarded-session.ts';

export class HealthLog {
  readonly #backend: string;
  readonly #log: Logger;

  constructor(backend: string, log: Logger) {
    this.#backend = backend;
    this.#log = log;
  }

  succeeded(before: BackendHealth, { status, message }: CheckedHealth): void {
    if (before.status === status) return;
    const backend = this.#backend;
    const why = message === '' ? '' : `: ${message}`;
    this.#log.info({ backend, status }, `backend "${backend}" is ${status}${why}`);
  }

  /** The log has one line for a backend that stays unavailable, and one for a backend that answers only callers. */
  failed(
    before: BackendHealth,
    { status, message, reason, consecutiveFailures }: CheckedHealth,
    isThere: boolean,
  ): void {
    const isNew = status !== before.status || withoutNumbers(message) !== withoutNumbers(before.message);
    const level = isNew ? (isThere ? 'info' : 'warn') : 'debug';
    const consequence = status === before.status ? `still counts as ${status}` : `is ${status} now`;
    const fields = { backend: this.#backend, status, reason, failures: consecutiveFailures };
    const count = isThere ? '' : `failure ${consecutiveFailures}, `;
    this.#log[level](fields, `${message}; ${count}${consequence}`);
  }

  circuitChanged(circuit: CircuitBreaker, isCut: boolean): void {
    const backend = this.#backend;
    const fields = { backend, circuit: circuit.state };
    if (isCut)
      this.#log.warn(fields, `${createCircuitOpen(backend, circuit).message}; the last: ${circuit.lastFailure}`);
    else this.#log.info(fields, `backend "${backend}": the circuit is closed again`);
  }
}

/** A bridge counts how often a server has failed, and says when it starts again. */
function withoutNumbers(message: string): string {
  return message.replace(/\d+/g, '0');
}
