/** `lintel check --fix`: applies safe fixes and reports the remaining ones. */
import { lstatSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { replaceText } from '../connect/index.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import { createWriteError } from '../emit/write-error.ts';
import { fixTexts, formatUnifiedDiff, type PlannedFix, type RemainingFix } from '../fix/index.ts';
import { createCompiler } from '../incremental/index.ts';
import { isProgram } from '../source/is-program.ts';
import { isWithin } from '../source/path-escape.ts';
import { decodeFile } from '../source/read-sources.ts';
import type { SourceText } from '../source/source-text.ts';
import { UsageError } from '../usage-error.ts';
import { type CompiledPaths, type CompilePathsOptions, compilePaths } from './compile-paths.ts';

/**
 * Compiles, applies safe fixes, and reports on standard error which fixes were applied and which remain. A dry run prints the change on standard
 * output and changes nothing.
 *
 * @returns the specs as they are now
 * @throws UsageError as `compilePaths`, and when a file cannot be written or was changed meanwhile
 */
export async function fixPaths(
  paths: readonly string[],
  options: CompilePathsOptions,
  isDryRun: boolean,
): Promise<CompiledPaths> {
  let texts: ReadonlyMap<string, SourceText> = new Map();
  const compiler = createCompiler(source => texts.get(source.file) ?? source);
  let first: CompiledPaths | undefined;
  const attempt = async (changed: ReadonlyMap<string, SourceText>) => {
    texts = changed;
    const compiled = await compilePaths(paths, { ...options, compiler, ...(first && { programs: first.programs }) });
    first ??= compiled;
    const { findings, checked } = compiled.compilation;
    return {
      compiled,
      diagnostics: findings.diagnostics,
      complete: checked.complete,
      findText: createTextReader(compiled),
      isLinked,
    };
  };
  const { attempt: last, changed, fixes, remaining } = await fixTexts(attempt);
  const originals = (first as CompiledPaths).sources.texts;
  if (isDryRun) {
    process.stdout.write(
      [...changed].map(([file, text]) => formatUnifiedDiff(originals.get(file) ?? text, text)).join(''),
    );
  } else await writeAll(changed, originals);
  process.stderr.write(reportText(fixes, remaining, isDryRun));
  return isDryRun ? (first as CompiledPaths) : last.compiled;
}

function createTextReader({ sources }: CompiledPaths): (file: string) => SourceText | undefined {
  return file => {
    const source = sources.texts.get(file);
    const isFile =
      source !== undefined && !isProgram(file) && sources.documents.some(document => document.source === source);
    return isFile ? source : undefined;
  };
}

/** Whether a file is a symbolic link, or below a linked folder in the working directory. */
function isLinked(file: string): boolean {
  const absolute = resolve(file);
  const cwd = process.cwd();
  try {
    if (!isWithin(cwd, absolute)) return lstatSync(absolute).isSymbolicLink();
    return realpathSync(absolute) !== join(realpathSync(cwd), absolute.slice(cwd.length));
  } catch {
    return true;
  }
}

async function writeAll(
  changed: ReadonlyMap<string, SourceText>,
  originals: ReadonlyMap<string, SourceText>,
): Promise<void> {
  for (const file of changed.keys()) {
    const now = decodeFile({ path: file, absolute: resolve(file) }, () => undefined);
    if (!('source' in now) || getText(now.source) !== getText(originals.get(file)))
      throw new UsageError(`${file} was changed while it was checked; nothing was fixed: run it again`);
  }
  for (const [file, text] of changed) {
    try {
      await replaceText(resolve(file), getText(text));
    } catch (error) {
      throw createWriteError(file, error);
    }
  }
}

function getText(source: SourceText | undefined): string {
  return `${source?.startsWithMark ? '\uFEFF' : ''}${source?.text ?? ''}`;
}

function reportText(fixes: readonly PlannedFix[], remaining: readonly RemainingFix[], isDryRun: boolean): string {
  const done = isDryRun ? 'would fix' : 'fixed';
  const lines = [
    ...fixes.map(({ found, before, after }) => `${done} ${formatPlace(found)}: ${found.code} ${before} to ${after}`),
    ...remaining.map(
      ({ found, before, after, reason }) =>
        `left ${formatPlace(found)}: ${found.code} ${before} to ${after}: ${reason}`,
    ),
    `${done} ${fixes.length} ${fixes.length === 1 ? 'finding' : 'findings'}, left ${remaining.length}`,
  ];
  return lines.map(line => `${escapeUnprintable(line)}\n`).join('');
}

function formatPlace({ file, range: { start } }: PlannedFix['found']): string {
  return `${file}:${start.line}:${start.column}`;
}
