/** Reads the secrets of a bundle from mounted files and the environment, and reads a file again when it changes. */
import { readFileSync, statSync } from 'node:fs';
import type { SecretSource } from '#schemas';
import type { Logger } from '../observe/log.ts';

/** Limit on a secret file, in bytes. */
const MAX_SECRET_BYTES = 64 * 1024;

/** How often files are checked for a change; milliseconds. */
const POLL_MS = 5_000;

/** A secret is unavailable. The message names its use, the file or variable, and the cause; never a value. */
export class SecretError extends Error {
  readonly code = 'ERR_SECRET';
  constructor(use: string, cause: string, is: 'missing' | 'useless' = 'missing') {
    super(`the ${use} ${is === 'missing' ? 'is missing' : 'cannot be used'}: ${cause}`);
    this.name = 'SecretError';
  }
}

type FindProblem = (value: string) => string | undefined;

/** A secret whose changes are tracked. */
export interface Secret {
  /** The current value. */
  readonly value: string;
  /** Reads its file again immediately, if it has one that changed. */
  refreshIfChanged?(): void;
}

export interface SecretsOptions {
  readonly log: Logger;
  /** Default: the environment of the process. */
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
   * Reads a secret and tracks its file from then on. If the file disappears or becomes unreadable later, the last value stays valid, because a
   * file may be missing for a moment while it is replaced.
   *
   * @param use its use, for messages: `client secret of provider "corp"`
   * @param findProblem why a value is invalid, as the end of a sentence; an invalid value counts as missing
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

  /** Whether a value exists currently. */
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

  /** Stops tracking files; secrets keep their last values. */
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
  /** The file's state when it was last read. */
  #seen: string | undefined;
  /** Why the content of the file is not the value; undefined while it is. Logged when it changes, because a lost connection reads secrets often. */
  #problem: string | undefined;

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
    // A file that does not exist at the start is no problem: the value comes from the environment variable.
    const found = source.file === null ? undefined : readFile(source.file);
    this.#problem = found && 'problem' in found ? found.problem : undefined;
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
    const isNew = cause !== this.#problem;
    this.#problem = cause;
    if ('value' in found && cause === undefined) this.value = found.value;
    else if (isNew)
      this.#log.warn(
        { secret: this.#use, file, cause },
        'a secret could not be read again; the last value stays in use',
      );
  }
}

/**
 * A secret's current value.
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
  // Editors and `echo` append one line break; other white space may belong to the value.
  const value = bytes.toString('utf8').replace(/\r?\n$/, '');
  return value === '' ? { problem: `file ${path} is empty` } : { value };
}

/**
 * A text that changes when the file is written or replaced. Symbolic links are followed, because Kubernetes rotates a Secret by switching a link.
 * Undefined for an inaccessible file; reading the file gives the reason.
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
