/** The terminal's alternate screen: leaving it restores the previous content. */

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** Keys that end the program: q, Ctrl-C, Ctrl-D. */
const QUIT: ReadonlySet<string> = new Set(['q', 'Q', '\u0003', '\u0004']);

/** Signals after which the terminal must be restored. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class Screen implements Disposable {
  readonly #out: NodeJS.WriteStream;
  readonly #in: NodeJS.ReadStream;
  readonly #end: AbortController = new AbortController();
  readonly #onResize: () => void;

  /** @param onResize called when the terminal's size changes */
  constructor(out: NodeJS.WriteStream, input: NodeJS.ReadStream, onResize: () => void) {
    this.#out = out;
    this.#in = input;
    this.#onResize = onResize;
    out.write(ENTER);
    out.on('resize', this.#onResize);
    for (const signal of SIGNALS) process.on(signal, this.#quit);
    if (input.isTTY) {
      input.setRawMode(true);
      input.on('data', this.#onKeys);
      input.resume();
    }
  }

  /** Aborted when the person quits. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  get columns(): number {
    return this.#out.columns;
  }

  /** Shows lines, truncated at the right and at the bottom. */
  show(lines: readonly string[]): void {
    const fitting = lines.slice(0, Math.max(1, this.#out.rows));
    this.#out.write(`${HOME}${fitting.map(line => line + CLEAR_LINE).join('\r\n')}${CLEAR_BELOW}`);
  }

  [Symbol.dispose](): void {
    this.#out.off('resize', this.#onResize);
    for (const signal of SIGNALS) process.off(signal, this.#quit);
    if (this.#in.isTTY) {
      this.#in.off('data', this.#onKeys);
      this.#in.setRawMode(false);
      this.#in.pause();
    }
    this.#out.write(LEAVE);
  }

  readonly #quit = (): void => this.#end.abort();

  readonly #onKeys = (keys: Buffer): void => {
    if ([...keys.toString('latin1')].some(key => QUIT.has(key))) this.#quit();
  };
}
