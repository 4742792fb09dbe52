/** The project that `lintel.yaml` describes: finds, reads and compiles its sources. */
export { createNamer, formatBaseline } from './baseline-file.ts';
export { formatPath, hasOwnCatalog, type LoadedCatalog, loadCatalog, resolveCatalogFile } from './catalog-file.ts';
export {
  type CompiledSources,
  type CompileSourcesOptions,
  compileRead,
  compileSources,
  compileTexts,
} from './compile-sources.ts';
export { ConfigurationError } from './configuration-error.ts';
export { createConfigurationError, readConfigurationFile } from './configuration-file.ts';
export { findProjectFile, PROJECT_FILE } from './find-project-file.ts';
export { findSources, formatSources, isSource, listWatchedPaths } from './find-sources.ts';
export { type ConfigOption, loadProject } from './load-project.ts';
export type { ProgramOutcome } from './program-outcome.ts';
export { listEntriesFiles } from './read-entries-files.ts';
