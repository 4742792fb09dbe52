/** Logs changes of a backend's health for operators. */
import type { Logger } from '../../../observe/log.ts';
import type { BackendHealth, CheckedHealth } from './backend-health.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { createCircuitOpen } from './guarded-session.ts';

export class HealthLog {
  readonly #backend: string;
  readonly #address: string | undefined;
  readonly #log: Logger;

  /** @param address where the backend is, without anything that may be a secret; undefined if only the process knows it */
  constructor(backend: string, address: string | undefined, log: Logger) {
    this.#backend = backend;
    this.#address = address;
    this.#log = log;
  }

  succeeded(before: BackendHealth, { status, message }: CheckedHealth): void {
    if (before.status === status) return;
    const backend = this.#backend;
    const why = message === '' ? '' : `: ${message}`;
    this.#log.info({ backend, status }, `backend "${backend}" is ${status}${why}`);
  }

  /** Logs a failed probe: one line for a backend that stays unavailable, and one for a backend that answers only callers. */
  failed(
    before: BackendHealth,
    { status, message, reason, consecutiveFailures }: CheckedHealth,
    isReachable: boolean,
  ): void {
    const isNew = status !== before.status || withoutNumbers(message) !== withoutNumbers(before.message);
    const level = isNew ? (isReachable ? 'info' : 'warn') : 'debug';
    const consequence = status === before.status ? `still counts as ${status}` : `is ${status} now`;
    const fields = { backend: this.#backend, ...this.#where, status, reason, failures: consecutiveFailures };
    const count = isReachable ? '' : `failure ${consecutiveFailures}, `;
    this.#log[level](fields, `${message}; ${count}${consequence}`);
  }

  get #where(): { readonly address?: string } {
    return this.#address === undefined ? {} : { address: this.#address };
  }

  circuitChanged(circuit: CircuitBreaker, isCut: boolean): void {
    const backend = this.#backend;
    const fields = { backend, ...this.#where, circuit: circuit.state };
    if (isCut)
      this.#log.warn(fields, `${createCircuitOpen(backend, circuit).message}; the last: ${circuit.lastFailure}`);
    else this.#log.info(fields, `backend "${backend}": the circuit is closed again`);
  }
}

/**
 * The message without its numbers, in which it may differ each time: a bridge counts how often a server has failed, and says when it starts again.
 */
function withoutNumbers(message: string): string {
  return message.replace(/\d+/g, '0');
}
