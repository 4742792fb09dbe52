/** Runs a workflow in virtual time with the engine of the gateway, and records its steps and calls. */
import type { ElicitationStep, RehearsedCall, WorkflowCall, WorkflowPlan } from '#schemas';
import type { AbortSource } from '#shared/util';
import {
  type ElicitationResult,
  runWorkflow,
  type StepState,
  type ToolResult,
  type WorkflowHost,
  type WorkflowRun,
} from '../gateway/workflow/engine/index.ts';
import { VirtualTime } from './virtual-time.ts';

/** The tools and people that answer a workflow. Both may let virtual time pass, or stop it while they work. */
export interface Actors {
  /** @throws an error, which the workflow gets as a failure of the call */
  call(call: ActorCall, time: VirtualTime): Promise<ToolResult>;
  /** Answers a question to a person. Throws like `call`. */
  answer(question: ActorElicitation, time: VirtualTime): Promise<ElicitationResult>;
}

export interface ActorCall {
  readonly step: string;
  readonly backend: string;
  readonly tool: string;
  readonly arguments: RehearsedCall['arguments'];
  /** Aborted when the workflow no longer waits for the answer. */
  readonly signal: AbortSource;
}

export interface ActorElicitation {
  readonly step: string;
  readonly message: string;
  readonly schema: ElicitationStep['schema'];
  readonly signal: AbortSource;
}

export interface Rehearsal {
  readonly run: WorkflowRun;
  /** Each start and each end of a step, in the order of their times. */
  readonly changes: readonly StepChange[];
  /** Milliseconds of virtual time. */
  readonly durationMs: number;
}

export interface StepChange {
  readonly step: string;
  readonly status: StepState['status'];
  readonly output: unknown;
}

export interface RehearsalSettings {
  /** Virtual time after which the client cancels the run; milliseconds. */
  readonly cancelAfterMs?: number | undefined;
  /** The random part of delays, from 0 to below 1. By default 0.5, so that each delay is exactly the one in the spec. */
  readonly random?: () => number;
}

/** A fixed start time, so that templates render the same text in every run. */
const START = Date.UTC(2026, 0, 1);

/** @throws Error when the run would never end */
export async function rehearse(
  plan: WorkflowPlan,
  input: Readonly<Record<string, unknown>>,
  actors: Actors,
  { cancelAfterMs, random = () => 0.5 }: RehearsalSettings = {},
): Promise<Rehearsal> {
  const time = new VirtualTime(START);
  const changes: StepChange[] = [];
  const host: WorkflowHost = {
    id: 'rehearsal',
    now: () => time.now(),
    after: (milliseconds, then) => time.after(milliseconds, then),
    random,
    callTool: ({ backend, tool }: Pick<WorkflowCall, 'backend' | 'tool'>, args, step, signal) =>
      actors.call({ step, backend, tool, arguments: args, signal }, time),
    elicit: (message, schema, step, signal) => actors.answer({ step, message, schema, signal }, time),
    stepChanged: ({ id }, { status, output }) => changes.push({ step: id, status, output }),
  };
  const client = new AbortController();
  if (cancelAfterMs !== undefined) time.after(cancelAfterMs, () => client.abort(new Error('the client cancelled')));
  const run = await time.until(runWorkflow(plan, input, host, client.signal));
  return { run, changes, durationMs: time.now() - START };
}
