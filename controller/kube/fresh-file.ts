import { readFile } from 'node:fs/promises';
import type { Clock } from './clock.ts';
import { KubeConfigError } from './config-error.ts';

/** How long what a file said is taken for granted, in milliseconds. The kubelet writes new tokens long before old ones end. */
const FRESH_MS = 60_000;

/** A file that somebody replaces now and then: tokens of ServiceAccounts and certificates are rotated. */
export class FreshFile {
  readonly #path: string;
  readonly #field: string;
  readonly #clock: Clock;
  #text = '';
  #readAt = Number.NEGATIVE_INFINITY;

  /** `field` says what named the file, for messages. */
  constructor(path: string, field: string, clock: Clock) {
    this.#path = path;
    this.#field = field;
    this.#clock = clock;
  }

  /**
   * What stands in it, at most a minute old. Once read, a file that has gone for a moment does no harm.
   *
   * @throws KubeConfigError
   */
  async text(): Promise<string> {
    if (this.#clock.now() - this.#readAt < FRESH_MS) return this.#text;
    try {
      this.#text = await readFile(this.#path, 'utf8');
      this.#readAt = this.#clock.now();
    } catch (error) {
      if (this.#text === '') {
        const { code } = error as NodeJS.ErrnoException;
        throw new KubeConfigError(`${this.#field}: cannot read ${this.#path}: ${code ?? 'unknown cause'}`);
      }
    }
    return this.#text;
  }

  /** The next reading is from the disk. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
