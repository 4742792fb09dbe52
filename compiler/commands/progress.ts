/**
 * Progress of long work: one line on standard error that is redrawn, and erased at the end. Only on a terminal, and not in CI, where some
 * systems emulate one: elsewhere each update would be a line of a log.
 */
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { isScreen } from './is-screen.ts';

/** Delay before the first update; milliseconds. Shorter work ends before a person could read the line. */
const FIRST_AFTER_MS = 400;

/** Time between two updates; milliseconds. */
const INTERVAL_MS = 80;

/** Moves to the start of the line and clears it. */
const ERASE = '\r\u001B[2K';

export interface ProgressOptions {
  readonly stream?: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;
  readonly env?: NodeJS.ProcessEnv;
  readonly now?: () => number;
}

export class Progress implements Disposable {
  readonly #stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;
  /** Whether progress is shown. */
  readonly isShown: boolean;
  readonly #now: () => number;
  #next: number;
  #isDrawn = false;

  constructor({
    stream = process.stderr,
    env = process.env,
    now = performance.now.bind(performance),
  }: ProgressOptions = {}) {
    this.#stream = stream;
    this.isShown = isScreen(stream, env) && (env.CI ?? '') === '';
    this.#now = now;
    this.#next = now() + FIRST_AFTER_MS;
  }

  /**
   * Shows a line such as `backends that answered: 3 of 12 (waiting for github)`. May be called at any rate: updates are throttled.
   *
   * @param work what is done, in words
   * @param what the current step
   */
  step(work: string, done: number, total: number, what: string): void {
    if (!this.isShown) return;
    const now = this.#now();
    if (now < this.#next) return;
    this.#next = now + INTERVAL_MS;
    const text = escapeUnprintable(`${work}: ${done} of ${total} (${what})`);
    // A wrapped line could not be redrawn.
    this.#stream.write(`${ERASE}${text.slice(0, Math.max(0, (this.#stream.columns || 80) - 1))}`);
    this.#isDrawn = true;
  }

  /** Erases the line, before other output is written. */
  end(): void {
    if (this.#isDrawn) this.#stream.write(ERASE);
    this.#isDrawn = false;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
