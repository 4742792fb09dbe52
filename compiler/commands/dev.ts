import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { writeBundles } from './build.ts';
import { compilePaths, exitCodeOf, renderFindings } from './compile-paths.ts';
import { startRuntime, superviseRuntime } from './runtime-process.ts';
import { chooseGateway, type ServeOptions } from './serve.ts';
import { watchPaths } from './watch-paths.ts';

/**
 * Serves one gateway and compiles again whenever a source changes. A good change is swapped in, a bad one prints its
 * findings and leaves the running bundle in place. Returns the exit code.
 */
export async function dev(paths: readonly string[], options: ServeOptions): Promise<number> {
  if (paths.includes('-')) throw new UsageError('dev watches files and folders; standard input cannot change');
  const folder = await mkdtemp(join(tmpdir(), 'lintel-dev-'));
  let watcher: { close(): void } | undefined;
  try {
    const first = compilePaths(paths, 'build');
    if (first.compilation.findings.diagnostics.length > 0) {
      process.stderr.write(renderFindings(first, 'pretty', process.stderr));
    }
    const gateway = chooseGateway(first.compilation, options.gateway);
    const exitCode = exitCodeOf(first.compilation, 'error');
    if (exitCode !== 0) return exitCode;
    await writeBundles(folder, first.compilation);
    watcher = watchPaths(paths, () => recompile(paths, folder));
    return await superviseRuntime(startRuntime(folder, gateway, options, { watch: true }));
  } finally {
    watcher?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Never throws: whatever an editor leaves behind for a moment, the gateway goes on. */
async function recompile(paths: readonly string[], folder: string): Promise<void> {
  try {
    const started = performance.now();
    const compiled = compilePaths(paths, 'build');
    const { compilation } = compiled;
    const good = exitCodeOf(compilation, 'error') === 0;
    if (compilation.findings.diagnostics.length > 0) {
      process.stderr.write(`\n${renderFindings(compiled, 'pretty', process.stderr)}`);
    }
    if (compilation.checked.complete) await writeBundles(folder, compilation);
    const took = `${Math.round(performance.now() - started)} ms`;
    process.stderr.write(
      good ? `lintel: compiled in ${took}\n` : 'lintel: errors; gateways with errors keep their bundle\n',
    );
  } catch (error) {
    process.stderr.write(`lintel: ${(error as Error).message}; the running bundle stays\n`);
  }
}
