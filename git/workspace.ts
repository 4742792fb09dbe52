/** A folder of its own in which one reading of a repository happens, and the one way by which git is called. */
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { explainFailure, GitError } from './git-error.ts';
import { GIT_LIMITS, type GitLimits } from './limits.ts';
import { type GitRemote, secretSettings, secretsOf } from './remote.ts';
import { type GitOutput, runGit } from './run-git.ts';
import { type GitPlace, gitEnvironment, globalOptions } from './settings.ts';

/** Ceiling on what commands write that answer a question, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** How often is looked how much has come; milliseconds. */
const WATCH_MS = 100;

const PREFIX = 'reading-';

export interface WorkspaceOptions {
  /** Where the folder is made; made as well where it is missing. Absolute. */
  readonly folder: string;
  /** Ends the reading, with all its processes. */
  readonly signal: AbortSignal;
  readonly limits?: Partial<GitLimits>;
}

/** `await using` removes the folder, and with it everything that was fetched. */
export class Workspace implements AsyncDisposable {
  readonly remote: GitRemote;
  readonly limits: GitLimits;
  readonly #place: GitPlace;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;

  /** @throws the reason of the signal, and errors of the file system */
  static async open(remote: GitRemote, { folder, signal, limits }: WorkspaceOptions): Promise<Workspace> {
    signal.throwIfAborted();
    const all = { ...GIT_LIMITS, ...limits };
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeOld(folder, all.timeMs);
    return new Workspace(remote, await mkdtemp(join(folder, PREFIX)), signal, all);
  }

  private constructor(remote: GitRemote, home: string, signal: AbortSignal, limits: GitLimits) {
    this.remote = remote;
    this.limits = limits;
    const { allocationBytes } = limits;
    this.#place = { scheme: remote.scheme, home, repository: join(home, 'repository.git'), allocationBytes };
    this.#signal = signal;
    signal.addEventListener('abort', this);
    if (signal.aborted) this.handleEvent();
    const late = `it was not read within ${limits.timeMs / 1000} s; see whether the git server is slow or the repository large`;
    this.#timer = setTimeout(() => this.#stop.abort(new GitError('timeout', remote.url, late)), limits.timeMs);
  }

  /** The caller has aborted. */
  handleEvent(): void {
    this.#stop.abort(this.#signal.reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this);
    await rm(this.#place.home, { recursive: true, force: true });
  }

  /** Makes an empty repository, without hooks or anything else of a template. */
  async init(objectFormat: 'sha1' | 'sha256'): Promise<void> {
    await this.ask('init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat}`);
  }

  /**
   * What a command answers.
   *
   * @throws GitError
   */
  async ask(...args: string[]): Promise<string> {
    return (await this.read(MAX_ANSWER_BYTES, ...args)).toString('utf8');
  }

  /**
   * What a command writes.
   *
   * @param maxBytes more is an error
   * @throws GitError
   */
  async read(maxBytes: number, ...args: string[]): Promise<Buffer> {
    const { code, stdout, stderr, isCut } = await this.#run(args, maxBytes);
    if (isCut) throw new GitError('too_large', this.remote.url, `git ${args[0]} wrote more than ${maxBytes} bytes`);
    if (code !== 0) throw this.#failure(code, stderr);
    return stdout;
  }

  /**
   * Fetches without a word, while the growth of the repository is watched.
   *
   * @returns whether the server had it, and gave it
   * @throws GitError
   */
  async fetch(depth: number, ...refspecs: string[]): Promise<boolean> {
    const options = [
      ...['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-auto-gc'],
      // A depth also rules out the dumb protocol, in which a server names files and other servers to read.
      `--depth=${depth}`,
    ];
    const watch = setInterval(() => void this.#measure().catch(() => {}), WATCH_MS);
    try {
      const args = ['fetch', ...options, '--', this.remote.url, ...refspecs];
      const { code, stderr } = await this.#run(args, MAX_ANSWER_BYTES);
      if (code !== 0 && /not our ref|unadvertised object|no such remote ref/i.test(stderr)) return false;
      if (code !== 0) throw this.#failure(code, stderr);
    } finally {
      clearInterval(watch);
    }
    await this.#measure();
    this.#stop.signal.throwIfAborted();
    return true;
  }

  #failure(code: number | null, stderr: string): GitError {
    const { url } = this.remote;
    if (code !== null) return explainFailure(url, stderr, secretsOf(this.remote));
    return new GitError('failed', url, 'git was killed from outside; see the memory limit of the container or machine');
  }

  async #run(args: readonly string[], maxBytes: number): Promise<GitOutput> {
    const env = gitEnvironment(this.#place, secretSettings(this.remote));
    const all = [...globalOptions(this.#place.scheme), ...args];
    try {
      return await runGit({ args: all, env, cwd: this.#place.home, signal: this.#stop.signal, maxBytes });
    } catch (error) {
      if (this.#stop.signal.aborted) throw this.#stop.signal.reason;
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT')
        throw new GitError('no_git', this.remote.url, 'no git was found on PATH; install git 2.32 or later');
      throw new GitError('failed', this.remote.url, `git cannot be started (${code ?? 'unknown cause'})`);
    }
  }

  /** Ends the reading when too much has come. */
  async #measure(): Promise<void> {
    const { repositoryBytes } = this.limits;
    if ((await sizeOf(this.#place.repository)) <= repositoryBytes) return;
    const cause = `it has more than ${repositoryBytes} bytes; keep the catalogue in a repository of its own`;
    this.#stop.abort(new GitError('too_large', this.remote.url, cause));
  }
}

/** All files below a folder, in bytes. Files may come and go meanwhile. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.map(async entry =>
    entry.isFile()
      ? stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        )
      : 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** What processes that were killed have left: no reading takes as long as these are old. */
async function removeOld(folder: string, timeMs: number): Promise<void> {
  const before = Date.now() - 2 * timeMs;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(folder, name);
    const modified = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (modified < before) await rm(path, { recursive: true, force: true });
  }
}
