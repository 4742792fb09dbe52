/** A folder for one reading of a repository, and the only code that runs Git. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '#shared/util';
import { type GitAccess, listSecrets, prepareAccess } from './credentials.ts';
import { buildGitEnvironment, type GitAdditions, type GitLocation, listGlobalOptions } from './environment.ts';
import { explainFailure, GitError } from './git-error.ts';
import { GIT_LIMITS, type GitLimits } from './limits.ts';
import { measureFolder } from './measure-folder.ts';
import type { GitRemote } from './remote.ts';
import { type ProgramOutput, type ProgramRun, runProgram } from './run-program.ts';

/** Maximum output size of a command, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** How often the fetched size is checked; milliseconds. */
const WATCH_MS = 100;

const PREFIX = 'reading-';

const MISSING = {
  git: 'no git was found on PATH; install git 2.32 or later',
  gpg: 'no gpg was found on PATH, which OpenPGP keys need; install gnupg',
} as const;

export interface WorkspaceOptions {
  /** Absolute path of the folder in which the new folder is created; created when missing. */
  readonly folder: string;
  /** Aborts the reading with all its processes. */
  readonly signal: AbortSignal;
  readonly limits?: Partial<GitLimits>;
  /** The absolute path of a kept repository. By default the reading has a temporary one in its own folder. */
  readonly repository?: string;
  /** Called from time to time during a fetch, with the repository's current size in bytes. */
  readonly onBytes?: (bytes: number) => void;
}

export interface CommandOptions extends GitAdditions {
  /** Text for standard input. */
  readonly input?: string;
  /** Maximum output size, in bytes; more is an error. */
  readonly maxBytes?: number;
  /** A timeout for this command alone, with its error. */
  readonly deadline?: { readonly ms: number; readonly error: GitError } | undefined;
}

/** Home folders that this process uses. They are not removed, however old they are. */
const inUse = new Set<string>();

/** The folder of one reading. Declared with `await using`, it deletes all fetched data at its end. */
export class Workspace implements AsyncDisposable {
  readonly remote: GitRemote;
  readonly limits: GitLimits;
  readonly #location: GitLocation;
  readonly #access: GitAccess;
  readonly #signal: AbortSignal;
  readonly #onBytes: (bytes: number) => void;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;

  /** @throws the reason of the signal, and errors of the file system */
  static async open(
    remote: GitRemote,
    { folder, signal, limits, repository, onBytes }: WorkspaceOptions,
  ): Promise<Workspace> {
    signal.throwIfAborted();
    const all = { ...GIT_LIMITS, ...limits };
    await makeFolder(folder, { mode: 0o700 });
    await removeOld(folder, Math.max(all.timeMs, GIT_LIMITS.timeMs));
    const home = await mkdtemp(join(folder, PREFIX));
    const path = repository ?? join(home, 'repository.git');
    const workspace = new Workspace(remote, home, path, signal, all, onBytes);
    try {
      for (const [name, text] of Object.entries(workspace.#access.files)) await workspace.write(name, text);
    } catch (error) {
      await workspace[Symbol.asyncDispose]();
      throw error;
    }
    return workspace;
  }

  private constructor(
    remote: GitRemote,
    home: string,
    repository: string,
    signal: AbortSignal,
    limits: GitLimits,
    onBytes: (bytes: number) => void = () => {},
  ) {
    this.remote = remote;
    this.limits = limits;
    this.#onBytes = onBytes;
    inUse.add(home);
    this.#access = prepareAccess(remote, home);
    this.#location = { scheme: remote.scheme, home, repository, allocationBytes: limits.allocationBytes };
    this.#signal = signal;
    signal.addEventListener('abort', this);
    if (signal.aborted) this.handleEvent();
    const late = `it was not read within ${limits.timeMs / 1000} s; see whether the git server is slow or the repository large`;
    this.#timer = setTimeout(() => this.#stop.abort(new GitError('timeout', remote.url, late)), limits.timeMs);
  }

  /** Called when the caller has aborted. */
  handleEvent(): void {
    this.#stop.abort(this.#signal.reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this);
    await rm(this.#location.home, { recursive: true, force: true });
    inUse.delete(this.#location.home);
  }

  /** The absolute working folder of commands, private to this user. */
  get home(): string {
    return this.#location.home;
  }

  get repository(): string {
    return this.#location.repository;
  }

  /** Writes a file into the home folder that only this user can read. */
  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.home, name), text, { mode: 0o600, flag: 'wx' });
  }

  /** Creates an empty repository, without hooks or other template files. */
  async init(objectFormat: 'sha1' | 'sha256'): Promise<void> {
    await this.run('init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat}`);
  }

  /**
   * The text output of a command.
   * @throws GitError
   */
  async run(...args: string[]): Promise<string> {
    return (await this.runBytes(MAX_ANSWER_BYTES, ...args)).toString('utf8');
  }

  /**
   * The binary output of a command.
   * @param maxBytes more is an error
   * @throws GitError
   */
  async runBytes(maxBytes: number, ...args: string[]): Promise<Buffer> {
    return this.#runWith(args, { maxBytes });
  }

  /**
   * Does the same as `runBytes`, with a deadline, for a command whose duration depends on the repository.
   *
   * @throws GitError, including the deadline's
   */
  async runBytesWithin(deadline: CommandOptions['deadline'], maxBytes: number, ...args: string[]): Promise<Buffer> {
    return this.#runWith(args, { maxBytes, deadline });
  }

  async #runWith(args: readonly string[], options: CommandOptions): Promise<Buffer> {
    const output = await this.tryRun(args, options);
    if (output.code !== 0) throw this.toFailure(output);
    return output.stdout;
  }

  /**
   * The result of a command, including failures, for commands with meaningful exit codes.
   * @throws GitError when it could not be run
   */
  async tryRun(args: readonly string[], options: CommandOptions = {}): Promise<ProgramOutput> {
    const { maxBytes = MAX_ANSWER_BYTES, input, settings, env, deadline } = options;
    const additions = {
      settings: { ...this.#access.settings, ...settings },
      env: { ...this.#access.env, ...env },
    };
    const all = [...listGlobalOptions(this.#location.scheme), ...args];
    const run = {
      program: 'git',
      args: all,
      env: buildGitEnvironment(this.#location, additions),
      maxBytes,
      input,
    } as const;
    const output = await this.#start(run, deadline);
    if (output.isCut)
      throw new GitError('too_large', this.remote.url, `git ${args[0]} wrote more than ${maxBytes} bytes`);
    if (output.code === null) throw this.toFailure(output);
    return output;
  }

  /**
   * Runs gpg without any of the machine's configuration.
   * @param gnupgHome absolute
   * @throws GitError when it could not be run
   */
  async gpg(args: readonly string[], gnupgHome: string, input: string): Promise<ProgramOutput> {
    const env = { PATH: process.env.PATH ?? '', HOME: this.home, LC_ALL: 'C', GNUPGHOME: gnupgHome };
    return this.#start({ program: 'gpg', args, env, maxBytes: MAX_ANSWER_BYTES, input });
  }

  /** Why a command failed. */
  toFailure({ code, signal, stderr }: ProgramOutput): GitError {
    const { url, credentials, certificate } = this.remote;
    if (code !== null) return explainFailure(url, stderr, listSecrets(credentials), certificate !== null);
    if (signal === 'SIGKILL')
      return new GitError(
        'failed',
        url,
        'another program killed git; check the memory limit of the container or machine',
      );
    const cause = `git crashed on it (${signal}), perhaps because folders are nested tens of thousands deep; check which folders the newest commit adds`;
    return new GitError('bad_tree', url, cause);
  }

  /**
   * Fetches quietly while watching the repository's size.
   * @returns whether the server had the object and sent it
   * @throws GitError
   */
  async fetch(depth: number, ...refspecs: string[]): Promise<boolean> {
    const options = [
      ...['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-auto-gc'],
      // A depth also disables the dumb protocol, in which a server names files and other servers to read.
      `--depth=${depth}`,
    ];
    const watch = setInterval(() => void this.#measure().catch(() => {}), WATCH_MS);
    try {
      const args = ['fetch', ...options, '--', this.remote.url, ...refspecs];
      const output = await this.tryRun(args);
      if (output.code !== 0 && /not our ref|unadvertised object|no such remote ref/i.test(output.stderr)) return false;
      if (output.code !== 0) throw this.toFailure(output);
    } finally {
      clearInterval(watch);
    }
    await this.#measure();
    this.#stop.signal.throwIfAborted();
    return true;
  }

  async #start(run: Omit<ProgramRun, 'cwd' | 'signal'>, deadline?: CommandOptions['deadline']): Promise<ProgramOutput> {
    const late = deadline === undefined ? undefined : AbortSignal.timeout(deadline.ms);
    const signal = late === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, late]);
    try {
      return await runProgram({ ...run, cwd: this.home, signal });
    } catch (error) {
      if (this.#stop.signal.aborted) throw this.#stop.signal.reason;
      if (late?.aborted) throw deadline?.error;
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new GitError('no_program', this.remote.url, MISSING[run.program]);
      throw new GitError('failed', this.remote.url, `${run.program} cannot be started (${code ?? 'unknown cause'})`);
    }
  }

  /** Aborts the reading when too much was fetched. */
  async #measure(): Promise<void> {
    const { repositoryBytes } = this.limits;
    const bytes = await measureFolder(this.#location.repository);
    this.#onBytes(bytes);
    if (bytes <= repositoryBytes) return;
    const cause = `it has more than ${repositoryBytes} bytes; keep the files of the source in a repository of their own`;
    this.#stop.abort(new GitError('too_large', this.remote.url, cause));
  }
}

/** Deletes old leftovers of killed processes: no reading takes as long as their age. */
async function removeOld(folder: string, timeMs: number): Promise<void> {
  const before = Date.now() - 2 * timeMs;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(PREFIX) || inUse.has(path)) continue;
    const modified = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (modified < before) await rm(path, { recursive: true, force: true });
  }
}
