import type { AbortListener, AbortSource } from './backend.ts';

/**
 * An `AbortController` that also aborts with the first of its sources. It must be released when nobody needs it any more.
 *
 * `AbortSignal.any` needs no release, but keeps a little of every signal that it has made for as long as one of its sources lives;
 * some of ours live as long as the process.
 * @see https://github.com/nodejs/node/issues/55351
 */
export class LinkedAbort implements AbortListener {
  readonly #controller = new AbortController();
  readonly #sources: readonly AbortSource[];

  constructor(...sources: readonly AbortSource[]) {
    this.#sources = sources;
    for (const source of sources) source.addEventListener('abort', this);
    if (sources.some(({ aborted }) => aborted)) this.abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.release();
    this.#controller.abort();
  }

  /** Hears its sources no more. */
  release(): void {
    for (const source of this.#sources) source.removeEventListener('abort', this);
  }

  /** A source has aborted. */
  handleEvent(): void {
    this.abort();
  }
}
