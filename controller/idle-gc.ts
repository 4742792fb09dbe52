import { collectGarbage } from '#util';

/** Collects once after each burst of work, when none has come for a while. */
export class IdleGc implements Disposable {
  readonly #restMs: number;
  readonly #collect: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param restMs without work, in milliseconds */
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
