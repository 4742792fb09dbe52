/** The public interface of the compiler. */
export type { EvaluationContext } from './analysis/access/admission.ts';
export { type AccessAnswer, decideAccess, type UnknownName } from './analysis/access/answer.ts';
export { findClientName, type ToolOfBackend } from './analysis/access/client-name.ts';
export { findTimeClaim } from './analysis/access/expectations.ts';
export { listReachedTools, type ReachedTools } from './analysis/access/reached-tools.ts';
export { renderAnswerText } from './analysis/access/render/answer-text.ts';
export { suggestName } from './analysis/access/suggest-name.ts';
export { listUnspecifiedClaims } from './analysis/access/unspecified-claims.ts';
export type { Catalog, LockedBackend } from './analysis/catalog/catalog.ts';
export { type ReadCatalog, readCatalog } from './analysis/catalog/read-catalog.ts';
export { diffExposure, diffExposures } from './analysis/exposure/difference/diff-exposures.ts';
export type { Classification, ExposureDifference, ItemChange } from './analysis/exposure/difference/difference.ts';
export { renderDifferenceMarkdown } from './analysis/exposure/difference/render/markdown.ts';
export { renderDifferencePretty } from './analysis/exposure/difference/render/pretty.ts';
export { EXPOSURE_FILE, EXPOSURE_FORMAT_VERSION, type Exposure, type Who } from './analysis/exposure/exposure.ts';
export {
  listOutsideChanges,
  type OutsideBundles,
  omitShown,
  readOutside,
} from './analysis/exposure/outside-bundles.ts';
export { readExposures } from './analysis/exposure/read-exposure.ts';
export type { RegistryExposure } from './analysis/exposure/registry/registry-exposure.ts';
export type { GatewayModel } from './analysis/gateway/model.ts';
export { lowerWorkflow } from './analysis/gateway/workflow.ts';
export { findValueProblem } from './analysis/json-schema/value-problem.ts';
export { createEvaluationContext } from './commands/evaluation-context.ts';
export type { Compilation, CompileOptions } from './compile/compilation.ts';
export type { CompiledEmbeddingServer } from './compile/embedding-servers.ts';
export type { CompiledGateway } from './compile/gateways.ts';
export type { CompiledRegistry } from './compile/registries.ts';
export { compile } from './compile.ts';
export { CODES, type DiagnosticCode } from './diagnostics/codes.ts';
export type { Diagnostic, ObjectRef, Position, Range } from './diagnostics/diagnostic.ts';
export { renderJson } from './diagnostics/render/json.ts';
export { escapeMarkdown } from './diagnostics/render/markdown.ts';
export { renderPretty } from './diagnostics/render/pretty.ts';
export type { Findings } from './diagnostics/report.ts';
export type { Severity } from './diagnostics/severity.ts';
export { concernsEveryGateway } from './emit/bundle-blockers.ts';
export { type Built, type BundleOutput, listBundleFiles, listEntries, type OutputFile } from './emit/bundle-files.ts';
export { generateManifests } from './emit/manifests/generate-manifests.ts';
export type { Manifest } from './emit/manifests/manifest.ts';
export type { ManifestSettings } from './emit/manifests/settings.ts';
export { writeFiles } from './emit/write-files.ts';
export { findCodePage } from './explain/site-pages.ts';
export { type HtmlPage, renderHtmlDocument } from './html/document.ts';
export { type HtmlCell, type HtmlTable, renderHtmlTable } from './html/table.ts';
export { type Compiler, createCompiler } from './incremental/compiler.ts';
export type { LintOptions, Project } from './lint/project.ts';
export { SEVERITY_RANK } from './lint/severity-rank.ts';
export type { Origin } from './lower/gateway.ts';
export {
  type CompiledSources,
  type CompileSourcesOptions,
  compileSources,
  compileTexts,
} from './project/compile-sources.ts';
export { ConfigurationError } from './project/configuration-error.ts';
export { type ConfigOption, loadProject } from './project/load-project.ts';
export { findReferences, type Reference } from './resolve/references.ts';
export type { ResourceDocument } from './source/classify.ts';
export { findFiles } from './source/find-files.ts';
export { findLine, readSources, readTexts, type Sources } from './source/read-sources.ts';
export { SourceText } from './source/source-text.ts';
export { parseDurationMs } from './text/duration.ts';
export { isTypo } from './text/is-typo.ts';
export { UsageError } from './usage-error.ts';
export { LintelValidation } from './validation-plugin/lintel-validation.ts';
export type { LintelValidationProperties } from './validation-plugin/settings.ts';
