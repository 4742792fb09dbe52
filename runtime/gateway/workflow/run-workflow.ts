/** Runs a workflow, level by level. What it does not know, such as who calls and how, its host does. */
import { type ElicitationStep, MAX_PARALLEL_STEPS, type WorkflowPlan, type WorkflowStep } from '#schemas';
import { type CallOutput, callTool } from './call-tool.ts';
import { withDeadline } from './deadline.ts';
import { forEach } from './for-each.ts';
import type { WorkflowHost } from './host.ts';
import { outputOf } from './output.ts';
import { Places } from './places.ts';
import { holds, render, type StepState, type WorkflowScope } from './scope.ts';
import { messageOf, WorkflowError } from './workflow-error.ts';

export interface WorkflowRun {
  readonly status: 'completed' | 'failed';
  /** Of a run that completed. */
  readonly output: unknown;
  /** Of a run that failed: a sentence for the client. */
  readonly error: string | undefined;
  readonly steps: Readonly<Record<string, StepState>>;
}

/**
 * @param args of the call; defaults of the parameters are filled in, and nothing is checked against them
 * @param signal calls the run off
 */
export async function runWorkflow(
  plan: WorkflowPlan,
  args: Readonly<Record<string, unknown>>,
  host: WorkflowHost,
  signal: AbortSignal = new AbortController().signal,
): Promise<WorkflowRun> {
  const run = new Run(plan, args, host);
  try {
    const output = await withDeadline(host, plan.timeoutMs, 'Workflow execution timeout exceeded', signal, inner =>
      run.execute(inner),
    );
    return { status: 'completed', output, error: undefined, steps: run.steps };
  } catch (error) {
    const message = messageOf(error);
    const isTimeout = message.startsWith('Workflow execution timeout');
    return {
      status: 'failed',
      output: undefined,
      error: isTimeout ? message : `Workflow execution failed: ${message}`,
      steps: run.steps,
    };
  }
}

class Run {
  readonly steps: Readonly<Record<string, StepState>>;
  readonly #plan: WorkflowPlan;
  readonly #host: WorkflowHost;
  readonly #params: Readonly<Record<string, unknown>>;
  readonly #places = new Places(MAX_PARALLEL_STEPS);
  readonly #startedAt: number;
  #last: unknown = null;
  /** An answer asked for no more steps. */
  #isOver = false;

  constructor(plan: WorkflowPlan, args: Readonly<Record<string, unknown>>, host: WorkflowHost) {
    this.#plan = plan;
    this.#host = host;
    this.#params = { ...defaultsOf(plan.parameters), ...args };
    this.#startedAt = host.now();
    this.steps = Object.fromEntries(
      plan.levels.flat().map(({ id }) => [id, { status: 'pending', output: null, content: [], error: '' }]),
    );
  }

  async execute(signal: AbortSignal): Promise<unknown> {
    for (const level of this.#plan.levels) await this.#runLevel(level, signal);
    const { output } = this.#plan;
    return output === null ? this.#last : outputOf(output, this.#scope('completed'));
  }

  /** The first step that fails for good calls off those beside it. */
  async #runLevel(level: readonly WorkflowStep[], outer: AbortSignal): Promise<void> {
    const controller = new AbortController();
    const stop = () => controller.abort(outer.reason);
    outer.addEventListener('abort', stop, { once: true });
    try {
      await Promise.all(
        level.map(step =>
          this.#runStep(step, controller.signal).catch(error => {
            controller.abort(error);
            throw error;
          }),
        ),
      );
    } finally {
      outer.removeEventListener('abort', stop);
    }
  }

  /** @throws WorkflowError when its failure ends the workflow */
  async #runStep(step: WorkflowStep, signal: AbortSignal): Promise<void> {
    const state = this.steps[step.id] as StepState;
    const finish = (status: StepState['status'], output: unknown) => {
      state.status = status;
      state.output = output;
      if (status === 'completed') this.#last = output;
    };
    if (this.#isOver) return finish('skipped', step.defaultResults ?? null);
    try {
      if (!holds(step.condition, this.#scope('running'))) return finish('skipped', step.defaultResults ?? null);
      state.status = 'running';
      const message = `step "${step.id}" took longer than ${step.timeoutMs} ms`;
      // A repeated step takes a place for each item, not for itself: it would wait for itself.
      const inTime = () =>
        withDeadline(this.#host, step.timeoutMs, message, signal, inner => this.#perform(step, inner));
      const { output, content } = await (step.type === 'forEach' ? inTime() : this.#places.take(inTime));
      state.content = content;
      finish('completed', output);
    } catch (error) {
      state.error = messageOf(error);
      finish('failed', step.defaultResults ?? null);
      if (step.onError.action === 'continue' && !signal.aborted) return;
      throw signal.aborted ? signal.reason : new WorkflowError(`step "${step.id}": ${state.error}`);
    }
  }

  #perform(step: WorkflowStep, signal: AbortSignal): Promise<CallOutput> {
    const scope = this.#scope('running');
    switch (step.type) {
      case 'tool':
        return callTool(step.call, step.onError, scope, step.id, this.#host, signal);
      case 'forEach':
        return forEach(step, scope, this.#host, this.#places, signal);
      case 'elicitation':
        return this.#ask(step, scope, signal);
    }
  }

  async #ask(step: ElicitationStep, scope: WorkflowScope, signal: AbortSignal): Promise<CallOutput> {
    const message = render(step.message, scope, 'the message');
    const { action, content } = await this.#host.elicit(message, step.schema, step.id, signal);
    if (action === 'accept') return { output: { action, content }, content: [] };
    const policy = action === 'decline' ? step.onDecline : step.onCancel;
    if (policy === 'abort')
      throw new WorkflowError(action === 'decline' ? 'the person declined' : 'the person cancelled');
    if (policy === 'continue') return { output: { action }, content: [] };
    this.#isOver = true;
    return { output: { action, skipped: true }, content: [] };
  }

  #scope(status: 'running' | 'completed'): WorkflowScope {
    const startedAt = this.#startedAt;
    return {
      params: this.#params,
      steps: this.steps,
      vars: {},
      workflow: {
        id: this.#host.id,
        duration_ms: this.#host.now() - startedAt,
        step_count: Object.keys(this.steps).length,
        status,
        start_time: new Date(startedAt).toISOString(),
      },
    };
  }
}

/** Of the properties of a JSON Schema. */
function defaultsOf({ properties }: WorkflowPlan['parameters']): Record<string, unknown> {
  if (typeof properties !== 'object' || properties === null) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      typeof schema === 'object' && schema !== null && 'default' in schema ? [[name, schema.default]] : [],
    ),
  );
}
