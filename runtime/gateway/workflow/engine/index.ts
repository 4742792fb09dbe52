/** The engine of workflows. */
export type { ElicitationResult, StepDetail, ToolResult, WorkflowHost } from './host.ts';
export type { JournaledOutcome, StepOutcome } from './journal.ts';
export { type RunState, runWorkflow, type WorkflowFailure, type WorkflowRun } from './run-workflow.ts';
export type { StepState, StepStatus } from './scope.ts';
export { type FailureReason, WorkflowError } from './workflow-error.ts';
