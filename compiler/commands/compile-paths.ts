/** From PATH arguments to a compilation and its report: what `check`, `build`, `serve` and `dev` have in common. */
import { readFileSync } from 'node:fs';
import { compareText, VERSION } from '#schemas';
import type { Compilation, CompileOptions } from '../compile.ts';
import type { Severity } from '../diagnostics/diagnostic.ts';
import { type Format, RENDERERS } from '../diagnostics/render/index.ts';
import { type Compiler, FRESH_COMPILER } from '../incremental/compiler.ts';
import { findFiles } from '../source/find-files.ts';
import { lineOf, type Sources } from '../source/read-sources.ts';
import { UsageError } from '../usage-error.ts';

export interface Compiled {
  readonly sources: Sources;
  readonly compilation: Compilation;
}

const STDIN_FD = 0;

/**
 * @throws UsageError for a path that does not exist, and when there is nothing to check: zero inputs are a mistake in the
 *   call, not a clean result
 */
export function compilePaths(
  paths: readonly string[],
  purpose: CompileOptions['purpose'],
  sourceRevision: string | null = null,
  compiler: Compiler = FRESH_COMPILER,
): Compiled {
  const found = findFiles(paths, { cwd: process.cwd() });
  const read = compiler.readSources(found.files, () => readFileSync(STDIN_FD));
  const sources: Sources = {
    ...read,
    diagnostics: [...found.diagnostics, ...read.diagnostics],
    complete: read.complete && found.diagnostics.length === 0,
  };
  if (found.files.length === 0 && sources.diagnostics.length === 0) {
    throw new UsageError(`no .yaml, .yml or .json files in ${paths.join(', ')}`);
  }
  const compilation = compiler.compile(sources, { purpose, origin: { compilerVersion: VERSION, sourceRevision } });
  const { findings, checked } = compilation;
  if (checked.objects === 0 && findings.diagnostics.length === 0) {
    const files = checked.files === 1 ? '1 file holds' : `${checked.files} files hold`;
    throw new UsageError(
      `nothing to check in ${paths.join(', ')}: ${files} no object of the API groups that Lintel reads`,
    );
  }
  return { sources, compilation };
}

/** Where findings go; without a stream into a file, which has no color. */
export interface Target {
  readonly stream?: NodeJS.WriteStream;
  /** For formats that tell failures from other findings; `error` when not given. */
  readonly failOn?: Severity;
}

/** The findings in the chosen format. */
export function renderFindings({ sources, compilation }: Compiled, format: Format, target: Target): string {
  const { findings, checked } = compilation;
  const { stream, failOn = 'error' } = target;
  const files = new Set([...sources.texts.keys(), ...findings.diagnostics.map(({ file }) => file)]);
  return RENDERERS[format]({
    findings,
    checked,
    files: [...files].sort(compareText),
    tool: { name: 'lintel', version: VERSION },
    failOn,
    lineOf: (file, line) => lineOf(sources, file, line),
    color: stream !== undefined && useColor(stream),
    ...(stream?.columns === undefined ? {} : { width: Math.min(stream.columns, 160) }),
  });
}

/** @see https://no-color.org and https://force-color.org */
function useColor(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '' } = process.env;
  if (NO_COLOR !== '') return false;
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return stream.isTTY === true;
}

const WEIGHT: { readonly [S in Severity]: number } = { hint: 0, warning: 1, error: 2 };

/**
 * 0: nothing at or above the threshold; 1: something is; 3: not everything could be checked, so neither would be true.
 * Errors always count, whatever the threshold. No format changes the answer.
 */
export function exitCodeOf({ findings, checked }: Compilation, failOn: Severity): 0 | 1 | 3 {
  if (!checked.complete) return 3;
  const found = (Object.keys(WEIGHT) as Severity[]).filter(severity => findings.counts[severity] > 0);
  return found.some(severity => WEIGHT[severity] >= WEIGHT[failOn]) ? 1 : 0;
}
