/** `lintel export`: converts specs into a program of constructs, and a program into specs. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { compareText } from '#schemas';
import { renderPretty } from '../diagnostics/render/pretty.ts';
import { Report } from '../diagnostics/report.ts';
import { deriveTitle, exportProgram, joinChartFiles, listChartFiles } from '../export/index.ts';
import type { SynthesizedProgram } from '../program/synthesized.ts';
import { loadProject } from '../project/index.ts';
import { isProgram } from '../source/is-program.ts';
import { UsageError } from '../usage-error.ts';
import { compilePaths, describeTerminal, type ProjectOptions, printErrors } from './compile-paths.ts';
import { writeOutput } from './outputs.ts';
import { toProgramOptions } from './run-programs.ts';

export const EXPORT_LANGUAGES = ['ts', 'yaml'] as const;

export interface ExportOptions extends ProjectOptions {
  /** A file, a folder, or `-` for standard output. */
  readonly out: string;
  /** Whether existing files may be replaced. */
  readonly force: boolean;
}

/** The default name of a program in a folder. */
const PROGRAM_FILE = 'app.ts';

/** Writes specs as a program of constructs, or the reverse. Returns the exit code. */
export async function exportSpecs(
  language: (typeof EXPORT_LANGUAGES)[number],
  paths: readonly string[],
  options: ExportOptions,
): Promise<number> {
  return language === 'ts' ? exportTypeScript(paths, options) : exportYaml(paths, options);
}

async function exportTypeScript(paths: readonly string[], options: ExportOptions): Promise<number> {
  const program = paths.find(isProgram);
  if (program !== undefined) throw new UsageError(`${program} is a program already: give specs in YAML or JSON`);
  const { out } = options;
  const file = /\.[cm]?ts$/.test(out) || out === '-' ? out : path.join(out, PROGRAM_FILE);
  refuseExisting([file], options);
  const compiled = await compilePaths(paths, { ...options, purpose: 'language' });
  const { sources, compilation } = compiled;
  if (!compilation.checked.complete || compilation.hasErrors) {
    printErrors(compiled);
    process.stderr.write('lintel: nothing is exported: fix the errors first\n');
    return compilation.checked.complete ? 1 : 3;
  }
  const { text, leftOut } = exportProgram(sources, {
    title: deriveTitle(sources.documents, paths),
    folder: path.relative(process.cwd(), path.dirname(path.resolve(file))),
  });
  const strays = [...new Set(leftOut.map(document => document.file))].sort(compareText);
  if (strays.length > 0)
    process.stderr.write(`lintel: left out what is no Kubernetes object with a name: ${strays.join(', ')}\n`);
  await write([{ path: file, text }]);
  return 0;
}

async function exportYaml(paths: readonly string[], options: ExportOptions): Promise<number> {
  const [entry, ...others] = paths;
  if (entry === undefined || others.length > 0 || !isProgram(entry))
    throw new UsageError('give one program in TypeScript, such as `lintel export yaml app.ts --out specs/`');
  if (!existsSync(entry)) throw new UsageError(`${entry} does not exist`);
  // Loaded only when there are programs, because loading it slows the start.
  const { runProgram } = await import('../program/run-program.ts');
  const project = loadProject(undefined, process.cwd(), [entry]);
  const { outcome, synthesized } = await runProgram(path.resolve(entry), entry, toProgramOptions(options, project));
  const report = new Report();
  report.addAll(outcome.diagnostics);
  if (outcome.diagnostics.length > 0) {
    const line = (file: string, number: number) => outcome.texts.get(file)?.line(number);
    process.stderr.write(`${renderPretty(report.findings(), line, describeTerminal(process.stderr))}\n`);
  }
  if (synthesized === undefined) return outcome.complete ? 1 : 3;
  const files = listYamlFiles(synthesized, options.out);
  refuseExisting(
    files.map(file => file.path),
    options,
  );
  await write(files);
  return 0;
}

function listYamlFiles(program: SynthesizedProgram, out: string) {
  if (out === '-' || /\.ya?ml$/.test(out)) return [{ path: out, text: joinChartFiles(program) }];
  return listChartFiles(program).map(file => ({ ...file, path: path.join(out, file.path) }));
}

/** @throws UsageError for an existing file, which may be handwritten */
function refuseExisting(files: readonly string[], { force }: ExportOptions): void {
  const existing = force ? undefined : files.find(file => file !== '-' && isFile(file));
  if (existing !== undefined)
    throw new UsageError(`${existing} exists already: give another --out, or --force to replace it`);
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

async function write(files: readonly { readonly path: string; readonly text: string }[]): Promise<void> {
  for (const file of files) {
    if (file.path === '-') {
      process.stdout.write(file.text);
      continue;
    }
    await writeOutput(file.path, file.text);
    process.stderr.write(`lintel: wrote ${file.path}\n`);
  }
}
