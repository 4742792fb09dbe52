/** What the engine needs of the world: calls, questions, time and chance. Tests give their own. */
import type { ElicitationStep, WorkflowCall, WorkflowStep } from '#schemas';
import type { AbortSource } from '#util';
import type { RunState } from './run-workflow.ts';
import type { StepState } from './scope.ts';
import type { FailureReason } from './workflow-error.ts';

/** The result of a call, as MCP defines it. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly [member: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** What a person answered. */
export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: unknown;
}

export interface WorkflowHost {
  /**
   * @param step the id of the step that calls
   * @param signal the answer is not waited for any longer
   * @throws an error, which is a failure of the step; clients get to know the reason of a WorkflowError
   */
  callTool(
    call: Pick<WorkflowCall, 'backend' | 'tool'>,
    args: Readonly<Record<string, unknown>>,
    step: string,
    signal: AbortSource,
  ): Promise<ToolResult>;
  /** As `callTool`. */
  elicit(
    message: string,
    schema: ElicitationStep['schema'],
    step: string,
    signal: AbortSource,
  ): Promise<ElicitationResult>;
  /**
   * The run has begun.
   *
   * @param state tells where it is; whole while nothing is under way but questions
   */
  started?(state: () => RunState): void;
  /**
   * A step has started (`running`) or ended. Called in the moment in which it does.
   *
   * @param reason of a step that failed
   */
  stepChanged?(step: WorkflowStep, state: Readonly<StepState>, reason?: FailureReason): void;
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after a time; the function that it returns calls it off. */
  after(milliseconds: number, then: () => void): () => void;
  /** From 0 to below 1. */
  random(): number;
  /** Names the run in templates. */
  readonly id: string;
}
