import type { Severity } from '../diagnostics/diagnostic.ts';
import { closingText } from '../diagnostics/render/summary.ts';
import { type Compiled, chooseExitCode, compilePaths, type ProjectOptions, renderFindings } from './compile-paths.ts';
import { fixPaths } from './fix.ts';
import { type Output, writeOutput } from './outputs.ts';

export interface CheckOptions extends ProjectOptions {
  readonly outputs: readonly Output[];
  /** The project's when not given. */
  readonly failOn?: Severity | undefined;
  /** Judges the specs alone: what this version cannot serve yet is a hint. */
  readonly languageOnly?: boolean;
  /** Every finding in formats for people too, and not the first of each code. */
  readonly all?: boolean;
  /** Changes what has a safe fix. */
  readonly fix?: boolean;
  /** With `fix`: prints the change and leaves the files alone. */
  readonly dryRun?: boolean;
}

/**
 * Judges specs and gives every finding in each of the formats. Returns the exit code, which no format changes: that of
 * `build`, unless a person suppressed an error or the baseline has it.
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

/** Gives every finding in each of the formats. Returns the exit code. */
export async function printFindings(
  compiled: Compiled,
  { outputs, all = false, ...options }: CheckOptions,
): Promise<number> {
  const { failOn = compiled.project.failOn } = options;
  const { findings, checked } = compiled.compilation;
  // The terminal first: when a file cannot be written, the findings are still worth knowing.
  const printed = outputs.find(({ file }) => file === undefined);
  if (printed === undefined) process.stderr.write(closingText(findings, checked, all));
  else process.stdout.write(renderFindings(compiled, printed.format, { stream: process.stdout, failOn, all }));
  for (const { format, file } of outputs) {
    if (file !== undefined) await writeOutput(file, renderFindings(compiled, format, { failOn, all }));
  }
  return chooseExitCode(compiled.compilation, failOn);
}
