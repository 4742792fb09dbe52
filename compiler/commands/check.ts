import type { Severity } from '../diagnostics/diagnostic.ts';
import { summaryLine } from '../diagnostics/render/summary.ts';
import { compilePaths, exitCodeOf, type ProjectOptions, renderFindings } from './compile-paths.ts';
import { type Output, writeOutput } from './outputs.ts';

export interface CheckOptions extends ProjectOptions {
  readonly outputs: readonly Output[];
  /** The project's when not given. */
  readonly failOn?: Severity | undefined;
}

/** Judges specs and gives every finding in each of the formats. Returns the exit code, which no format changes. */
export async function check(paths: readonly string[], options: CheckOptions): Promise<number> {
  const { outputs } = options;
  const compiled = await compilePaths(paths, { ...options, purpose: 'check' });
  const { failOn = compiled.project.failOn } = options;
  const { findings, checked } = compiled.compilation;
  // The terminal first: when a file cannot be written, the findings are still worth knowing.
  const printed = outputs.find(({ file }) => file === undefined);
  if (printed === undefined) process.stderr.write(`${summaryLine(findings, checked)}\n`);
  else process.stdout.write(renderFindings(compiled, printed.format, { stream: process.stdout, failOn }));
  for (const { format, file } of outputs) {
    if (file !== undefined) await writeOutput(file, renderFindings(compiled, format, { failOn }));
  }
  return exitCodeOf(compiled.compilation, failOn);
}
