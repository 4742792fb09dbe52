/** What a listener needs of an `AbortSignal`; a whole one costs more than all else that is made for a request. */
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
 * A signal that is aborted with the first of its sources, after a time, or by hand. It must be disposed of when nothing needs it any more.
 *
 * `AbortSignal.any` and `AbortSignal.timeout` need no disposal, but the former keeps a little of every signal that it has made for as long
 * as one of its sources lives, and some of ours live as long as the process; timers of the latter go on after the work has ended.
 * @see https://github.com/nodejs/node/issues/55351
 */
export class LinkedAbort implements AbortListener, Disposable {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSource[];
  #timer: NodeJS.Timeout | undefined;
  #isLate = false;

  /** @param timeoutMs milliseconds; without, no time aborts it */
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

  /** Whether the time was over first. */
  get isLate(): boolean {
    return this.#isLate;
  }

  abort(reason?: unknown): void {
    this[Symbol.dispose]();
    this.#controller.abort(reason);
  }

  /** A source was aborted: so is this, for the same reason. */
  handleEvent(): void {
    this.abort(this.#sources.find(({ aborted }) => aborted)?.reason);
  }

  /** Nothing but `abort` aborts it any more, and no source remembers it. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const source of this.#sources) source.removeEventListener('abort', this);
  }
}
