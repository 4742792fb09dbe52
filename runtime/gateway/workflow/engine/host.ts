/** The engine's environment: calls, questions, time and random numbers. Tests provide their own. */
import type { ElicitationStep, WorkflowCall, WorkflowStep } from '#schemas';
import type { AbortSource } from '#shared/util';
import type { RunState } from './run-workflow.ts';
import type { StepState } from './scope.ts';
import type { FailureReason } from './workflow-error.ts';

/** The result of a call, as MCP defines it. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly [member: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** A person's answer to an elicitation. */
export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: unknown;
}

/** Details of a step for the audit log. The state of the step does not contain them. */
export interface StepDetail {
  /** The number of calls that the step repeated after a failure. */
  readonly retries: number;
  /** Whether the step was skipped because its condition does not hold. */
  readonly isConditionFalse: boolean;
}

export interface WorkflowHost {
  /**
   * Calls a tool.
   * @param step the id of the calling step
   * @param signal aborts when the answer is no longer needed
   * @throws an error, which is a failure of the step; clients learn the reason of a WorkflowError
   */
  callTool(
    call: Pick<WorkflowCall, 'backend' | 'tool'>,
    args: Readonly<Record<string, unknown>>,
    step: string,
    signal: AbortSource,
  ): Promise<ToolResult>;
  /** Sends a person a question. Parameters and errors are as for `callTool`. */
  elicit(
    message: string,
    schema: ElicitationStep['schema'],
    step: string,
    signal: AbortSource,
  ): Promise<ElicitationResult>;
  /**
   * Called when the run has begun.
   * @param state returns the state of the run, which is complete while only questions are open
   */
  started?(state: () => RunState): void;
  /**
   * Called synchronously when a step has started (`running`) or ended.
   * @param reason the reason of a failed step
   */
  stepChanged?(
    step: WorkflowStep,
    state: Readonly<StepState>,
    reason: FailureReason | undefined,
    detail: StepDetail,
  ): void;
  /** The time in milliseconds since 1970. */
  now(): number;
  /** Calls a function once after a time. The returned function prevents that. */
  after(milliseconds: number, then: () => void): () => void;
  /** A random number, at least 0 and below 1. */
  random(): number;
  /** Identifies the run in templates. */
  readonly id: string;
}
