import { formatClosing } from '../diagnostics/render/summary.ts';
import type { Severity } from '../diagnostics/severity.ts';
import {
  type CompiledPaths,
  chooseExitCode,
  compilePaths,
  type ProjectOptions,
  renderFindings,
} from './compile-paths.ts';
import { fixPaths } from './fix.ts';
import { type Output, writeOutput } from './outputs.ts';

export interface CheckOptions extends ProjectOptions {
  readonly outputs: readonly Output[];
  /** The severity from which findings fail the check. Default: the project's setting. */
  readonly failOn?: Severity | undefined;
  /** Checks the specs alone: features that this version does not support are hints. */
  readonly languageOnly?: boolean;
  /** Shows every finding in text formats, not only the first of each code. */
  readonly all?: boolean;
  /** Applies safe fixes. */
  readonly fix?: boolean;
  /** With `fix`: prints the changes of the files instead of writing them. */
  readonly dryRun?: boolean;
}

/**
 * Checks specs and prints all findings in each format. Returns the exit code, which does not depend on formats: the same as for `build`, unless
 * a comment suppressed an error or the baseline contains it.
 */
export async function check(paths: readonly string[], options: CheckOptions): Promise<number> {
  const { languageOnly = false, fix = false, dryRun = false } = options;
  const purpose = languageOnly ? 'language' : 'check';
  const compiled = await (fix
    ? fixPaths(paths, { ...options, purpose }, dryRun)
    : compilePaths(paths, { ...options, purpose }));
  if (dryRun) return chooseExitCode(compiled.compilation, options.failOn ?? compiled.project.failOn);
  return await printFindings(compiled, options);
}

/** Prints all findings in each format. Returns the exit code. */
export async function printFindings(
  compiled: CompiledPaths,
  { outputs, all = false, ...options }: CheckOptions,
): Promise<number> {
  const { failOn = compiled.project.failOn } = options;
  const { findings, checked } = compiled.compilation;
  // The terminal comes first: if a file cannot be written, the findings are still useful.
  const printed = outputs.find(({ file }) => file === undefined);
  if (printed === undefined) process.stderr.write(formatClosing(findings, checked, all));
  else process.stdout.write(renderFindings(compiled, printed.format, { stream: process.stdout, failOn, all }));
  for (const { format, file } of outputs) {
    if (file !== undefined) await writeOutput(file, renderFindings(compiled, format, { failOn, all }));
  }
  return chooseExitCode(compiled.compilation, failOn);
}
