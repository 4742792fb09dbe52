import { readFile } from 'node:fs/promises';
import { type CheckedAuthorities, validateAuthorities } from '#schemas';
import type { Logger } from '../observe/log.ts';
import { readErrorCode } from './connection-failure.ts';

/** How often a file is looked at; milliseconds. */
const POLL_MS = 5_000;

/** A file of certificate authorities that cannot be used. The message names it and the cause. */
export class TrustError extends Error {
  readonly code = 'ERR_HTTP_TRUST';
  constructor(path: string, cause: string) {
    super(`the certificate authorities in ${path} cannot be used: the file ${cause}`);
    this.name = 'TrustError';
  }
}

/**
 * A file with certificate authorities that is followed: what it holds counts from the next connection on. While it is broken, or gone for a
 * moment, what it held before stays in force.
 */
export class AuthorityFile {
  readonly path: string;
  /** Why it does not count as it is now, but as it was, or not at all where it never could be used; null when it does. */
  stale: string | null = null;
  readonly #log: Logger | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  #good: string | undefined;

  /** @param log with it, the file is looked at on its own as well; without, when a connection is opened */
  constructor(path: string, log?: Logger) {
    this.path = path;
    this.#log = log;
    if (log === undefined) return;
    const look = () => void this.read().catch(() => {}); // A connection that needs it fails with the reason.
    look();
    this.#timer = setInterval(look, POLL_MS).unref();
  }

  /**
   * The certificates to trust now.
   *
   * @throws TrustError when it never held any that can be used
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
    if (isNew) this.#log?.error(`${message}; those that it held before stay trusted`);
    return this.#good;
  }

  /** Looks at it no more. */
  close(): void {
    clearInterval(this.#timer);
  }
}

/** What a file of certificate authorities holds now, and what is wrong with it. */
async function checkFile(path: string): Promise<CheckedAuthorities & { readonly pem: string }> {
  try {
    const pem = await readFile(path, 'utf8');
    return { pem, ...validateAuthorities(pem, new Date()) };
  } catch (error) {
    return { pem: '', problem: `cannot be read (${readErrorCode(error)})`, warnings: [] };
  }
}
