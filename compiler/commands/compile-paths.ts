/** Compiles PATH arguments and reports findings: shared by `check`, `build`, `serve` and `dev`. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { compareText, VERSION } from '#schemas';
import type { Compilation, CompileOptions } from '../compile/compilation.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Links } from '../diagnostics/render/hyperlink.ts';
import { type Format, RENDERERS } from '../diagnostics/render/index.ts';
import { renderPretty } from '../diagnostics/render/pretty.ts';
import { Report } from '../diagnostics/report.ts';
import type { Severity } from '../diagnostics/severity.ts';
import { findCodePage } from '../explain/pages.ts';
import { resolveSiteAddress } from '../explain/site-pages.ts';
import { readImportedFile } from '../import/index.ts';
import type { Compiler } from '../incremental/index.ts';
import { type Project, SEVERITY_RANK } from '../lint/index.ts';
import {
  type CompileSourcesOptions,
  type ConfigOption,
  type ConfigurationError,
  compileSources,
  formatSources,
  loadProject,
} from '../project/index.ts';
import { STDIN_NAME } from '../source/find-files.ts';
import { isProgram } from '../source/is-program.ts';
import { MAX_FILE_BYTES } from '../source/limits.ts';
import { readBytes } from '../source/read-bytes.ts';
import { findLine, type Sources } from '../source/read-sources.ts';
import { UsageError } from '../usage-error.ts';
import { Progress } from './progress.ts';
import { type ProgramArguments, type Programs, runPrograms } from './run-programs.ts';
import { findTerminalColumns } from './terminal-columns.ts';
import { useColor } from './use-color.ts';
import { findLinks } from './use-links.ts';

export interface CompiledPaths {
  readonly project: Project;
  readonly sources: Sources;
  readonly compilation: Compilation;
  readonly programs: Programs;
}

/** Options of every command that compiles. */
export interface ProjectOptions extends ProgramArguments {
  readonly config?: ConfigOption;
  /** The file of the tool lock, instead of the project's; `false` for none. */
  readonly catalog?: string | false | undefined;
}

export interface CompilePathsOptions extends ProjectOptions {
  readonly purpose: CompileOptions['purpose'];
  readonly sourceRevision?: string | null;
  readonly target?: CompileOptions['target'];
  /** The namespace of objects that state none. Default: `default`. */
  readonly defaultNamespace?: string | undefined;
  /** Refuses backends at private addresses. Takes precedence over the project's setting. */
  readonly denial?: CompileOptions['denial'];
  /** An incremental compiler, for commands that compile repeatedly. */
  readonly compiler?: Compiler;
  /** Files in the source folders that are not sources. */
  readonly without?: CompileSourcesOptions['without'];
  /** Outcomes of the programs among the sources, if they already ran. */
  readonly programs?: Programs;
}

const STDIN_FD = 0;

/**
 * @throws UsageError for a path that does not exist, for an invalid configuration, and when there is nothing to check: no input is a usage
 * error, not a clean result
 */
export async function compilePaths(paths: readonly string[], options: CompilePathsOptions): Promise<CompiledPaths> {
  return await compileProject(paths, loadProject(options.config, process.cwd(), paths), options);
}

/** Does the same as `compilePaths`, for a project that is already loaded. */
export async function compileProject(
  paths: readonly string[],
  project: Project,
  options: CompilePathsOptions,
): Promise<CompiledPaths> {
  const programs = options.programs ?? (await runPrograms(paths, project, options));
  using progress = new Progress();
  const compiled = compileSources(paths, project, {
    cwd: process.cwd(),
    purpose: options.purpose,
    sourceRevision: options.sourceRevision ?? null,
    target: options.target,
    defaultNamespace: options.defaultNamespace,
    without: options.without,
    denial: options.denial,
    catalog: options.catalog,
    compiler: options.compiler,
    programs: programs.outcomes,
    readStdin: () => readBytes(STDIN_FD, MAX_FILE_BYTES),
    // No progress for a command that compiles repeatedly, because it shows its own.
    onProgress:
      options.compiler === undefined && progress.isShown
        ? ({ work, done, total, object }) => progress.step(work, done, total, `${object.namespace}/${object.name}`)
        : undefined,
  });
  progress.end();
  if (options.config === undefined) announce(project.file);
  // Only reported without a configuration: otherwise the tool lock is where the configuration says, or next to the configuration.
  if (options.catalog === undefined && project.file === undefined) announce(compiled.catalogFile);
  const { sources, compilation } = compiled;
  if (sources.files === 0 && sources.diagnostics.length === 0) {
    throw new UsageError(`no .yaml, .yml or .json files in ${formatSources(paths, project)}${formatPrograms(paths)}`);
  }
  const { findings, checked } = compilation;
  refuseProgramOnStdin(sources);
  const isOwn = ({ file }: Diagnostic) => project.texts.some(text => text.file === file);
  if (checked.objects === 0 && findings.suppressed.length === 0 && findings.all.every(isOwn)) {
    const files = checked.files === 1 ? '1 file holds' : `${checked.files} files hold`;
    throw new UsageError(
      `nothing to check in ${formatSources(paths, project)}: ${files} no object of the API groups that Lintel reads${formatImportable(sources)}${formatPrograms(paths)}`,
    );
  }
  return { project, sources, compilation, programs };
}

/** Maximum number of files that are read again to find one that `lintel import` supports. */
const MAX_IMPORTABLE = 20;

/** A suggestion to import a file of another program, such as the `mcp.json` of a client, which people give in place of specs. */
function formatImportable({ texts }: Sources): string {
  const found = [...texts.keys()].slice(0, MAX_IMPORTABLE).find(isImportable);
  return found === undefined ? '' : `; \`lintel import ${found}\` writes specs with its servers`;
}

function isImportable(file: string): boolean {
  try {
    return file !== STDIN_NAME && readImportedFile(file).length > 0;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/**
 * A suggestion of programs that `lintel check folder` may have meant. Not every TypeScript file is a program, so only those run that are named as
 * sources.
 */
function formatPrograms(paths: readonly string[]): string {
  const folders = paths.filter(path => statSync(path, { throwIfNoEntry: false })?.isDirectory());
  const found = folders.flatMap(folder => readdirSync(folder).map(name => join(folder, name))).filter(isProgram);
  return found.length === 0 ? '' : `; programs are given by their names: ${found.sort(compareText).join(', ')}`;
}

/** The beginning of a line in a program. No line of a YAML object begins like this. */
const IMPORT_OR_EXPORT = /^(?:import\b[^\n]*['"]|export (?:default|const|function|class)\b)/m;

/** @throws UsageError for TypeScript on standard input: parsing it as YAML would only give confusing errors */
function refuseProgramOnStdin({ texts }: Sources): void {
  if (!IMPORT_OR_EXPORT.test(texts.get(STDIN_NAME)?.text ?? '')) return;
  throw new UsageError(
    'what comes on standard input is a program, and programs are given by their names, such as app.ts',
  );
}

/** Messages that were already printed and are not repeated: `lintel dev` compiles often. */
const announced = new Set<string>();

/** Resets the printed messages for a new command: a process may run several. */
export function startAnnouncing(): void {
  announced.clear();
}

/** Reports a configuration file that takes effect without being named, unless it is in the usual place: this folder or a parent. */
function announce(file: string | undefined): void {
  if (file === undefined || announced.has(file) || /^(?:\.\.\/)*[^/]+$/.test(file)) return;
  announced.add(file);
  process.stderr.write(`lintel: using ${file}\n`);
}

/** Prints the mistakes of a configuration like findings. */
export function renderMistakes({ diagnostics, texts }: ConfigurationError, stream: NodeJS.WriteStream): string {
  const report = new Report();
  report.addAll(diagnostics);
  const line = (file: string, number: number) => texts.find(text => text.file === file)?.line(number);
  return `${renderPretty(report.findings(), line, describeTerminal(stream))}\n`;
}

/** Where findings are printed; without a stream, into a file, which has no color. */
export interface FindingsOutput {
  readonly stream?: NodeJS.WriteStream;
  /** Findings of this severity or a higher one are failures, in formats that separate failures from other findings; default `error`. */
  readonly failOn?: Severity;
  /** For text formats: every finding, not only the first of each code. */
  readonly all?: boolean;
}

/** Renders the findings in the chosen format. */
export function renderFindings(compiled: CompiledPaths, format: Format, target: FindingsOutput): string {
  const { project, sources, compilation } = compiled;
  const { findings, checked } = compilation;
  const { stream, failOn = 'error', all = false } = target;
  const site = resolveSiteAddress(project.documentation);
  const ownText = (file: string) => project.texts.find(text => text.file === file);
  const files = new Set([...sources.texts.keys(), ...findings.diagnostics.map(({ file }) => file)]);
  return RENDERERS[format]({
    findings,
    checked,
    files: [...files].sort(compareText),
    tool: { name: 'lintel', version: VERSION },
    ...(site !== undefined && { findPage: code => findCodePage(code, site) }),
    failOn,
    all,
    getLine: (file, line) => findLine(sources, file, line) ?? ownText(file)?.line(line),
    ...(stream === undefined ? { color: false } : describeTerminal(stream)),
  });
}

/** The same findings without warnings and hints. */
export function keepErrors(compiled: CompiledPaths): CompiledPaths {
  const { findings } = compiled.compilation;
  const diagnostics = findings.diagnostics.filter(({ severity }) => severity === 'error');
  const counts = { error: findings.counts.error, warning: 0, hint: 0 };
  return { ...compiled, compilation: { ...compiled.compilation, findings: { ...findings, diagnostics, counts } } };
}

/** Prints the errors on standard error: standard output is for what the command computes. */
export function printErrors(compiled: CompiledPaths): void {
  process.stderr.write(`${renderFindings(keepErrors(compiled), 'pretty', { stream: process.stderr })}\n`);
}

/** Text layout for a stream. */
export interface Terminal {
  readonly color: boolean;
  /** The width in columns; a stream that is not a terminal has none. */
  readonly width?: number;
  readonly links: Links | undefined;
  /** Whether findings of the same code are grouped for a person. In output for programs, each finding stands alone. */
  readonly isGrouped: boolean;
}

export function describeTerminal(stream: NodeJS.WriteStream): Terminal {
  const columns = findTerminalColumns(stream);
  return {
    color: useColor(stream),
    ...(columns === undefined ? {} : { width: Math.min(columns, 160) }),
    links: findLinks(stream),
    isGrouped: stream.isTTY === true,
  };
}

/** The exit code of commands that serve. It depends on the errors that prevent bundles, not on configured severities. */
export function chooseServingExitCode({ checked, hasErrors }: Compilation): 0 | 1 | 3 {
  if (!checked.complete) return 3;
  return hasErrors ? 1 : 0;
}

/**
 * The exit code. 0: no finding has the severity of the threshold or a higher one; 1: some finding has; 3: the check was incomplete, so neither is
 * known. Errors count at every threshold. The code does not depend on formats.
 */
export function chooseExitCode({ findings, checked }: Compilation, failOn: Severity): 0 | 1 | 3 {
  if (!checked.complete) return 3;
  const found = (Object.keys(SEVERITY_RANK) as Severity[]).filter(severity => findings.counts[severity] > 0);
  return found.some(severity => SEVERITY_RANK[severity] >= SEVERITY_RANK[failOn]) ? 1 : 0;
}
