import type { BackendError } from '../gateway/backend/backend.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** What the answers of all transports have in common: who is told when nobody waits any more, and how a failure reads. */
export abstract class AbortableAnswer {
  #isAborted = false;
  #onAbort: (() => void)[] = [];
  #controller: AbortController | undefined;

  abstract error(error: WireError): void;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      this.onAbort(() => controller.abort());
    }
    return this.#controller.signal;
  }

  onAbort(callback: () => void): void {
    if (this.#isAborted) callback();
    else this.#onAbort.push(callback);
  }

  fail(error: BackendError): void {
    const code = error.reason === 'timeout' ? WIRE_CODE.timeout : WIRE_CODE.internalError;
    this.error(new WireError(code, error.message, { data: { backend: error.backend, reason: error.reason } }));
  }

  /** Tells everyone who asked that nobody waits for the answer any more. */
  protected giveUp(): void {
    this.#isAborted = true;
    const callbacks = this.#onAbort;
    this.#onAbort = [];
    for (const callback of callbacks) callback();
  }
}
