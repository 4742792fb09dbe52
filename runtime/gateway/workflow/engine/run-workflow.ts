/** Runs a workflow, each step as soon as its dependencies permit. Its host makes the calls. */
import pLimit from 'p-limit';
import {
  type ElicitationStep,
  type ForEachStep,
  MAX_PARALLEL_STEPS,
  type ToolStep,
  type WorkflowPlan,
  type WorkflowStep,
} from '#schemas';
import type { AbortSource } from '#shared/util';
import { Abort, ChildAbort } from './abort.ts';
import { type Attempts, type CallOutput, callTool } from './call-tool.ts';
import { untilAborted, withDeadline } from './deadline.ts';
import { runForEach } from './for-each.ts';
import type { ElicitationResult, WorkflowHost } from './host.ts';
import { Journal, type StepOutcome } from './journal.ts';
import { evaluateOutput } from './output.ts';
import { preparePlan } from './prepare-plan.ts';
import { holds, render, type StepState, type WorkflowScope } from './scope.ts';
import { describeError, type FailureReason, OutputError, toFailureReason, WorkflowError } from './workflow-error.ts';

export interface WorkflowRun {
  readonly status: 'completed' | 'failed';
  /** The output of a run that completed. */
  readonly output: unknown;
  /** Why a run failed: a sentence for operators, which may contain rendered templates and answers of tools. */
  readonly error: string | undefined;
  /** Why a run failed, in the form for clients. */
  readonly failure: WorkflowFailure | undefined;
  readonly steps: Readonly<Record<string, StepState>>;
  /** The outcomes of all steps, in the order of the plan. */
  readonly outcomes: readonly StepOutcome[];
}

export interface WorkflowFailure {
  /** The step whose failure ended the run. Undefined when the time limit of the run, the output, or the caller ended it. */
  readonly step: string | undefined;
  readonly reason: FailureReason;
  /** The property of the output that has no valid value. */
  readonly output?: string;
}

/** A paused run: only questions are open. Plain data, from which the run can continue elsewhere. */
export interface RunState {
  readonly id: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** When the run started; milliseconds since 1970. */
  readonly startedAt: number;
  /** The states of the steps that have ended, by step. */
  readonly steps: Readonly<Record<string, StepState>>;
  readonly outcomes: readonly StepOutcome[];
  /** The output of the step that ended last. */
  readonly last: unknown;
  /** Whether a person's answer ended the steps. */
  readonly isOver: boolean;
  /** The steps that wait for an answer, each with the time when it started to wait (milliseconds since 1970). */
  readonly asked: Readonly<Record<string, number>>;
  /** The number of failed attempts, by step. */
  readonly attempts: Readonly<Record<string, number>>;
}

/**
 * Runs a workflow, or continues a paused run.
 * @param args the call's arguments; defaults of the parameters are added, and nothing is validated
 * @param signal cancels the run
 * @param rest the state of a paused run, which then continues: steps that have ended do not run again, and open questions are sent again
 */
export async function runWorkflow(
  plan: WorkflowPlan,
  args: Readonly<Record<string, unknown>>,
  host: WorkflowHost,
  signal: AbortSource = new Abort(),
  rest?: RunState,
): Promise<WorkflowRun> {
  const run = new Run(plan, args, host, rest);
  host.started?.(() => run.state);
  const leftMs = Math.max(0, plan.timeoutMs - (host.now() - run.startedAt));
  try {
    const output = await withDeadline(host, leftMs, TIMED_OUT, signal, inner => run.execute(inner));
    return {
      status: 'completed',
      output,
      error: undefined,
      failure: undefined,
      steps: run.steps,
      outcomes: run.outcomes,
    };
  } catch (error) {
    // The running steps have been stopped: their outcomes are known only when they have ended.
    await run.ended;
    const message = describeError(error);
    return {
      status: 'failed',
      output: undefined,
      error: message === TIMED_OUT ? message : `Workflow execution failed: ${message}`,
      failure: {
        step: error instanceof StepFailure ? error.step : undefined,
        reason: toFailureReason(error),
        ...(error instanceof OutputError && { output: error.property }),
      },
      steps: run.steps,
      outcomes: run.outcomes,
    };
  }
}

const TIMED_OUT = 'Workflow execution timeout exceeded';

/** A step whose failure ends the workflow. */
class StepFailure extends WorkflowError {
  readonly step: string;

  constructor(step: string, error: unknown) {
    super(`step "${step}": ${describeError(error)}`, toFailureReason(error));
    this.step = step;
  }
}

/** Runs a function when there is room for it. */
type InTurn = <T>(run: () => Promise<T>) => Promise<T>;

const runNow: InTurn = run => run();

class Run {
  readonly steps: Readonly<Record<string, StepState>>;
  readonly #plan: WorkflowPlan;
  readonly #host: WorkflowHost;
  readonly #params: Readonly<Record<string, unknown>>;
  readonly #inTurn: InTurn;
  /** The start time in the form that templates use. */
  readonly #startTime: string;
  readonly startedAt: number;
  #last: unknown = null;
  /** Whether a person's answer ended the steps. */
  #isOver = false;
  /** The time since when each step has been waiting for an answer. */
  readonly #asked: Map<string, number>;
  /** The attempts of the calls of each started step. */
  readonly #attempts: Map<string, Attempts>;
  readonly #journal: Journal;
  #running: Promise<unknown> = Promise.resolve();

  constructor(plan: WorkflowPlan, args: Readonly<Record<string, unknown>>, host: WorkflowHost, rest?: RunState) {
    this.#plan = plan;
    this.#host = host;
    const { defaults, mayWait } = preparePlan(plan);
    this.#params = { ...defaults, ...args };
    this.#inTurn = mayWait ? pLimit(MAX_PARALLEL_STEPS) : runNow;
    this.startedAt = rest?.startedAt ?? host.now();
    this.#startTime = new Date(this.startedAt).toISOString();
    this.#last = rest?.last ?? null;
    this.#isOver = rest?.isOver ?? false;
    this.#asked = new Map(rest && Object.entries(rest.asked));
    this.#attempts = new Map(rest && Object.entries(rest.attempts).map(([id, failed]) => [id, { failed }]));
    const before = new Map(rest && Object.entries(rest.steps));
    this.steps = Object.fromEntries(
      plan.steps.map(({ id }) => [id, before.get(id) ?? { status: 'pending', output: null, content: [], error: '' }]),
    );
    this.#journal = new Journal(
      plan.steps.map(({ id }) => id),
      rest?.outcomes,
    );
  }

  /** The state of the run, which is complete while only questions are open. */
  get state(): RunState {
    const ended = Object.entries(this.steps).filter(([, state]) => hasEnded(state));
    return {
      id: this.#host.id,
      args: this.#params,
      startedAt: this.startedAt,
      steps: Object.fromEntries(ended),
      outcomes: this.outcomes,
      last: this.#last,
      isOver: this.#isOver,
      asked: Object.fromEntries(this.#asked),
      attempts: Object.fromEntries(
        [...this.#attempts].flatMap(([id, { failed }]) => (failed > 0 ? [[id, failed]] : [])),
      ),
    };
  }

  get outcomes(): readonly StepOutcome[] {
    return this.#journal.outcomes;
  }

  /** Resolves when no step is running any more. */
  get ended(): Promise<unknown> {
    return this.#running;
  }

  async execute(signal: AbortSource): Promise<unknown> {
    await this.#runSteps(signal);
    const { output } = this.#plan;
    return output === null ? this.#last : evaluateOutput(output, this.#createScope('completed'));
  }

  /** Runs the steps. The first step with a final failure cancels the running steps, and no other step starts. */
  async #runSteps(outer: AbortSource): Promise<void> {
    const inner = new ChildAbort(outer);
    const ends = new Map<string, Promise<void>>();
    for (const step of this.#plan.steps) {
      const before = step.dependsOn.map(id => ends.get(id));
      if (hasEnded(this.steps[step.id])) continue;
      const end = (before.length === 0 ? this.#runStep(step, inner) : this.#runBehind(before, step, inner)).catch(
        error => inner.abort(error),
      );
      ends.set(step.id, end);
    }
    this.#running = Promise.all(ends.values());
    await this.#running;
    inner.detach();
    if (inner.aborted) throw inner.reason;
  }

  async #runBehind(
    before: readonly (Promise<void> | undefined)[],
    step: WorkflowStep,
    signal: AbortSource,
  ): Promise<void> {
    await Promise.all(before);
    await this.#runStep(step, signal);
  }

  /**
   * Runs a step.
   * @throws StepFailure when the step's failure ends the workflow
   */
  async #runStep(step: WorkflowStep, signal: AbortSource): Promise<void> {
    if (signal.aborted) return;
    if (this.#isOver) return this.#skip(step);
    try {
      const isAsked = this.#asked.has(step.id);
      if (!isAsked && !this.#holds(step.condition)) return this.#skip(step, true);
      const done = await this.#inTurn(() =>
        this.#isOver && !isAsked ? Promise.resolve(undefined) : this.#runInTime(step, signal),
      );
      if (done === undefined) return this.#skip(step);
      const { output, content } = done;
      (this.steps[step.id] as StepState).content = content;
      this.#journal.done(step.id);
      this.#change(step, 'completed', output);
      this.#last = output;
    } catch (error) {
      if (this.steps[step.id]?.status === 'pending' && signal.aborted) return;
      (this.steps[step.id] as StepState).error = describeError(error);
      this.#journal.failed(step.id, error, signal.aborted || toFailureReason(error) === 'timeout');
      this.#change(step, 'failed', step.defaultResults ?? null, { reason: toFailureReason(error) });
      if (step.onError.action === 'continue' && !signal.aborted) return;
      throw signal.aborted ? signal.reason : new StepFailure(step.id, error);
    }
  }

  #holds(condition: WorkflowStep['condition']): boolean {
    return condition === null || holds(condition, this.#createScope('running'));
  }

  #skip(step: WorkflowStep, isConditionFalse = false): void {
    this.#journal.skipped(step.id);
    this.#change(step, 'skipped', step.defaultResults ?? null, { isConditionFalse });
  }

  #change(
    step: WorkflowStep,
    status: StepState['status'],
    output: unknown,
    { reason, isConditionFalse = false }: { readonly reason?: FailureReason; readonly isConditionFalse?: boolean } = {},
  ): void {
    const state = this.steps[step.id] as StepState;
    state.status = status;
    state.output = output;
    const retries = this.#attempts.get(step.id)?.failed ?? 0;
    this.#host.stepChanged?.(step, state, reason, { retries, isConditionFalse });
  }

  async #runInTime(step: WorkflowStep, signal: AbortSource): Promise<CallOutput> {
    if (signal.aborted) throw signal.reason;
    this.#journal.started(step.id);
    this.#change(step, 'running', null);
    // A person who does not answer does not fail the step.
    if (step.type === 'elicitation') return this.#ask(step, this.#createScope('running'), signal);
    const message = `step "${step.id}" took longer than ${step.timeoutMs} ms`;
    return withDeadline(this.#host, step.timeoutMs, message, signal, inner => this.#perform(step, inner));
  }

  #perform(step: ToolStep | ForEachStep, signal: AbortSource): Promise<CallOutput> {
    const scope = this.#createScope('running');
    const attempts = this.#attempts.get(step.id) ?? { failed: 0 };
    this.#attempts.set(step.id, attempts);
    if (step.type === 'forEach') return runForEach(step, scope, this.#host, this.#journal, signal, attempts);
    return callTool(step.call, step.onError, scope, step.id, this.#host, signal, attempts);
  }

  async #ask(step: ElicitationStep, scope: WorkflowScope, signal: AbortSource): Promise<CallOutput> {
    const message = render(step.message, scope, 'the message');
    const { action, content } = await this.#answerTo(message, step, signal);
    if (action === 'accept') return { output: { action, content }, content: [] };
    const policy = action === 'decline' ? step.onDecline : step.onCancel;
    if (policy === 'abort')
      throw action === 'decline'
        ? new WorkflowError('the person declined', 'declined')
        : new WorkflowError('the person cancelled', 'dismissed');
    if (policy === 'continue') return { output: { action }, content: [] };
    this.#isOver = true;
    return { output: { action, skipped: true }, content: [] };
  }

  /** A person's answer to a question. Without an answer in time, the question counts as dismissed. */
  async #answerTo(
    message: string,
    { id, schema, timeoutMs }: ElicitationStep,
    signal: AbortSource,
  ): Promise<ElicitationResult> {
    const askedAt = this.#asked.get(id) ?? this.#host.now();
    const leftMs = askedAt + timeoutMs - this.#host.now();
    if (leftMs <= 0) return { action: 'cancel' };
    this.#asked.set(id, askedAt);
    try {
      return await withDeadline(this.#host, leftMs, `no person answered step "${id}" in time`, signal, inner =>
        untilAborted(inner, this.#host.elicit(message, schema, id, inner)),
      );
    } catch (error) {
      if (signal.aborted || toFailureReason(error) !== 'timeout') throw error;
      return { action: 'cancel' };
    } finally {
      this.#asked.delete(id);
    }
  }

  #createScope(status: 'running' | 'completed'): WorkflowScope {
    return {
      params: this.#params,
      steps: this.steps,
      vars: {},
      workflow: {
        id: this.#host.id,
        duration_ms: this.#host.now() - this.startedAt,
        step_count: this.#plan.steps.length,
        status,
        start_time: this.#startTime,
      },
    };
  }
}

function hasEnded(state: StepState | undefined): boolean {
  return state !== undefined && state.status !== 'pending' && state.status !== 'running';
}
