import type { Logger } from '../log.ts';

/** Lines that are kept; the oldest make room. */
const MAX_HELD = 100;

type Level = 'info' | 'warn' | 'error';

/** What a program says that may end again for the reason that is known: logged once it is known to be news, and else dropped. */
export class HeldLog {
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

  /** Logs what is held, and from then on everything at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const write of held) write();
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
