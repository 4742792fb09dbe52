/** The engine of workflows. */
export type { ElicitationAnswer, ToolResult, WorkflowHost } from './host.ts';
export { runWorkflow, type WorkflowRun } from './run-workflow.ts';
export type { StepState, StepStatus } from './scope.ts';
export { WorkflowError } from './workflow-error.ts';
