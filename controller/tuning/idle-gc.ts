import { collectGarbage } from '#shared/util';

/** Runs one garbage collection after each burst of work, once no work has come for a while. */
export class IdleGc implements Disposable {
  readonly #restMs: number;
  readonly #collect: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param restMs idle time, in milliseconds */
  constructor(restMs: number, collect: () => void = collectGarbage) {
    this.#restMs = restMs;
    this.#collect = collect;
  }

  worked(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#collect, this.#restMs).unref();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
