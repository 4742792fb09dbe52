import { readFile } from 'node:fs/promises';
import type { Clock } from './clock.ts';
import { KubeConfigError } from './config-error.ts';

/** How long a file's content is used without reading it again, in milliseconds. The kubelet writes new tokens long before old ones expire. */
const FRESH_MS = 60_000;

/** Requirements for a file's content. */
export interface FileRules {
  /** Why a text is unusable, as the end of a sentence that begins with the file. */
  findProblem?(text: string): string | undefined;
  /** Called with the reason when the changed file is unusable and the previous content stays in use. */
  onStale?(message: string): void;
}

/** A file that is replaced from time to time: ServiceAccount tokens and certificates are rotated. */
export class ReloadingFile {
  readonly #path: string;
  readonly #field: string;
  readonly #clock: Clock;
  readonly #rules: FileRules;
  #text = '';
  #stale: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  /** `field` names the setting with the path of the file, for messages */
  constructor(path: string, field: string, clock: Clock, rules: FileRules = {}) {
    this.#path = path;
    this.#field = field;
    this.#clock = clock;
    this.#rules = rules;
  }

  /**
   * The content, at most a minute old. After the first read, while the file is broken or missing, the last content stays in use.
   * @throws KubeConfigError
   */
  async text(): Promise<string> {
    if (this.#clock.now() - this.#readAt < FRESH_MS) return this.#text;
    const message = await this.#readAgain();
    if (message !== undefined && this.#text === '') throw new KubeConfigError(message);
    if (message !== undefined && message !== this.#stale) {
      this.#rules.onStale?.(`${message}; the previous content stays in use`);
    }
    this.#stale = message;
    return this.#text;
  }

  /** Reads the file. Returns why it has no new content, if so. */
  async #readAgain(): Promise<string | undefined> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return `${this.#field}: cannot read ${this.#path}: ${code ?? 'unknown cause'}`;
    }
    const problem = this.#rules.findProblem?.(text);
    if (problem !== undefined) return `${this.#field}: ${this.#path} ${problem}`;
    this.#text = text;
    this.#readAt = this.#clock.now();
    return undefined;
  }

  /** Makes the next use read the file again. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
