/**
 * A signal that is aborted with another one, after a time, or by hand. In place of `AbortSignal.any` and `AbortSignal.timeout` wherever the
 * other signal lives long: it would remember each that depends on it, and timers would go on after the work has ended.
 */
export class LinkedAbort implements Disposable {
  readonly #controller = new AbortController();
  readonly #other: AbortSignal | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;

  /** @param timeoutMs milliseconds; never by itself without */
  constructor(other: AbortSignal | undefined, timeoutMs?: number) {
    this.#other = other;
    if (other?.aborted === true) this.#controller.abort(other.reason);
    else other?.addEventListener('abort', this);
    if (timeoutMs === undefined) return;
    this.#timer = setTimeout(() => {
      this.#isLate = true;
      this.#controller.abort(new DOMException(`not done within ${timeoutMs} ms`, 'TimeoutError'));
    }, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time was over first. */
  get isLate(): boolean {
    return this.#isLate;
  }

  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** The other one was aborted. */
  handleEvent(): void {
    this.#controller.abort(this.#other?.reason);
  }

  /** Nothing aborts it any more, and nobody remembers it. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#other?.removeEventListener('abort', this);
  }
}
