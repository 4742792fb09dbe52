import type { AbortListener, AbortSource } from '../gateway/backend/backend.ts';

/** An `AbortController` and its signal in one, for calls: a real pair costs more than all else that is made for one. */
export abstract class AbortFlag implements AbortSource {
  #isAborted = false;
  #listeners: AbortListener[] | undefined;

  get aborted(): boolean {
    return this.#isAborted;
  }

  addEventListener(_type: 'abort', listener: AbortListener): void {
    if (this.#listeners === undefined) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    const index = this.#listeners?.indexOf(listener) ?? -1;
    if (index >= 0) this.#listeners?.splice(index, 1);
  }

  /** Tells everyone who asked; once. */
  protected raise(): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener.handleEvent();
  }
}
