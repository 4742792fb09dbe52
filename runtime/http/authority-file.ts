import { readFile } from 'node:fs/promises';
import { type CheckedAuthorities, validateAuthorities } from '#schemas';
import type { Logger } from '../observe/log.ts';
import { readErrorCode } from './connection-failure.ts';

/** How often the files are checked; milliseconds. */
const POLL_MS = 5_000;

/** A file of certificate authorities that is unusable. The message names the file and the cause. */
export class TrustError extends Error {
  readonly code = 'ERR_HTTP_TRUST';
  constructor(path: string, cause: string) {
    super(`the certificate authorities in ${path} cannot be used: the file ${cause}`);
    this.name = 'TrustError';
  }
}

/**
 * A watched file with certificate authorities. New content applies from the next connection on. While the file is missing or its content is
 * invalid, its previous content applies.
 */
export class AuthorityFile {
  readonly path: string;
  /**
   * Why the current content of the file is not used; null if it is used. Instead, the previous content is used, or none if the file was never
   * usable.
   */
  stale: string | null = null;
  readonly #log: Logger | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #good: string | undefined;

  /** @param log with a log, a timer checks the file as well; without it, the file is checked only when a connection is opened */
  constructor(path: string, log?: Logger) {
    this.path = path;
    this.#log = log;
    if (log === undefined) return;
    const reread = () => void this.read().catch(() => {}); // The error is dropped: a connection that needs the file fails with it.
    reread();
    this.#timer = setInterval(reread, POLL_MS).unref();
  }

  /**
   * The certificates to trust now.
   * @throws TrustError when the file has never contained usable ones
   */
  async read(): Promise<string> {
    const { pem, problem, warnings } = await checkFile(this.path);
    if (problem === undefined) {
      if (pem !== this.#good) for (const warning of warnings) this.#log?.warn(`the file ${this.path} ${warning}`);
      this.#good = pem;
      this.stale = null;
      return pem;
    }
    const error = new TrustError(this.path, problem);
    const { message } = error;
    const isNew = message !== this.stale;
    this.stale = message;
    if (this.#good === undefined) throw error;
    if (isNew) this.#log?.error(`${message}; the previous certificate authorities stay trusted`);
    return this.#good;
  }

  /** Stops watching the file. */
  close(): void {
    clearInterval(this.#timer);
  }
}

/** Reads a file of certificate authorities, and reports its problem. */
async function checkFile(path: string): Promise<CheckedAuthorities & { readonly pem: string }> {
  try {
    const pem = await readFile(path, 'utf8');
    return { pem, ...validateAuthorities(pem, new Date()) };
  } catch (error) {
    return { pem: '', problem: `cannot be read (${readErrorCode(error)})`, warnings: [] };
  }
}
