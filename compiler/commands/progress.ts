/**
 * How far long work is: one line on standard error that is drawn over and goes away with the end of the work. On a terminal alone, and not in CI, where
 * some systems pretend to have one: elsewhere each drawing would be a line of a log.
 */
import { printable } from '../diagnostics/render/printable.ts';
import { isScreen } from './is-screen.ts';

/** Shorter work is over before a person could read the line; milliseconds. */
const FIRST_AFTER_MS = 400;

/** Between two drawings; milliseconds. */
const INTERVAL_MS = 80;

/** To the start of the line, which is erased. */
const ERASE = '\r\u001B[2K';

export interface ProgressOptions {
  readonly stream?: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;
  readonly env?: NodeJS.ProcessEnv;
  readonly now?: () => number;
}

export class Progress implements Disposable {
  readonly #stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;
  /** Whether anything is drawn at all. */
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
   * Such as `backends that answered: 3 of 12 (waiting for github)`. Called as often as there is something new: it draws no more often than eyes follow.
   *
   * @param work what is done
   * @param what is done just now
   */
  step(work: string, done: number, total: number, what: string): void {
    if (!this.isShown) return;
    const now = this.#now();
    if (now < this.#next) return;
    this.#next = now + INTERVAL_MS;
    const text = printable(`${work}: ${done} of ${total} (${what})`);
    // A line that wraps cannot be drawn over.
    this.#stream.write(`${ERASE}${text.slice(0, Math.max(0, (this.#stream.columns || 80) - 1))}`);
    this.#isDrawn = true;
  }

  /** Takes the line away, before anything else is written. */
  end(): void {
    if (this.#isDrawn) this.#stream.write(ERASE);
    this.#isDrawn = false;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
