import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCompiler } from '../incremental/compiler.ts';
import { catalogFile } from '../project/catalog-file.ts';
import { ConfigurationError } from '../project/configuration-error.ts';
import { watchedPaths } from '../project/find-sources.ts';
import { loadProject } from '../project/load-project.ts';
import { entriesFilesOf } from '../project/read-entries-files.ts';
import { UsageError } from '../usage-error.ts';
import { writeBundles } from './build.ts';
import { backendsOf, type ChosenBundle, chooseBundle } from './choose-bundle.ts';
import { type Compiled, compilePaths, renderFindings, renderMistakes, servingCodeOf } from './compile-paths.ts';
import { denialOf } from './denial.ts';
import type { ServeOptions } from './serve.ts';
import { BridgeProcess, bridgeConfig } from './serving/bridge-process.ts';
import { logsAsText, startRuntime, superviseRuntime } from './serving/runtime-process.ts';
import { type Watcher, watchPaths } from './watch-paths.ts';

/**
 * Serves one gateway or registry server and compiles again whenever a source changes. A good change is swapped in, a bad one prints its
 * findings and leaves the running bundle in place. Sources that are bad from the start are waited for. Returns the exit
 * code.
 */
export async function dev(paths: readonly string[], options: ServeOptions): Promise<number> {
  if (paths.includes('-')) throw new UsageError('dev watches files and folders; standard input cannot change');
  const asked = denialOf(options);
  const folder = await mkdtemp(join(tmpdir(), 'lintel-dev-'));
  const bridge = await BridgeProcess.prepare(logsAsText(options) ? 'text' : 'json');
  const compiler = createCompiler();
  const written = new Set<string>();
  const first = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  let served: ChosenBundle | undefined;
  let isServing = false;
  let isOver = false;
  let watcher: Watcher | undefined;
  let current = new AbortController();
  const end = () => {
    isOver = true;
    current.abort();
    first.resolve();
  };
  const interrupted = () => {
    end();
    ended.resolve(0);
  };

  const cycle = async (compiled: Compiled, tookMs: number) => {
    const { compilation } = compiled;
    const good = servingCodeOf(compilation) === 0;
    if (compilation.findings.diagnostics.length > 0) {
      process.stderr.write(`${renderFindings(compiled, 'pretty', { stream: process.stderr })}\n`);
    }
    if (served === undefined && good) served = chooseBundle(compilation, options);
    // Before the bundle that counts on them. One that is not built leaves the servers that there are.
    const backends = served === undefined || !compilation.checked.complete ? [] : backendsOf(compilation, served);
    if (good || backends.length > 0) await bridge.use(bridgeConfig(backends));
    if (compilation.checked.complete) await writeBundles(folder, compilation, { written });
    if (isOver) return;
    if (isServing) {
      say(
        good ? `compiled in ${Math.round(tookMs)} ms` : 'there are errors; what has errors keeps its last good bundle',
      );
    } else if (served !== undefined) {
      isServing = true;
      process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
      const denial = asked ?? compiled.project.denial;
      const runtime = startRuntime(folder, served, options, { watch: true, denial, bridge: bridge.address });
      superviseRuntime(runtime, bridge).then(ended.resolve, ended.reject);
    } else {
      say('there are errors; waiting for a change');
    }
  };
  // Sources name and import them, so they are known once these were read.
  let alsoRead: readonly string[] = [];
  const follow = (read: readonly string[]) => {
    const isNew = read.some(file => !alsoRead.includes(file));
    alsoRead = read;
    if (isNew) watcher?.refresh();
  };
  const compileAll = async () => {
    current = new AbortController();
    const { signal } = current;
    // A program that does not end is corrected in one of its files, perhaps.
    const onProgramFiles = (files: readonly string[]) => follow([...new Set([...alsoRead, ...files])]);
    const compiled = await compilePaths(paths, {
      ...options,
      purpose: 'build',
      compiler,
      signal,
      onProgramFiles,
      denial: asked,
    });
    follow([...entriesFilesOf(compiled.sources, process.cwd()), ...compiled.programs.files]);
    return compiled;
  };
  const recompile = async () => {
    if (isOver) return;
    try {
      const started = performance.now();
      const compiled = await compileAll();
      await cycle(compiled, performance.now() - started);
    } catch (error) {
      if (isAbort(error)) return;
      if (error instanceof ConfigurationError) process.stderr.write(renderMistakes(error, process.stderr));
      // Whatever an editor leaves behind for a moment, what is served goes on.
      say(`${(error as Error).message}; waiting for a change`);
    }
  };

  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    // Watched before they are read: a change in the meantime brings the second compilation, after the first.
    const watched = whatToWatch(paths, options);
    watcher = watchPaths(
      () => [...watched(), ...alsoRead],
      () => first.promise.then(recompile),
      () => current.abort(),
    );
    try {
      await cycle(await compileAll(), 0);
    } catch (error) {
      if (!isAbort(error)) throw error;
    }
    first.resolve();
    return await ended.promise;
  } finally {
    end();
    await watcher?.close();
    await bridge.close();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether what was at work was ended, since it is out of date or over. */
function isAbort(error: unknown): boolean {
  return (error as Error).name === 'AbortError';
}

/** The configuration is read anew each time: an edit of it may name other sources. While it is broken, the last ones count. */
function whatToWatch(paths: readonly string[], { config, catalog }: ServeOptions): () => readonly string[] {
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

function say(text: string): void {
  process.stderr.write(`lintel: ${text}\n`);
}
