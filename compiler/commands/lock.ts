import {
  type CatalogDiff,
  deduplicateBackends,
  diffCatalogs,
  EMPTY_LOCK,
  lockText,
  renderDiffMarkdown,
  renderDiffText,
  updateLock,
} from '../analysis/catalog/index.ts';
import type { Compilation } from '../compile/compilation.ts';
import { formatJson } from '../diagnostics/render/json-text.ts';
import { escapeUnprintable } from '../diagnostics/render/printable.ts';
import {
  type ConfigOption,
  formatPath,
  type LoadedCatalog,
  loadCatalog,
  loadProject,
  resolveCatalogFile,
} from '../project/index.ts';
import { MAX_CATALOG_BYTES } from '../source/limits.ts';
import { UsageError } from '../usage-error.ts';
import { compileProject } from './compile-paths.ts';
import { type DenialOptions, parseDenial } from './denial.ts';
import { findTypesFile, keepTypes } from './lock-types.ts';
import { writeOutput } from './outputs.ts';
import { type QueryBackendsOptions, type QueryResult, queryBackends } from './query-backends.ts';
import { type ProgramArguments, toProgramArguments } from './run-programs.ts';
import { formatMissing } from './serving/missing-secrets.ts';
import { useColor } from './use-color.ts';

export const LOCK_FORMATS = ['pretty', 'json', 'markdown'] as const;

export interface LockOptions extends Omit<QueryBackendsOptions, 'denial'>, DenialOptions, ProgramArguments {
  /** Names of environment variables that programs get, and that specs may name in addition to those with Lintel's prefix. */
  readonly env?: readonly string[];
  /** Files of variables that were loaded. */
  readonly dotenv?: readonly string[];
  readonly config?: ConfigOption;
  readonly out?: string;
  readonly check?: boolean;
  readonly prune?: boolean;
  /** Writes types of the tools as well: to a file, or next to the tool lock. */
  readonly types?: string | true;
  /** Queries no backend: only writes types from the existing tool lock. */
  readonly offline?: boolean;
  readonly format: (typeof LOCK_FORMATS)[number];
}

/**
 * Queries the backends of the sources and writes their items into the lock, or compares them with it; tool types follow the lock. Standard
 * output has the difference, standard error everything else. Returns the exit code: 3 when a backend did not answer, otherwise 1 when `check`
 * was given and there is a difference.
 */
export async function lock(paths: readonly string[], options: LockOptions): Promise<number> {
  const cwd = process.cwd();
  const denial = parseDenial(options);
  const project = loadProject(options.config, cwd, paths);
  const file = resolveCatalogFile(options.out, project, paths, cwd);
  const shown = formatPath(file, cwd);
  const before = findReadable(loadCatalog(file, cwd));
  const typesFile = findTypesFile(options.types, file, cwd, options.offline === true);
  if (options.offline === true) {
    if (before === undefined) throw new UsageError(`no such tool lock: ${shown}; \`lintel lock\` writes it`);
    if (before.diagnostics.length > 0) throw new UsageError(`${shown} has mistakes: see \`lintel check\``);
    const areCurrent = await keepTypes(typesFile, before.lock, { cwd, check: options.check === true });
    return areCurrent || options.check !== true ? 0 : 1;
  }
  // The set of backends must not depend on their previous answers.
  const { compilation } = await compileProject(paths, project, {
    ...toProgramArguments(options),
    // The tool types may be out of date, and are regenerated here, so programs are not type-checked.
    typecheck: false,
    isUnlocked: true,
    purpose: 'language',
    catalog: false,
  });
  const isWhole = knowsAllBackends(compilation);
  const all = [...compilation.gateways, ...compilation.servers];
  const backends = deduplicateBackends(all.flatMap(gateway => gateway.backends?.() ?? []));

  const answers = await queryBackends(backends, { ...options, denial: denial ?? project.denial });
  const { lock: after, stale } = updateLock(before?.lock ?? EMPTY_LOCK, {
    entries: answers.entries,
    inSources: new Set(backends.map(({ key }) => key)),
    // A broken object may still describe a backend, so its entry stays.
    prune: options.prune === true && isWhole,
  });
  const text = lockText(after);
  const isCurrent = before !== undefined && before.diagnostics.length === 0 && lockText(before.lock) === text;
  const diff = diffCatalogs(before?.lock ?? EMPTY_LOCK, after);
  process.stdout.write(render({ file: shown, isCurrent, diff, stale, isWhole, ...answers }, options.format));

  for (const remark of answers.remarks) logLine(remark);
  for (const { key, reason } of answers.notLocked) {
    const stays = Object.hasOwn(after.backends, key) ? '; its entry stays as it was' : '';
    logLine(`not locked: ${key}: ${reason}${formatRefusalAdvice(key, reason)}${stays}`);
  }
  if (answers.missing.length > 0)
    process.stderr.write(`lintel: ${formatMissing(answers.missing, options.dotenv, 'run this again')}\n`);
  for (const key of stale) logLine(`no backend of these sources: ${key}; --prune removes its entry`);
  if (!isWhole) logLine(UNREAD);
  const written = options.check === true || !(before === undefined && answers.entries.size === 0);
  // With `check` the types are compared with the existing catalog; a stale catalog is reported separately.
  const described = options.check === true ? (before?.lock ?? EMPTY_LOCK) : after;
  // If a backend did not answer, it is not known whether its tools have changed.
  const isComplete = isWhole && answers.notLocked.length === 0;
  const unchanged = `${shown} is ${isComplete ? 'up to date' : 'unchanged'}`;
  if (options.check === true) {
    logLine(isCurrent ? unchanged : `${shown} differs from what the backends offer: run \`lintel lock\``);
  } else if (before === undefined && answers.entries.size === 0) {
    logLine(`no backend answered, so ${shown} is not written`);
  } else {
    if (Buffer.byteLength(text) > MAX_CATALOG_BYTES) {
      throw new UsageError(`the tool lock would be larger than ${MAX_CATALOG_BYTES} bytes`);
    }
    await writeOutput(file, text);
    logLine(isCurrent ? unchanged : `wrote ${shown}`);
  }
  const check = options.check === true;
  const areTypesCurrent = written ? await keepTypes(typesFile, described, { cwd, check }) : true;
  if (!isComplete) return 3;
  return check && !(isCurrent && areTypesCurrent) ? 1 : 0;
}

/** Advice for a backend that refused its token or required one; empty for any other failure. */
function formatRefusalAdvice(key: string, reason: string): string {
  const isRefused = /\(HTTP 40[13]\)/.test(reason);
  const name = key.slice(key.lastIndexOf('/') + 1);
  return isRefused ? `; \`--token ${name}=env:NAME\` sends the token in the environment variable NAME` : '';
}

/** @throws UsageError for a file that must not be overwritten because its content is unknown */
function findReadable(loaded: LoadedCatalog | undefined): LoadedCatalog | undefined {
  const fatal = loaded?.diagnostics.find(({ code }) => ['LNT1017', 'LNT1018', 'LNT1051'].includes(code));
  if (fatal !== undefined) throw new UsageError(`${fatal.file}: ${fatal.message}`);
  // If such a file counted as empty, for example one with a merge conflict, every backend would look new and no change would be shown.
  const unread = loaded?.diagnostics.find(({ code }) => code === 'LNT1001' || code === 'LNT1002');
  if (unread !== undefined) {
    const { file, range, message } = unread;
    const location = `${file}:${range.start.line}:${range.start.column}`;
    throw new UsageError(`${location}: ${message}; put that right, or take the file away to lock everything again`);
  }
  for (const { code, file, range, message } of loaded?.diagnostics ?? []) {
    logLine(`${file}:${range.start.line}:${range.start.column}: ${code}: ${message}`);
  }
  return loaded;
}

/** A broken object, or a text that is not YAML, may describe a backend. */
function knowsAllBackends({ broken, checked, findings }: Compilation): boolean {
  const isLost = findings.all.some(({ severity, object }) => severity === 'error' && object === undefined);
  return checked.complete && broken.length === 0 && !isLost;
}

interface Result extends QueryResult {
  readonly file: string;
  readonly isCurrent: boolean;
  readonly diff: CatalogDiff;
  readonly stale: readonly string[];
  /** Whether all backends of the sources are known. */
  readonly isWhole: boolean;
}

const UNREAD = 'some sources have errors, so not every backend is known: see `lintel check`';

function render(
  { file, isCurrent, diff, stale, isWhole, notLocked, remarks }: Result,
  format: LockOptions['format'],
): string {
  switch (format) {
    case 'pretty':
      return renderDiffText(diff, { color: useColor(process.stdout) });
    case 'markdown':
      return renderDiffMarkdown(diff, [
        ...notLocked.map(({ key, reason }) => `${key}: ${reason}`),
        ...(isWhole ? [] : [UNREAD]),
      ]);
    case 'json':
      return formatJson({ file, isCurrent, backends: diff.backends, notLocked, remarks, stale });
  }
}

function logLine(text: string): void {
  process.stderr.write(`lintel: ${escapeUnprintable(text)}\n`);
}
