import { resolve } from 'node:path';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import {
  type BaselineEntry,
  findMissing,
  isRefused,
  isTakeable,
  listCheckedFiles,
  type MissingFindings,
  sortEntries,
  toBaselineEntries,
} from '../lint/index.ts';
import { createNamer, formatBaseline, loadProject } from '../project/index.ts';
import { UsageError } from '../usage-error.ts';
import { compileProject, type ProjectOptions } from './compile-paths.ts';
import { writeOutput } from './outputs.ts';
import { toProgramArguments } from './run-programs.ts';

export interface BaselineOptions extends ProjectOptions {
  readonly prune?: boolean;
  readonly check?: boolean;
}

/**
 * Writes the current findings into the baseline, or removes those that no longer occur. Returns the exit code.
 *
 * @throws UsageError when there is no baseline to prune, and when the file cannot be written
 */
export async function baseline(paths: readonly string[], options: BaselineOptions): Promise<number> {
  const { config, prune = false, check = false } = options;
  const cwd = process.cwd();
  const project = loadProject(config, cwd, paths);
  const { baseline: before, baselineFile } = project;
  if ((prune || check) && before === undefined) {
    throw new UsageError(`there is no ${baselineFile} yet: \`lintel baseline\` without --prune and --check writes it`);
  }
  const compiled = await compileProject(
    paths,
    { ...project, baseline: undefined },
    { ...toProgramArguments(options), purpose: 'check' },
  );
  if (!compiled.compilation.checked.complete) {
    process.stderr.write(
      'lintel: not everything could be checked, so there may be findings that are not known; see lintel check\n',
    );
    return 3;
  }
  const toName = before?.toName ?? createNamer(resolve(cwd, baselineFile, '..'), cwd);
  const { all } = compiled.compilation.findings;
  const { texts } = compiled.sources;
  if (before === undefined || !(prune || check)) {
    const read = new Set([...texts.keys()].map(toName));
    // An entry stays if its file exists but was not read in this run.
    const remaining =
      before?.entries.filter(entry => !read.has(entry.file) && !before.gone.has(entry.file) && !isRefused(entry)) ?? [];
    const entries = sortEntries([...remaining, ...toBaselineEntries(all, toName)]);
    await writeOutput(baselineFile, formatBaseline(entries));
    process.stdout.write(`${baselineFile}: ${formatCount(countEntries(entries))}\n`);
    logNotTaken(all.filter(found => !isTakeable(found)));
    return 0;
  }
  const checked = new Set([...listCheckedFiles(texts.keys(), all)].map(toName));
  const missing = findMissing(before, all, file => checked.has(file));
  const refused = countEntries(before.entries.filter(isRefused));
  const gone = refused + [...missing.values()].reduce((sum, each) => sum + each, 0);
  if (check) {
    process.stdout.write(`${baselineFile}: ${formatCount(gone)} of ${countEntries(before.entries)} would be removed\n`);
    return gone > 0 ? 1 : 0;
  }
  const leftEntries = without(before.entries, missing);
  if (gone > 0) await writeOutput(baselineFile, formatBaseline(leftEntries));
  process.stdout.write(`${baselineFile}: removed ${formatCount(gone)}, ${countEntries(leftEntries)} left\n`);
  return 0;
}

function without(entries: readonly BaselineEntry[], missing: MissingFindings): readonly BaselineEntry[] {
  return entries
    .filter(entry => !isRefused(entry))
    .map(entry => ({ ...entry, count: entry.count - (missing.get(entry) ?? 0) }))
    .filter(({ count }) => count > 0);
}

/**
 * Logs the findings that a baseline cannot contain: errors that no configuration changes, since a baseline cannot make the API server accept an
 * object.
 */
function logNotTaken(found: readonly Diagnostic[]): void {
  if (found.length === 0) return;
  const codes = [...Map.groupBy(found, ({ code }) => code)].map(([code, { length }]) => `${length} of ${code}`);
  const one = found.length === 1;
  const findings = one
    ? '1 finding is not in the baseline, because it'
    : `${found.length} findings are not in the baseline, because they`;
  const shown = one ? 'it, and it still fails' : 'them, and they still fail';
  process.stderr.write(
    `lintel: ${findings} cannot be suppressed: ${codes.sort().join(', ')}; \`lintel check\` shows ${shown}\n`,
  );
}

function countEntries(entries: readonly BaselineEntry[]): number {
  return entries.reduce((sum, { count }) => sum + count, 0);
}

function formatCount(count: number): string {
  return count === 1 ? '1 finding' : `${count} findings`;
}
