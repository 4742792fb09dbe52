import { createCompiler } from '../incremental/index.ts';
import { listEntriesFiles, listWatchedPaths, loadProject, resolveCatalogFile } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';
import { type CompiledPaths, type CompilePathsOptions, compilePaths } from './compile-paths.ts';
import { type Watcher, watchPaths } from './watch-paths.ts';

/** Sources that are compiled again after a change: paths, configuration, tool lock, and the files that these refer to. */
export class WatchedSources {
  readonly #paths: readonly string[];
  readonly #options: CompilePathsOptions;
  readonly #compiler = createCompiler();
  /** Files that sources refer to or import, known only after reading the sources. */
  #alsoRead: readonly string[] = [];
  #watcher: Watcher | undefined;
  #current = new AbortController();

  constructor(paths: readonly string[], options: CompilePathsOptions) {
    this.#paths = paths;
    this.#options = options;
  }

  /**
   * Calls `changed` after each change, one call at a time. A change aborts a running compilation.
   *
   * @throws UsageError as `loadProject`
   */
  watch(changed: () => Promise<void>): void {
    const watched = createPathLister(this.#paths, this.#options);
    this.#watcher = watchPaths(
      () => [...watched(), ...this.#alsoRead],
      changed,
      () => this.abort(),
    );
  }

  /** @throws UsageError as `compilePaths`, and an error that `isAbort` recognizes when it was aborted */
  async compile(): Promise<CompiledPaths> {
    this.#current = new AbortController();
    const compiled = await compilePaths(this.#paths, {
      ...this.#options,
      compiler: this.#compiler,
      signal: this.#current.signal,
      // The program's files are watched while it runs: if it does not end, an edit of one of them may correct it.
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

/** Whether the error means that the work was aborted because it is out of date or cancelled. */
export function isAbort(error: unknown): boolean {
  return (error as Error).name === 'AbortError';
}

/** The configuration is read again each time, because an edit may change the sources. While it is invalid, the last valid one applies. */
function createPathLister(paths: readonly string[], { config, catalog }: CompilePathsOptions): () => readonly string[] {
  const cwd = process.cwd();
  const now = () => {
    const project = loadProject(config, cwd, paths);
    const sources = listWatchedPaths(paths, project, cwd);
    return catalog === false ? sources : [...sources, resolveCatalogFile(catalog, project, paths, cwd)];
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
