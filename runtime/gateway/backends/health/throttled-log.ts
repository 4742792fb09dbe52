/** Maximum number of lines about one backend within `WINDOW_MS`. */
const MAX_LINES = 20;

/** Milliseconds. */
const WINDOW_MS = 60_000;

export interface ThrottledLogWriter<T> {
  /** Logs a line about one item. */
  logItem(item: T): void;
  /** Logs a line about the items of a backend that exceed the limit. */
  logRest(backend: string, count: number): void;
}

/** The window of one backend. */
interface Window {
  readonly since: number;
  lines: number;
  isRestLogged: boolean;
}

/**
 * Logs the state of backends for operators: each item once, when it first appears, and a limited number of lines per minute, because backends decide
 * how many items appear. An item that the limit suppressed is logged later if it still exists.
 */
export class ThrottledLog<T extends { readonly backend: string }> {
  readonly #writer: ThrottledLogWriter<T>;
  /** The logged items that still exist, as JSON. */
  #logged = new Set<string>();
  /** The lines that were logged lately, by backend. */
  readonly #windows = new Map<string, Window>();

  constructor(writer: ThrottledLogWriter<T>) {
    this.#writer = writer;
  }

  /**
   * Logs the new items.
   * @param items all current items
   * @param more the number of further items of each backend
   */
  update(items: readonly T[], more: readonly { readonly backend: string; readonly count: number }[] = []): void {
    const present = new Set<string>();
    /** For each backend, the number of its items that got no line. */
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
    if (count === 0 || window.isRestLogged) return;
    window.isRestLogged = true;
    this.#writer.logRest(backend, count);
  }

  #getWindow(backend: string): Window {
    const known = this.#windows.get(backend);
    if (known !== undefined && isOpen(known)) return known;
    const window = { since: performance.now(), lines: 0, isRestLogged: false };
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
