/**
 * The messages between `lintel test` and `lintel-runtime rehearse`. The request is one JSON document on standard input, because with `live` it
 * carries credentials. Standard output gets a line of JSON for each run, in order.
 */
import type { ListQuery } from './listing.ts';
import type { WorkflowPlan } from './workflow.ts';

export interface RehearsalRequest {
  readonly runs: readonly RehearsalScript[];
  /** Real backends, which answer calls without a scripted answer; optional. */
  readonly live?: Pick<ListQuery, 'denial'> & { readonly backends: ListQuery['backends'] };
}

/** The script of one run of a workflow: the answers of its tools and persons. */
export interface RehearsalScript {
  readonly plan: WorkflowPlan;
  readonly input: { readonly [name: string]: unknown };
  /** The first entry that matches a call answers it. */
  readonly tools: readonly ScriptedTool[];
  /** Scripted answers of the user, by the id of the elicitation step. */
  readonly people: { readonly [step: string]: ScriptedPerson };
  /** The client cancels the run after this time. */
  readonly cancelAfterMs?: number;
  /** Keys of `live.backends` by the names of backends in the plan, for tools that may be called at a real backend: `<backend>.<tool>`. */
  readonly live?: { readonly [tool: string]: string };
}

/** A scripted answer of one tool. */
export interface ScriptedTool {
  readonly backend: string;
  /** The tool by the backend's own name. */
  readonly tool: string;
  /** The entry applies only to calls with these arguments. */
  readonly arguments?: { readonly [name: string]: unknown };
  /** The number of calls that the entry answers; unlimited if omitted. */
  readonly times?: number;
  readonly takesMs: number;
  readonly answer: { readonly result: ScriptedResult } | { readonly callFailed: string };
}

/** The result of a call, as MCP defines it. */
export interface ScriptedResult {
  readonly content?: readonly { readonly type: string; readonly [member: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** The scripted answer of a user to one elicitation. */
export interface ScriptedPerson {
  /** `none`: no answer until the time limit. */
  readonly action: 'accept' | 'decline' | 'cancel' | 'none';
  readonly content?: unknown;
  readonly takesMs: number;
}

/** The result of one run of a workflow. */
export interface RehearsalRecord {
  readonly status: 'completed' | 'failed';
  readonly output?: unknown;
  /** Why the run failed: a sentence for operators. */
  readonly error?: string;
  /** Why the run failed, as clients see it. */
  readonly failure?: { readonly step?: string | undefined; readonly reason: string } | undefined;
  /** The outcome of each step, in the order of the plan. */
  readonly outcomes: readonly RehearsedStep[];
  /** Every call, in the order in which they started. */
  readonly calls: readonly RehearsedCall[];
  readonly questions: readonly RehearsedElicitation[];
  /** Every start and end of a step, in the order of time. */
  readonly changes: readonly { readonly step: string; readonly status: string; readonly output?: unknown }[];
  /** How long the run took in virtual time; milliseconds. */
  readonly durationMs: number;
}

export interface RehearsedStep {
  readonly step: string;
  readonly outcome: RehearsedOutcome;
  readonly reason?: string;
  /** For a forEach step: how many of its items had each outcome. */
  readonly items?: { readonly [outcome: string]: number };
}

export type RehearsedOutcome = 'done' | 'skipped' | 'failed' | 'unknown' | 'not_started';

export interface RehearsedCall {
  readonly step: string;
  readonly backend: string;
  readonly tool: string;
  readonly arguments: { readonly [name: string]: unknown };
  /** The index in `tools` of the entry that answered; `live` for a real backend, `none` when there was no answer. */
  readonly by: number | 'live' | 'none';
  /** The response of a real backend. */
  readonly live?: ScriptedTool['answer'];
}

export interface RehearsedElicitation {
  readonly step: string;
  readonly message: string;
  /** False when the script has no answer for the question. */
  readonly isAnswered: boolean;
}
