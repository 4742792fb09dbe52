import type { AbortListener, AbortSource, BackendError } from '../gateway/backend/backend.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** What the answers of all transports have in common: who is told when nobody waits any more, and how a failure reads. */
export abstract class AbortableAnswer implements AbortSource {
  #isAborted = false;
  #onAbort: AbortListener[] | undefined;

  abstract error(error: WireError): void;

  onAbort(callback: () => void): void {
    if (this.#isAborted) callback();
    else this.addEventListener('abort', { handleEvent: callback });
  }

  get aborted(): boolean {
    return this.#isAborted;
  }

  addEventListener(_type: 'abort', listener: AbortListener): void {
    if (this.#onAbort === undefined) this.#onAbort = [listener];
    else this.#onAbort.push(listener);
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    const index = this.#onAbort?.indexOf(listener) ?? -1;
    if (index >= 0) this.#onAbort?.splice(index, 1);
  }

  fail(error: BackendError): void {
    const code = error.reason === 'timeout' ? WIRE_CODE.timeout : WIRE_CODE.internalError;
    this.error(new WireError(code, error.message, { data: { backend: error.backend, reason: error.reason } }));
  }

  /** Tells everyone who asked that nobody waits for the answer any more. */
  protected giveUp(): void {
    this.#isAborted = true;
    const listeners = this.#onAbort ?? [];
    this.#onAbort = undefined;
    for (const listener of listeners) listener.handleEvent();
  }
}
