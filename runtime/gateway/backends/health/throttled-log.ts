/** Lines about one backend within `WINDOW_MS`. */
const MAX_LINES = 20;

/** Milliseconds. */
const WINDOW_MS = 60_000;

export interface ThrottledLogWriter<T> {
  /** A line about one item. */
  logItem(item: T): void;
  /** A line for those of a backend that get none. */
  logRest(backend: string, count: number): void;
}

/** The window of one backend. */
interface Window {
  readonly since: number;
  lines: number;
  isRestTold: boolean;
}

/**
 * What operators read of backends in the log: each thing once, when it comes up, and only so much in a minute, since backends
 * decide how much comes up. What was not logged is logged later, if it is still there.
 */
export class ThrottledLog<T extends { readonly backend: string }> {
  readonly #writer: ThrottledLogWriter<T>;
  /** The items that were logged and are still there, as JSON. */
  #logged = new Set<string>();
  /** By backend. */
  readonly #windows = new Map<string, Window>();

  constructor(writer: ThrottledLogWriter<T>) {
    this.#writer = writer;
  }

  /**
   * Tells what is new.
   *
   * @param items all that there is now
   * @param more how much there is besides that of each backend
   */
  update(items: readonly T[], more: readonly { readonly backend: string; readonly count: number }[] = []): void {
    const present = new Set<string>();
    /** How many items of each backend were left out. */
    const rest = new Map<string, number>();
    for (const item of items) {
      const key = JSON.stringify(item);
      if (this.#logged.has(key)) {
        present.add(key);
        continue;
      }
      const { backend } = item;
      const window = this.#getWindow(backend);
      const hasLine = window.lines < MAX_LINES;
      rest.set(backend, (rest.get(backend) ?? 0) + (hasLine ? 0 : 1));
      if (!hasLine) continue;
      window.lines++;
      present.add(key);
      this.#writer.logItem(item);
    }
    this.#logged = present;
    for (const { backend, count } of more) if (rest.has(backend)) rest.set(backend, (rest.get(backend) ?? 0) + count);
    for (const [backend, count] of rest) this.#writeRest(backend, count);
    this.#forgetOld();
  }

  #writeRest(backend: string, count: number): void {
    const window = this.#getWindow(backend);
    if (count === 0 || window.isRestTold) return;
    window.isRestTold = true;
    this.#writer.logRest(backend, count);
  }

  #getWindow(backend: string): Window {
    const known = this.#windows.get(backend);
    if (known !== undefined && isOpen(known)) return known;
    const window = { since: performance.now(), lines: 0, isRestTold: false };
    this.#windows.set(backend, window);
    return window;
  }

  #forgetOld(): void {
    for (const [backend, window] of this.#windows) if (!isOpen(window)) this.#windows.delete(backend);
  }
}

function isOpen({ since }: Window): boolean {
  return performance.now() - since < WINDOW_MS;
}
