import { VERSION } from '#schemas';
import type { Compilation, CompileOptions } from '../compile/compilation.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type Compiler, FRESH_COMPILER } from '../incremental/index.ts';
import type { Project } from '../lint/index.ts';
import type { FoundFile } from '../source/find-files.ts';
import { readTexts, type Sources } from '../source/read-sources.ts';
import type { SourceText } from '../source/source-text.ts';
import { type LoadedCatalog, requireCatalog } from './catalog-file.ts';
import { findSources } from './find-sources.ts';
import { apart, type ProgramOutcome, withPrograms } from './program-outcome.ts';
import { readEntriesFiles } from './read-entries-files.ts';
import { withoutRepeated } from './without-repeated.ts';

export interface CompileSourcesOptions {
  /** What paths are relative to and files are shown by; absolute. */
  readonly cwd: string;
  readonly purpose: CompileOptions['purpose'];
  readonly sourceRevision: string | null;
  /** Where what is compiled will run; undefined where that is not known. */
  readonly target?: CompileOptions['target'];
  /** Refuses connections to private addresses, whatever the project says. */
  readonly denial?: CompileOptions['denial'];
  /** The file of the tool lock, where it is not the project's; `false` for none. */
  readonly catalog?: string | false | undefined;
  /** An incremental one, for commands that compile again and again. */
  readonly compiler?: Compiler | undefined;
  /** An untrusted folder, such as a checkout: nothing outside of it is read, whatever a path or a link says. */
  readonly confinedTo?: string | undefined;
  readonly defaultNamespace?: string | undefined;
  /** Files among the sources that are none of them. */
  readonly without?: ((file: FoundFile) => boolean) | undefined;
  /** Objects that are in no file, such as those of a cluster. Those that the files have as well are left out. */
  readonly beside?: readonly SourceText[] | undefined;
  /** What the programs among the sources came to, by absolute path. Those that are not there were not run. */
  readonly programs?: ReadonlyMap<string, ProgramOutcome> | undefined;
  readonly onProgress?: CompileOptions['onProgress'];
  /** What `-` stands for. */
  readonly readStdin?: () => Uint8Array | undefined;
}

export interface CompiledSources {
  /** With the text of the catalog, for code frames. */
  readonly sources: Sources;
  readonly compilation: Compilation;
  /** The tool lock as shown, where there is one. */
  readonly catalogFile: string | undefined;
}

/**
 * From paths to a compilation: what every command and the controller have in common, so that CI's answer is the cluster's.
 * Says nothing and leaves it to the caller what an empty result means.
 *
 * @throws UsageError for a path that does not exist, and for a catalog that was named and does not
 */
export function compileSources(
  paths: readonly string[],
  project: Project,
  options: CompileSourcesOptions,
): CompiledSources {
  const { cwd, confinedTo, compiler = FRESH_COMPILER, beside = [], readStdin = () => new Uint8Array() } = options;
  const found = findSources(paths, project, cwd, confinedTo);
  const { programs, texts } = apart(found.files.filter(file => options.without?.(file) !== true));
  const specs = withPrograms(compiler.readSources(texts, readStdin, beside), programs, options.programs);
  const { diagnostics } = found;
  return compileRead(withoutRepeated(specs, beside, options.defaultNamespace), diagnostics, paths, project, options);
}

/**
 * The same for texts that are in memory, such as those of constructs. Configuration and tool lock are looked for from the
 * working directory.
 *
 * @throws UsageError for a catalog that was named and does not exist
 */
export function compileTexts(
  texts: readonly SourceText[],
  project: Project,
  options: CompileSourcesOptions,
): CompiledSources {
  return compileRead(readTexts(texts), [], [], project, options);
}

/**
 * The same for sources that are read.
 *
 * @param found what finding the sources found
 * @throws UsageError for a catalog that was named and does not exist
 */
export function compileRead(
  specs: Sources,
  found: readonly Diagnostic[],
  paths: readonly string[],
  project: Project,
  options: CompileSourcesOptions,
): CompiledSources {
  const { cwd, confinedTo, compiler = FRESH_COMPILER } = options;
  const catalog =
    options.catalog === false ? undefined : requireCatalog(options.catalog, project, paths, cwd, confinedTo);
  const read = readEntriesFiles(specs, project, cwd);
  const sources: Sources = {
    ...read,
    diagnostics: [...found, ...read.diagnostics, ...(catalog?.diagnostics ?? [])],
    complete: read.complete && found.length === 0 && isReadable(catalog),
  };
  const compilation = compiler.compile(sources, {
    purpose: options.purpose,
    origin: { compilerVersion: VERSION, sourceRevision: options.sourceRevision },
    project,
    clients: project.clients,
    budgets: project.budgets,
    target: options.target,
    denial: options.denial ?? project.denial,
    catalog: catalog?.catalog,
    ...(options.defaultNamespace !== undefined && { defaultNamespace: options.defaultNamespace }),
    onProgress: options.onProgress,
    today: today(),
  });
  const { source } = catalog ?? {};
  if (source === undefined) return { sources, compilation, catalogFile: undefined };
  const texts = new Map(sources.texts).set(source.file, source);
  return { sources: { ...sources, texts }, compilation, catalogFile: source.file };
}

/** A catalog that passes a limit or cannot be read leaves everything about tools unknown. */
function isReadable(catalog: LoadedCatalog | undefined): boolean {
  return !catalog?.diagnostics.some(({ code }) => code === 'LNT1017' || code === 'LNT1018');
}

/** In UTC, so that suppressions expire everywhere at once. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}
