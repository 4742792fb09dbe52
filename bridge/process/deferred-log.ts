import type { Logger } from '../log.ts';

/** Maximum number of kept lines; the oldest are dropped. */
const MAX_HELD = 100;

type Level = 'info' | 'warn' | 'error';

/**
 * Holds back the output of a program that may end again for a known reason: it is logged once the reason turns out to be new, and dropped
 * otherwise.
 */
export class DeferredLog {
  readonly #log: Logger;
  #held: (() => void)[] | undefined;

  constructor(log: Logger, isHeld: boolean) {
    this.#log = log;
    this.#held = isHeld ? [] : undefined;
  }

  info(fields: object, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#write('error', fields, message);
  }

  /** Logs the held lines, and every later line at once. */
  release(): void {
    const deferred = this.#held ?? [];
    this.#held = undefined;
    for (const write of deferred) write();
  }

  #write(level: Level, fields: object, message: string): void {
    const write = () => this.#log[level](fields, message);
    if (this.#held === undefined) {
      write();
      return;
    }
    this.#held.push(write);
    if (this.#held.length > MAX_HELD) this.#held.shift();
  }
}
