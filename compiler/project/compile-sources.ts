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
import { type ProgramOutcome, separatePrograms, withPrograms } from './program-outcome.ts';
import { readEntriesFiles } from './read-entries-files.ts';
import { withoutRepeated } from './without-repeated.ts';

export interface CompileSourcesOptions {
  /** The absolute folder that paths are relative to. */
  readonly cwd: string;
  readonly purpose: CompileOptions['purpose'];
  readonly sourceRevision: string | null;
  /** Where the compiled gateways will run; undefined when unknown. */
  readonly target?: CompileOptions['target'];
  /** Refuses connections to private addresses, even if the project permits them. */
  readonly denial?: CompileOptions['denial'];
  /** The file of the tool lock, instead of the project's; `false` for none. */
  readonly catalog?: string | false | undefined;
  /** An incremental compiler, for commands that compile repeatedly. */
  readonly compiler?: Compiler | undefined;
  /** An untrusted folder, such as a checkout: paths and links may not lead out of it. */
  readonly confinedTo?: string | undefined;
  readonly defaultNamespace?: string | undefined;
  /** Files in the source folders that are not sources. */
  readonly without?: ((file: FoundFile) => boolean) | undefined;
  /** Objects without a file, such as those of a cluster. Objects that files define as well are dropped. */
  readonly additionalTexts?: readonly SourceText[] | undefined;
  /** The outcomes of programs among the sources, by absolute path. Missing ones were not run. */
  readonly programs?: ReadonlyMap<string, ProgramOutcome> | undefined;
  readonly onProgress?: CompileOptions['onProgress'];
  /** Reads the source `-`. */
  readonly readStdin?: () => Uint8Array | undefined;
}

export interface CompiledSources {
  /** Including the text of the catalog, for code frames. */
  readonly sources: Sources;
  readonly compilation: Compilation;
  /** The path of the tool lock, as messages show it; undefined when there is none. */
  readonly catalogFile: string | undefined;
}

/**
 * Compiles paths. All commands and the controller use it, so that CI and the cluster get the same result. It prints nothing, and the caller
 * decides what an empty result means.
 *
 * @throws UsageError for a path that does not exist, and for a named catalog that does not
 */
export function compileSources(
  paths: readonly string[],
  project: Project,
  options: CompileSourcesOptions,
): CompiledSources {
  const {
    cwd,
    confinedTo,
    compiler = FRESH_COMPILER,
    additionalTexts = [],
    readStdin = () => new Uint8Array(),
  } = options;
  const found = findSources(paths, project, cwd, confinedTo);
  const { programs, texts } = separatePrograms(found.files.filter(file => options.without?.(file) !== true));
  const specs = withPrograms(compiler.readSources(texts, readStdin, additionalTexts), programs, options.programs);
  const { diagnostics } = found;
  return compileRead(
    withoutRepeated(specs, additionalTexts, options.defaultNamespace),
    diagnostics,
    paths,
    project,
    options,
  );
}

/**
 * Does the same as `compileSources` for texts in memory, such as those of constructs. Configuration and tool lock are searched from the working
 * directory.
 * @throws UsageError for a named catalog that does not exist
 */
export function compileTexts(
  texts: readonly SourceText[],
  project: Project,
  options: CompileSourcesOptions,
): CompiledSources {
  return compileRead(readTexts(texts), [], [], project, options);
}

/**
 * Does the same as `compileSources` for sources that were read already.
 * @param found the result of finding the sources
 * @throws UsageError for a named catalog that does not exist
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
    today: getToday(),
  });
  const { source } = catalog ?? {};
  if (source === undefined) return { sources, compilation, catalogFile: undefined };
  const texts = new Map(sources.texts).set(source.file, source);
  return { sources: { ...sources, texts }, compilation, catalogFile: source.file };
}

/** Without a readable catalog within the limits, everything about tools is unknown. */
function isReadable(catalog: LoadedCatalog | undefined): boolean {
  return !catalog?.diagnostics.some(({ code }) => code === 'LNT1017' || code === 'LNT1018');
}

/** In UTC, so that suppressions expire at the same time everywhere. */
function getToday(): string {
  return new Date().toISOString().slice(0, 10);
}
