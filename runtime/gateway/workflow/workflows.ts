/** The running and waiting workflows: their limits, their counts, and the results of calls. */
import { randomUUID } from 'node:crypto';
import type { ElicitationStep, WorkflowPlan, WorkflowStep } from '#schemas';
import type { ObservedRun } from '../../mcp/handler.ts';
import type { RequestRecord } from '../../mcp/request-record.ts';
import { readRequestTraceContext } from '../../mcp/trace-context.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';
import type { Logger } from '../../observe/log.ts';
import { Histogram } from '../../observe/metrics/histogram.ts';
import type { BackendConnection } from '../connections/connection.ts';
import type { ServedWorkflow } from '../routing/served-workflows.ts';
import { toWireError } from '../routing/to-wire-error.ts';
import { readArguments } from './arguments.ts';
import { AuditTrail } from './audit-trail.ts';
import type { WorkflowClient } from './client.ts';
import { Abort } from './engine/abort.ts';
import type { FailureReason, RunState, StepState, WorkflowFailure, WorkflowRun } from './engine/index.ts';
import { WorkflowError } from './engine/workflow-error.ts';
import { findCertainElicitation } from './questions.ts';
import { formatFailure, formatOutput } from './results.ts';
import { GatewayRun, type SuspendedRun } from './run.ts';
import { WaitingRuns } from './waiting-runs.ts';

/** Maximum numbers of running workflows: of all callers together, and of one caller, or of one address if callers are anonymous. */
export const MAX_RUNNING = 2_000;
export const MAX_RUNNING_OF_ONE = 1_000;

/** The error that stops a run which has not failed: it is paused until its client answers. */
export const AT_REST: WorkflowError = new WorkflowError('the run waits for its client', 'at_rest');

/**
 * The engine is loaded with the first run, because gateways without workflows do not need it. An `import()` of a loaded module costs as much as a
 * step.
 */
let engine: typeof import('./engine/index.ts') | undefined;

/** The outcomes of the runs of one workflow. */
export interface WorkflowCounts {
  executions: number;
  errors: number;
  readonly seconds: Histogram;
}

interface RunningWorkflow {
  readonly workflow: string;
  readonly share: string;
  readonly controller: Abort;
  readonly startedAt: number;
  /** The ids of steps that wait for a person. */
  readonly asking: Set<string>;
}

export interface WorkflowCall {
  readonly workflow: ServedWorkflow;
  readonly client: WorkflowClient;
  /** The gateway's current connections. */
  readonly connections: ReadonlyMap<string, BackendConnection>;
  /** The state of a paused run that continues, and the client's answers. */
  readonly rest?: Pick<SuspendedRun, 'state' | 'askedCalls'> & { readonly answers: ReadonlyMap<string, unknown> };
  /** Reports that the run waits for its client, which gets the questions with the response to its request. */
  readonly onRest?: (rest: SuspendedRun) => Promise<void>;
}

export interface RunInfo {
  readonly id: string;
  readonly call: WorkflowCall;
  /** When the run started, in milliseconds of the monotonic clock. */
  readonly startedAt: number;
}

/** Where the end of a run is recorded, besides the metrics and the log. */
interface RunRecords {
  readonly trail: AuditTrail | undefined;
  readonly observed: ObservedRun | undefined;
}

export class Workflows {
  readonly #log: Logger;
  readonly #running = new Set<RunningWorkflow>();
  /** Runs whose clients are away. */
  readonly waiting: WaitingRuns = new WaitingRuns();
  readonly counts: Map<string, WorkflowCounts> = new Map();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** The numbers of running workflows, and of those that wait for a person, by the names of the workflows. */
  get figures(): ReadonlyMap<string, { readonly running: number; readonly asking: number }> {
    const figures = new Map<string, { running: number; asking: number }>();
    for (const { workflow, asking } of this.#running) {
      const known = figures.get(workflow) ?? { running: 0, asking: 0 };
      known.running += 1;
      known.asking += Number(asking.size > 0);
      figures.set(workflow, known);
    }
    return figures;
  }

  /** Ends the running workflows. */
  close(): void {
    const reason = new WorkflowError('the gateway ends', 'stopped');
    for (const { controller } of this.#running) controller.abort(reason);
    this.waiting.close();
  }

  /**
   * Runs a workflow and answers its client. Resolves when the client has its answer, or when the client has disconnected and no step is running any
   * more.
   * @throws WireError at once for a call that may not begin
   */
  run(call: WorkflowCall): Promise<void> {
    const { workflow, client, rest } = call;
    const { share } = client;
    if (this.#running.size >= MAX_RUNNING || this.#countRunning(share) >= MAX_RUNNING_OF_ONE)
      throw new WireError(WIRE_CODE.internalError, 'too many workflows run; try again later', {
        httpStatus: 503,
        data: { reason: 'busy' },
      });
    const args = rest?.state.args ?? readArguments(client.envelope, workflow.plan.parameters);
    return this.#run(call, args);
  }

  async #run(call: WorkflowCall, args: Readonly<Record<string, unknown>>): Promise<void> {
    const { workflow, client, connections, rest } = call;
    const { answer } = client;
    const { name, plan } = workflow;
    const id = rest?.state.id ?? randomUUID();
    const controller = new Abort();
    const running: RunningWorkflow = {
      workflow: name,
      share: client.share,
      controller,
      startedAt: performance.now(),
      asking: new Set(),
    };
    const observed = answer.runs?.({ id, workflow: name, trace: readRequestTraceContext(client.envelope) });
    const info: RunInfo = { id, call, startedAt: running.startedAt };
    const trail = client.record && new AuditTrail(client.record, id, plan);
    // A run that continues has done steps: if it has a further question, that step fails.
    const question = client.canAsk || rest !== undefined ? undefined : findCertainElicitation(plan);
    if (question !== undefined) {
      const refused = createRefusedRun(plan, question);
      trail?.started();
      this.#end(info, refused, 0, { trail, observed });
      answer.result(formatFailure(plan, refused.failure, refused.outcomes, id, client.common));
      return;
    }
    this.#running.add(running);
    const backendConnections = workflow.backends.flatMap(backend => connections.get(backend) ?? []);
    const releases = backendConnections.map(connection => connection.hold());
    answer.onAbort(() => controller.abort(new WorkflowError('the client has disconnected', 'stopped')));
    let atRest: SuspendedRun | undefined;
    const host = new GatewayRun({
      id,
      workflow,
      client,
      connections,
      ...(rest === undefined ? {} : { answers: rest.answers, askedCalls: rest.askedCalls }),
      observer: {
        stepChanged: (step, state, reason, detail) => {
          if (step.type === 'elicitation') {
            if (state.status === 'running') running.asking.add(step.id);
            else running.asking.delete(step.id);
          }
          if (controller.reason === AT_REST) return;
          trail?.stepChanged(step, state, reason, detail);
          if (observed !== undefined) noteStep(observed, step, state, reason);
        },
        call: (step, tool, stepAnswer) => observed?.call(step, tool, stepAnswer) ?? stepAnswer,
      },
      onRest: found => {
        atRest = found;
        controller.abort(AT_REST);
      },
    });
    if (rest === undefined) trail?.started();
    try {
      engine ??= await import('./engine/index.ts');
      const outcome = await engine.runWorkflow(plan, args, host, controller, rest?.state);
      if (atRest !== undefined && outcome.failure?.reason === AT_REST.reason) {
        observed?.ended('waiting', '');
        await call.onRest?.(atRest);
        return;
      }
      // A run that continues may have begun at another replica: its duration is only known by the time of day.
      const seconds = rest === undefined ? computeSeconds(running) : (Date.now() - rest.state.startedAt) / 1_000;
      this.#end(info, outcome, seconds, { trail, observed });
      if (answer.aborted) return;
      answer.result(
        outcome.failure === undefined
          ? formatOutput(outcome.output, client.common)
          : formatFailure(plan, outcome.failure, outcome.outcomes, id, client.common),
      );
    } catch (error) {
      this.#log.error(
        { err: error, workflow: name, run: id },
        'a workflow ended because of an internal error of the gateway',
      );
      observed?.ended('failed', 'internal');
      if (!answer.aborted) answer.error(toWireError(error));
    } finally {
      this.#running.delete(running);
      for (const release of releases) release();
    }
  }

  /**
   * Returns a function that records the end of a run whose client has not returned: it is prepared now, because the client's request will no longer
   * exist at that time.
   */
  recordExpiry(
    { name, plan }: ServedWorkflow,
    { id, startedAt }: RunState,
    record: RequestRecord | undefined,
  ): () => void {
    const trail = record && new AuditTrail(record.afterwards, id, plan);
    return () => {
      const durationMs = Date.now() - startedAt;
      this.#countRun(name, durationMs / 1_000, true);
      trail?.expired(durationMs);
      this.#log.info({ workflow: name, run: id, reason: 'expired' }, 'a workflow ended: its client has not come back');
    };
  }

  /** Counts and records the end of a run. */
  #end(info: RunInfo, run: WorkflowRun, seconds: number, { trail, observed }: RunRecords): void {
    this.#countRun(info.call.workflow.name, seconds, run.status === 'failed');
    trail?.ended(run, Math.round(seconds * 1_000_000) / 1_000);
    observed?.ended(run.status, run.failure?.reason ?? '');
    if (run.failure !== undefined) this.#logFailure(info, run);
  }

  #logFailure({ id, call }: RunInfo, { failure, error }: WorkflowRun): void {
    const { name, plan } = call.workflow;
    const step = plan.steps.find(value => value.id === failure?.step);
    const tool = step === undefined || step.type === 'elicitation' ? undefined : step.call;
    const fields = { workflow: name, run: id, step: failure?.step, reason: failure?.reason };
    this.#log.info({ ...fields, backend: tool?.backend, tool: tool?.tool }, 'a workflow failed');
    // Logged only for debugging, because the text may contain answers of tools and people.
    this.#log.debug({ ...fields, detail: error }, 'why a workflow failed');
  }

  #countRun(name: string, seconds: number, isError: boolean): void {
    const counts = this.counts.get(name) ?? { executions: 0, errors: 0, seconds: new Histogram(DURATION_BOUNDS) };
    this.counts.set(name, counts);
    counts.executions += 1;
    counts.errors += Number(isError);
    counts.seconds.observe(seconds);
  }

  #countRunning(share: string): number {
    let count = 0;
    for (const running of this.#running) count += Number(running.share === share);
    return count;
  }
}

/** A run that fails before its first step, because its client cannot show a question that is certain to come. */
function createRefusedRun(
  { steps }: WorkflowPlan,
  { id }: ElicitationStep,
): WorkflowRun & { readonly failure: WorkflowFailure } {
  return {
    status: 'failed',
    output: undefined,
    error: undefined,
    failure: { step: id, reason: 'cannot_ask' },
    steps: {},
    outcomes: steps.map(step => ({ step: step.id, outcome: 'not_started' })),
  };
}

function noteStep(
  observed: ObservedRun,
  { id, type }: WorkflowStep,
  { status }: Readonly<StepState>,
  reason: FailureReason | undefined,
): void {
  if (status === 'running') observed.stepStarted(id, type);
  else if (status !== 'pending') observed.stepEnded(id, type, status, reason ?? '');
}

function computeSeconds({ startedAt }: RunningWorkflow): number {
  return (performance.now() - startedAt) / 1_000;
}

/** The bounds of durations are those of calls, and longer ones, because people may take minutes. */
const DURATION_BOUNDS: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 1_800];
