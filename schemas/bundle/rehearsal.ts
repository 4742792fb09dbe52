/**
 * What passes between `lintel test` and `lintel-runtime rehearse`: the question as one JSON document on standard input, since
 * with `live` it carries credentials, and a record for each run as a line of JSON on standard output, in their order.
 */
import type { ListQuery } from './listing.ts';
import type { WorkflowPlan } from './workflow.ts';

export interface RehearsalRequest {
  readonly runs: readonly RehearsalScript[];
  /** Backends that are asked where no answer is written down; none unless given. */
  readonly live?: Pick<ListQuery, 'denial'> & { readonly backends: ListQuery['backends'] };
}

/** One run of a workflow: everything that the world does in it. */
export interface RehearsalScript {
  readonly plan: WorkflowPlan;
  readonly input: { readonly [name: string]: unknown };
  /** The first that fits a call answers it. */
  readonly tools: readonly ScriptedTool[];
  /** By the id of the step that asks. */
  readonly people: { readonly [step: string]: ScriptedPerson };
  /** The client calls the run off after this time. */
  readonly cancelAfterMs?: number;
  /** Keys of `live.backends` by the names of backends in the plan, for tools that may be called there: `<backend>.<tool>`. */
  readonly live?: { readonly [tool: string]: string };
}

/** What a tool answers. */
export interface ScriptedTool {
  readonly backend: string;
  /** The backend's own name of it. */
  readonly tool: string;
  /** Only for calls that have these. */
  readonly arguments?: { readonly [name: string]: unknown };
  /** Calls that it answers; without end when not given. */
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

/** What a person does. */
export interface ScriptedPerson {
  /** `none`: nothing, until the time is over. */
  readonly action: 'accept' | 'decline' | 'cancel' | 'none';
  readonly content?: unknown;
  readonly takesMs: number;
}

/** What a run came to. */
export interface RehearsalRecord {
  readonly status: 'completed' | 'failed';
  readonly output?: unknown;
  /** Why it failed: a sentence for operators. */
  readonly error?: string;
  /** Why it failed, as clients get to know it. */
  readonly failure?: { readonly step?: string | undefined; readonly reason: string } | undefined;
  /** What became of each step, in the order of the plan. */
  readonly outcomes: readonly RehearsedStep[];
  /** Every call, in the order in which they started. */
  readonly calls: readonly RehearsedCall[];
  readonly questions: readonly RehearsedElicitation[];
  /** Every start and end of a step, as they happened. */
  readonly changes: readonly { readonly step: string; readonly status: string; readonly output?: unknown }[];
  /** In virtual time. */
  readonly durationMs: number;
}

export interface RehearsedStep {
  readonly step: string;
  readonly outcome: RehearsedOutcome;
  readonly reason?: string;
  /** For a repeated step: how many of its items had each outcome. */
  readonly items?: { readonly [outcome: string]: number };
}

export type RehearsedOutcome = 'done' | 'skipped' | 'failed' | 'unknown' | 'not_started';

export interface RehearsedCall {
  readonly step: string;
  readonly backend: string;
  readonly tool: string;
  readonly arguments: { readonly [name: string]: unknown };
  /** Which of `tools` answered; `live` for the backend itself, `none` when there is no answer. */
  readonly by: number | 'live' | 'none';
  /** What the backend itself gave. */
  readonly live?: ScriptedTool['answer'];
}

export interface RehearsedElicitation {
  readonly step: string;
  readonly message: string;
  /** False: there is no answer to it. */
  readonly isAnswered: boolean;
}
