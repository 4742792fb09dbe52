/** The compiler with resource limits: its requests and its outcomes for a source. */
export { isOfCluster } from './cluster-file.ts';
export { CompileService } from './compile-service.ts';
export type { CompileLimits } from './compile-worker.ts';
export { countExposedTools, type ToolCallers, type ToolCount, type ToolEffect } from './exposed-tools.ts';
export type { CompiledUnit, CompileOutcome, EmbeddingUnit, FoundDiagnostic, UnitBackend } from './outcome.ts';
export type { CompileRequest } from './request.ts';
