import { createCompiler } from '../incremental/index.ts';
import { catalogFile, listEntriesFiles, loadProject, watchedPaths } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';
import { type Compiled, type CompilePathsOptions, compilePaths } from './compile-paths.ts';
import { type Watcher, watchPaths } from './watch-paths.ts';

/** Sources that are compiled again when they change, as far as a change reaches: paths, configuration, tool lock, and what these name. */
export class WatchedSources {
  readonly #paths: readonly string[];
  readonly #options: CompilePathsOptions;
  readonly #compiler = createCompiler();
  /** Sources name and import them, so they are known once these were read. */
  #alsoRead: readonly string[] = [];
  #watcher: Watcher | undefined;
  #current = new AbortController();

  constructor(paths: readonly string[], options: CompilePathsOptions) {
    this.#paths = paths;
    this.#options = options;
  }

  /**
   * Calls `changed` after each change, one call at a time. A compilation that is under way is ended by it.
   *
   * @throws UsageError as `loadProject`
   */
  watch(changed: () => Promise<void>): void {
    const watched = whatToWatch(this.#paths, this.#options);
    this.#watcher = watchPaths(
      () => [...watched(), ...this.#alsoRead],
      changed,
      () => this.abort(),
    );
  }

  /** @throws UsageError as `compilePaths`, and an error that `isAbort` knows when it was ended */
  async compile(): Promise<Compiled> {
    this.#current = new AbortController();
    const compiled = await compilePaths(this.#paths, {
      ...this.#options,
      compiler: this.#compiler,
      signal: this.#current.signal,
      // A program that does not end is corrected in one of its files, perhaps.
      onProgramFiles: files => this.#follow([...new Set([...this.#alsoRead, ...files])]),
    });
    this.#follow([...listEntriesFiles(compiled.sources, process.cwd()), ...compiled.programs.files]);
    return compiled;
  }

  abort(): void {
    this.#current.abort();
  }

  async close(): Promise<void> {
    this.abort();
    await this.#watcher?.close();
  }

  #follow(read: readonly string[]): void {
    const isNew = read.some(file => !this.#alsoRead.includes(file));
    this.#alsoRead = read;
    if (isNew) this.#watcher?.refresh();
  }
}

/** Whether what was at work was ended, since it is out of date or over. */
export function isAbort(error: unknown): boolean {
  return (error as Error).name === 'AbortError';
}

/** The configuration is read again each time: an edit of it may name other sources. While it is broken, the last ones count. */
function whatToWatch(paths: readonly string[], { config, catalog }: CompilePathsOptions): () => readonly string[] {
  const cwd = process.cwd();
  const now = () => {
    const project = loadProject(config, cwd, paths);
    const sources = watchedPaths(paths, project, cwd);
    return catalog === false ? sources : [...sources, catalogFile(catalog, project, paths, cwd)];
  };
  let last = now();
  return () => {
    try {
      last = now();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
    return last;
  };
}
