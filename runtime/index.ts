/** The public functions of the runtime: the commands of `lintel-runtime` as functions, for tests and embedding. */
export { BundleError } from './bundle/bundle-error.ts';
export { type LoadedBundle, type LoadedRegistry, loadBundle } from './bundle/load.ts';
export type { BundleChoice } from './bundle/locate.ts';
export {
  type ElicitationResult,
  runWorkflow,
  type StepState,
  type StepStatus,
  type ToolResult,
  WorkflowError,
  type WorkflowHost,
  type WorkflowRun,
} from './gateway/workflow/engine/index.ts';
export { ListenError } from './http/listen.ts';
export { createLogger, type Logger } from './observe/log.ts';
export type { StatusPage } from './observe/status.ts';
export { type RuntimeOptions, readOptions } from './options.ts';
export type { RegistryStatusPage } from './registry/status.ts';
export {
  type ActorCall,
  type ActorElicitation,
  type Actors,
  type Rehearsal,
  type RehearsalSettings,
  rehearse,
} from './rehearsal/rehearse.ts';
export { VirtualTime } from './rehearsal/virtual-time.ts';
export type { RunningRuntime } from './running-runtime.ts';
export { serve } from './serve.ts';
