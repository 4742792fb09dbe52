/** The part of `AbortSignal` that a listener needs; a whole one costs more than everything else that is allocated for a request. */
export interface AbortSource {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: AbortListener): void;
  removeEventListener(type: 'abort', listener: AbortListener): void;
}

export interface AbortListener {
  handleEvent(): void;
}

/**
 * A signal that is aborted with the first of its sources, after a timeout, or by `abort`. It must be disposed of when the work has ended.
 * `AbortSignal.any` and `AbortSignal.timeout` need no disposal, but both have a disadvantage. `AbortSignal.any` leaks a little memory for each signal
 * as long as one of its sources lives, and some sources live as long as the process. The timer of `AbortSignal.timeout` keeps running after the work
 * has ended.
 *
 * @see https://github.com/nodejs/node/issues/55351
 */
export class LinkedAbort implements AbortListener, Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSource[];
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;

  /** @param timeoutMs milliseconds; undefined for no timeout */
  constructor(sources: readonly (AbortSource | undefined)[], timeoutMs?: number) {
    this.#sources = sources.filter(source => source !== undefined);
    for (const source of this.#sources) source.addEventListener('abort', this);
    if (this.#sources.some(({ aborted }) => aborted)) this.handleEvent();
    else if (timeoutMs !== undefined) {
      this.#timer = setTimeout(() => {
        this.#isLate = true;
        this.abort(new DOMException(`not done within ${timeoutMs} ms`, 'TimeoutError'));
      }, timeoutMs);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the timeout aborted this signal. */
  get isLate(): boolean {
    return this.#isLate;
  }

  abort(reason?: unknown): void {
    this[Symbol.dispose]();
    this.#controller.abort(reason);
  }

  /** A source was aborted: aborts this signal for the same reason. */
  handleEvent(): void {
    this.abort(this.#sources.find(({ aborted }) => aborted)?.reason);
  }

  /** Removes the timer and the listeners: after that only `abort` aborts the signal. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const source of this.#sources) source.removeEventListener('abort', this);
  }
}
