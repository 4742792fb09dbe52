/** The public face of the compiler room. */
export type { Circumstances } from './callers/admission.ts';
export { type Answer, answerOf, type UnknownName } from './callers/answer.ts';
export { clientName, type ToolOfBackend } from './callers/client-name.ts';
export { timeClaimOf } from './callers/expectations.ts';
export { mistakenName } from './callers/mistaken-name.ts';
export { type ReachedTools, reachedTools } from './callers/reached-tools.ts';
export { renderAnswerText } from './callers/render/answer-text.ts';
export { unsaidClaims } from './callers/unsaid-claims.ts';
export type { Catalog, LockedBackend } from './catalog/catalog.ts';
export { type ReadCatalog, readCatalog } from './catalog/read-catalog.ts';
export { nearest } from './check/nearest.ts';
export { circumstances } from './commands/circumstances.ts';
export {
  type Compilation,
  type CompiledEmbeddingServer,
  type CompiledGateway,
  type CompileOptions,
  compile,
} from './compile.ts';
export { CODES, type DiagnosticCode } from './diagnostics/codes.ts';
export type { Diagnostic, ObjectRef, Position, Range, Severity } from './diagnostics/diagnostic.ts';
export { renderJson } from './diagnostics/render/json.ts';
export { escapeMarkdown } from './diagnostics/render/markdown.ts';
export { renderPretty } from './diagnostics/render/pretty.ts';
export type { Findings } from './diagnostics/report.ts';
export { concernsEveryGateway } from './emit/blocked.ts';
export { type Built, type BundleOutput, bundleFiles, type OutputFile } from './emit/bundle-files.ts';
export type { Manifest } from './emit/manifests/manifest.ts';
export { manifestsOf } from './emit/manifests/manifests-of.ts';
export type { ManifestSettings } from './emit/manifests/settings.ts';
export { writeFiles } from './emit/write-files.ts';
export type { Classification, ExposureDifference, ItemChange } from './exposure/difference/difference.ts';
export { differenceOf, differencesOf } from './exposure/difference/difference-of.ts';
export { renderDifferenceMarkdown } from './exposure/difference/render/markdown.ts';
export { renderDifferencePretty } from './exposure/difference/render/pretty.ts';
export { EXPOSURE_FILE, EXPOSURE_FORMAT_VERSION, type Exposure, type Who } from './exposure/exposure.ts';
export { readExposures } from './exposure/read-exposure.ts';
export type { RegistryExposure } from './exposure/registry/registry-exposure.ts';
export type { GatewayModel } from './gateway/model.ts';
export { type HtmlPage, htmlDocument } from './html/document.ts';
export { type HtmlCell, type HtmlTable, htmlTable } from './html/table.ts';
export { type Compiler, createCompiler } from './incremental/compiler.ts';
export { valueProblem } from './json-schema/value-problem.ts';
export { durationMs } from './lower/duration.ts';
export type { Origin } from './lower/gateway.ts';
export { lowerWorkflow } from './lower/workflow.ts';
export {
  type CompiledSources,
  type CompileSourcesOptions,
  compileSources,
  compileTexts,
} from './project/compile-sources.ts';
export { ConfigurationError } from './project/configuration-error.ts';
export { type ConfigOption, loadProject } from './project/load-project.ts';
export type { Judgement, Project } from './project/project.ts';
export { WEIGHT } from './project/weight.ts';
export type { CompiledRegistry } from './registry/compile-registries.ts';
export { type Reference, referencesIn } from './resolve/references.ts';
export type { ResourceDocument } from './source/classify.ts';
export { findFiles } from './source/find-files.ts';
export { lineOf, readSources, readTexts, type Sources } from './source/read-sources.ts';
export { SourceText } from './source/source-text.ts';
export { UsageError } from './usage-error.ts';
export { LintelValidation } from './validation-plugin/lintel-validation.ts';
export type { LintelValidationProperties } from './validation-plugin/settings.ts';
