/** The public face of the compiler room. */
export type { Catalog, LockedBackend } from './catalog/catalog.ts';
export { type ReadCatalog, readCatalog } from './catalog/read-catalog.ts';
export { type Compilation, type CompiledGateway, type CompileOptions, compile } from './compile.ts';
export { CODES, type DiagnosticCode } from './diagnostics/codes.ts';
export type { Diagnostic, ObjectRef, Position, Range, Severity } from './diagnostics/diagnostic.ts';
export { renderJson } from './diagnostics/render/json.ts';
export { renderPretty } from './diagnostics/render/pretty.ts';
export type { Findings } from './diagnostics/report.ts';
export { type BundleOutput, bundleFiles, type OutputFile } from './emit/bundle-files.ts';
export { writeFiles } from './emit/write-files.ts';
export type { Origin } from './lower/gateway.ts';
export { ConfigurationError } from './project/configuration-error.ts';
export { type ConfigOption, loadProject } from './project/load-project.ts';
export type { Judgement, Project } from './project/project.ts';
export { findFiles } from './source/find-files.ts';
export { lineOf, readSources, readTexts, type Sources } from './source/read-sources.ts';
export { SourceText } from './source/source-text.ts';
export { UsageError } from './usage-error.ts';
