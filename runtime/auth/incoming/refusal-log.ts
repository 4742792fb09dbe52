import type { Logger } from '../../observe/log.ts';

/** How a provider judged a token. */
export interface Attempt {
  readonly provider: string;
  readonly cause: string;
}

/** Limit on different refusals that are told apart between two summaries. */
const MAX_KINDS = 100;

interface Kind {
  readonly level: 'info' | 'warn';
  readonly tried: readonly Attempt[];
  readonly cause: string;
  /** Since it was logged last. */
  count: number;
}

/**
 * What operators read about refused tokens: which providers were asked, in order, and why each refused. The first refusal of a kind is
 * logged at once; what follows is counted in the next summary, so that a flood of tokens is no flood of lines.
 */
export class RefusalLog {
  readonly #log: Logger;
  #kinds = new Map<string, Kind>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * @param cause the error that the caller got; neither it nor those of the attempts repeat anything of the token
   * @param isOpen no provider could decide whether the token is valid
   */
  note(tried: readonly Attempt[], cause: string, isOpen = false): void {
    const text = JSON.stringify([tried, cause]);
    const isFull = this.#kinds.size >= MAX_KINDS && !this.#kinds.has(text);
    const key = isFull ? '' : text;
    const known = this.#kinds.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const level = isOpen ? 'warn' : 'info';
    const kind: Kind = isFull
      ? { level: 'info', tried: [], cause: 'other causes', count: 1 }
      : { level, tried, cause, count: 1 };
    this.#kinds.set(key, kind);
    if (!isFull) this.#write(kind);
  }

  /** Logs what was counted since, and forgets what did not come up again: its next time is a first time. */
  summarize(): void {
    const kinds = this.#kinds;
    this.#kinds = new Map();
    for (const [key, kind] of kinds) {
      if (kind.count === 0) continue;
      this.#write(kind);
      this.#kinds.set(key, kind);
    }
  }

  #write(kind: Kind): void {
    const { level, tried, cause, count } = kind;
    kind.count = 0;
    this.#log[level]({ tried, cause, count }, 'a token was refused');
  }
}
