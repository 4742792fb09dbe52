import type { Severity } from '../diagnostics/diagnostic.ts';
import { compilePaths, exitCodeOf, type Format, renderFindings } from './compile-paths.ts';

export interface CheckOptions {
  readonly format: Format;
  readonly failOn: Severity;
}

/** Judges specs and prints every finding. Returns the exit code. */
export function check(paths: readonly string[], { format, failOn }: CheckOptions): number {
  const compiled = compilePaths(paths, 'check');
  process.stdout.write(renderFindings(compiled, format, process.stdout));
  return exitCodeOf(compiled.compilation, failOn);
}
