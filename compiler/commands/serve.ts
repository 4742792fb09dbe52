import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeBundles } from './build.ts';
import { chooseBundle, type WantedBundle } from './choose-bundle.ts';
import { compilePaths, type ProjectOptions, renderFindings, servingCodeOf } from './compile-paths.ts';
import { type DenialOptions, denialOf } from './denial.ts';
import { type ListenOptions, startRuntime, superviseRuntime } from './serving/runtime-process.ts';

export interface ServeOptions extends ListenOptions, DenialOptions, ProjectOptions, WantedBundle {}

/** Compiles specs and serves one gateway or registry server of them. Returns the exit code. */
export async function serve(paths: readonly string[], options: ServeOptions): Promise<number> {
  const asked = denialOf(options);
  const compiled = await compilePaths(paths, { ...options, purpose: 'build', denial: asked });
  const denial = asked ?? compiled.project.denial;
  if (compiled.compilation.findings.diagnostics.length > 0) {
    process.stderr.write(renderFindings(compiled, 'pretty', { stream: process.stderr }));
  }
  const exitCode = servingCodeOf(compiled.compilation);
  if (exitCode !== 0) return exitCode;
  const chosen = chooseBundle(compiled.compilation, options);
  const folder = await mkdtemp(join(tmpdir(), 'lintel-serve-'));
  try {
    await writeBundles(folder, compiled.compilation);
    return await superviseRuntime(startRuntime(folder, chosen, options, { watch: false, denial }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
