/** What the engine needs of the world: calls, questions, time and chance. Tests give their own. */
import type { WorkflowCall } from '#schemas';

/** Of a call, as MCP has it. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly [member: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** What a person answered. */
export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: unknown;
}

export interface WorkflowHost {
  /** @param step the id of the step that calls. A rejection is a failure of the step. */
  callTool(
    call: Pick<WorkflowCall, 'backend' | 'tool'>,
    args: Readonly<Record<string, unknown>>,
    step: string,
    signal: AbortSignal,
  ): Promise<ToolResult>;
  elicit(
    message: string,
    schema: { readonly [member: string]: unknown },
    step: string,
    signal: AbortSignal,
  ): Promise<ElicitationAnswer>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after a time; the function that it returns calls it off. */
  after(milliseconds: number, then: () => void): () => void;
  /** From 0 to below 1. */
  random(): number;
  /** Names the run in templates. */
  readonly id: string;
}
