import type { Logger } from '../log.ts';

/** Maximum number of kept lines; the oldest are dropped. */
const MAX_HELD = 100;

type Level = 'info' | 'warn' | 'error';

/**
 * Holds back the output of a program that may end again for a known reason. If the reason turns out to be new, the output is logged. Otherwise it is
 * dropped.
 */
export class DeferredLog {
  readonly #log: Logger;
  #deferred: (() => void)[] | undefined;

  constructor(log: Logger, isHeld: boolean) {
    this.#log = log;
    this.#deferred = isHeld ? [] : undefined;
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
    const deferred = this.#deferred ?? [];
    this.#deferred = undefined;
    for (const write of deferred) write();
  }

  #write(level: Level, fields: object, message: string): void {
    const write = () => this.#log[level](fields, message);
    if (this.#deferred === undefined) {
      write();
      return;
    }
    this.#deferred.push(write);
    if (this.#deferred.length > MAX_HELD) this.#deferred.shift();
  }
}
