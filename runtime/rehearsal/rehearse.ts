/** Runs a workflow with its own engine, in virtual time, and takes down what it does. */
import type { ElicitationStep, RehearsedCall, WorkflowCall, WorkflowPlan } from '#schemas';
import type { AbortSource } from '#util';
import {
  type ElicitationResult,
  runWorkflow,
  type StepState,
  type ToolResult,
  type WorkflowHost,
  type WorkflowRun,
} from '../gateway/workflow/engine/index.ts';
import { VirtualTime } from './virtual-time.ts';

/** What the world does in a run. Both may let virtual time pass, or let it stand still. */
export interface Actors {
  /** @throws an error, which is a failure of the call */
  call(call: ActorCall, time: VirtualTime): Promise<ToolResult>;
  /** As `call`. */
  answer(question: ActorElicitation, time: VirtualTime): Promise<ElicitationResult>;
}

export interface ActorCall {
  readonly step: string;
  readonly backend: string;
  readonly tool: string;
  readonly arguments: RehearsedCall['arguments'];
  /** Nothing waits for the answer any longer. */
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
  /** Every start and end of a step, as they happened. */
  readonly changes: readonly StepChange[];
  /** In virtual time. */
  readonly durationMs: number;
}

export interface StepChange {
  readonly step: string;
  readonly status: StepState['status'];
  readonly output: unknown;
}

export interface RehearsalSettings {
  /** The client calls the run off after this virtual time. */
  readonly cancelAfterMs?: number | undefined;
  /** The random part of delays, from 0 to below 1. Default: the middle, so that delays are what the spec says. */
  readonly random?: () => number;
}

/** The same in every run, so that what templates make of it is the same. */
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
