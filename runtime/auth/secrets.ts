/** Secret values of a bundle: read from mounted files and the environment, and read again when files rotate. */
import { readFileSync, statSync } from 'node:fs';
import type { SecretSource } from '#schemas';
import type { Logger } from '../observe/log.ts';

/** Limit on a secret file, in bytes. */
const MAX_SECRET_BYTES = 64 * 1024;

/** How often files are looked at; milliseconds. */
const POLL_MS = 5_000;

/** A secret that cannot be had. The message names what needs it, the file or variable, and the cause; never a value. */
export class SecretError extends Error {
  readonly code = 'ERR_SECRET';
  constructor(use: string, cause: string, is: 'missing' | 'useless' = 'missing') {
    super(`the ${use} ${is === 'missing' ? 'is missing' : 'cannot be used'}: ${cause}`);
    this.name = 'SecretError';
  }
}

type FindProblem = (value: string) => string | undefined;

/** A secret that is followed. */
export interface Secret {
  /** The value that the secret has now. */
  readonly value: string;
  /** Reads its file again at once, where it has one and that has changed. */
  refreshIfChanged?(): void;
}

export interface SecretsOptions {
  readonly log: Logger;
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The secrets of one bundle. */
export class Secrets {
  readonly #log: Logger;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #followed: FollowedSecret[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor({ log, env = process.env }: SecretsOptions) {
    this.#log = log;
    this.#env = env;
  }

  /**
   * Reads a secret now and follows its file from then on. A file that vanishes or becomes unreadable later leaves the last
   * value in force: while it is replaced, it may be gone for a moment.
   *
   * @param use what needs it, for messages: `client secret of provider "corp"`
   * @param findProblem why a value cannot be used, as the end of a sentence; such a value counts like one that is not there
   * @throws SecretError
   */
  open(source: SecretSource, use: string, findProblem: FindProblem = () => undefined): Secret {
    const secret = new FollowedSecret(source, use, this.#env, this.#log, findProblem);
    if (source.file !== null) {
      this.#followed.push(secret);
      this.#timer ??= setInterval(() => this.#poll(), POLL_MS).unref();
    }
    return secret;
  }

  /** Whether there is a value now. */
  has(source: SecretSource | null): boolean {
    if (source === null) return false;
    try {
      readSecret(source, '', this.#env);
      return true;
    } catch {
      return false;
    }
  }

  /** Reads every file again. */
  refresh(): void {
    for (const secret of this.#followed) secret.refresh();
  }

  /** Follows files no more; the last values stay. */
  close(): void {
    clearInterval(this.#timer);
  }

  #poll(): void {
    for (const secret of this.#followed) secret.refreshIfChanged();
  }
}

class FollowedSecret implements Secret {
  value: string;
  readonly #source: SecretSource;
  readonly #use: string;
  readonly #log: Logger;
  readonly #findProblem: FindProblem;
  /** What the file was like when it was read last. */
  #seen: string | undefined;

  constructor(
    source: SecretSource,
    use: string,
    env: Readonly<Record<string, string | undefined>>,
    log: Logger,
    findProblem: FindProblem,
  ) {
    this.#source = source;
    this.#use = use;
    this.#log = log;
    this.#findProblem = findProblem;
    this.#seen = readState(source.file);
    this.value = readSecret(source, use, env);
    const problem = findProblem(this.value);
    if (problem !== undefined)
      throw new SecretError(
        use,
        `${source.file === null ? `environment variable ${source.env}` : `file ${source.file}`} ${problem}`,
        'useless',
      );
  }

  refreshIfChanged(): void {
    const state = readState(this.#source.file);
    if (state !== this.#seen) this.refresh();
  }

  refresh(): void {
    const { file } = this.#source;
    if (file === null) return;
    this.#seen = readState(file);
    const found = readFile(file);
    const cause = 'value' in found ? this.#findProblem(found.value) : found.problem;
    if ('value' in found && cause === undefined) this.value = found.value;
    else this.#log.warn({ secret: this.#use, file, cause }, 'a secret was not read again; the last value stays');
  }
}

/**
 * One secret as it is now.
 *
 * @throws SecretError
 */
export function readSecret(
  { env: name, file }: SecretSource,
  use: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const problems: string[] = [];
  if (file !== null) {
    const found = readFile(file);
    if ('value' in found) return found.value;
    problems.push(found.problem);
  }
  if (name !== null) {
    const value = env[name];
    if (value !== undefined && value !== '') return value;
    problems.push(`environment variable ${name} is ${value === '' ? 'empty' : 'not set'}`);
  }
  throw new SecretError(use, problems.join(', and '));
}

function readFile(path: string): { readonly value: string } | { readonly problem: string } {
  let bytes: Buffer;
  try {
    if (statSync(path).size > MAX_SECRET_BYTES)
      return { problem: `file ${path} has more than ${MAX_SECRET_BYTES} bytes` };
    bytes = readFileSync(path);
  } catch (error) {
    return { problem: `file ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})` };
  }
  // Editors and `echo` put one line break at the end; any other white space may belong to the value.
  const value = bytes.toString('utf8').replace(/\r?\n$/, '');
  return value === '' ? { problem: `file ${path} is empty` } : { value };
}

/**
 * Differs when a file was written or replaced. Follows links: Kubernetes rotates by switching one. Undefined for a file that
 * cannot be looked at: reading it says why.
 */
function readState(path: string | null): string | undefined {
  if (path === null) return undefined;
  try {
    const { ino, mtimeNs, ctimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${mtimeNs} ${ctimeNs} ${size}`;
  } catch {
    return undefined;
  }
}
