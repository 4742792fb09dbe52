/** The audit records of a run: its start, each step, and its end. They contain nothing that templates rendered. */

import { formatTemplateText, type WorkflowPlan, type WorkflowStep } from '#schemas';
import type { WorkflowEvent, WorkflowEvents } from '../../mcp/request-record.ts';
import type { FailureReason, StepDetail, StepState, WorkflowRun } from './engine/index.ts';

type StepEvent = WorkflowEvent['type'];

const EVENT_OF_STATUS: { readonly [S in StepState['status']]: StepEvent | undefined } = {
  pending: undefined,
  running: 'vmcp_workflow_step_started',
  completed: 'vmcp_workflow_step_completed',
  failed: 'vmcp_workflow_step_failed',
  skipped: 'vmcp_workflow_step_skipped',
};

/** Why a run ended: its client has not returned in time. */
const EXPIRED = 'expired';

export class AuditTrail {
  readonly #record: WorkflowEvents;
  readonly #id: string;
  readonly #plan: WorkflowPlan;
  /** The time when each step started, on the monotonic clock; milliseconds. */
  readonly #startedAt = new Map<string, number>();

  constructor(record: WorkflowEvents, id: string, plan: WorkflowPlan) {
    this.#record = record;
    this.#id = id;
    this.#plan = plan;
  }

  started(): void {
    const { steps, timeoutMs } = this.#plan;
    this.#note('vmcp_workflow_started', {}, { step_count: steps.length, timeout_ms: timeoutMs });
  }

  /** @param reason the reason of a failed step */
  stepChanged(
    { id, type, condition, ...step }: WorkflowStep,
    { status }: Readonly<StepState>,
    reason: FailureReason | undefined,
    { retries, isConditionFalse }: StepDetail,
  ): void {
    const event = EVENT_OF_STATUS[status];
    if (event === undefined) return;
    const startedAt = this.#startedAt.get(id);
    if (status === 'running') this.#startedAt.set(id, performance.now());
    const call = 'call' in step ? step.call : undefined;
    const target = { type: 'workflow_step', step_id: id, step_type: type, tool_name: call?.tool };
    const extra = {
      backend_name: call?.backend,
      duration_ms: startedAt === undefined ? undefined : computeDuration(startedAt),
      failure_reason: reason,
      retry_count: status === 'running' || retries === 0 ? undefined : retries,
      // The template, and not what it renders: results of tools are not recorded.
      condition: isConditionFalse && condition !== null ? formatTemplateText(condition) : undefined,
    };
    this.#note(event, target, extra, status === 'failed');
  }

  ended({ failure }: WorkflowRun, durationMs: number): void {
    const isLate = failure?.step === undefined && failure?.reason === 'timeout';
    const type =
      failure === undefined ? 'vmcp_workflow_completed' : isLate ? 'vmcp_workflow_timed_out' : 'vmcp_workflow_failed';
    const extra = { duration_ms: durationMs, failed_step: failure?.step, failure_reason: failure?.reason };
    this.#note(type, {}, extra, failure !== undefined);
  }

  /** Records that the client of a run has not returned in time. */
  expired(durationMs: number): void {
    this.#note('vmcp_workflow_timed_out', {}, { duration_ms: durationMs, failure_reason: EXPIRED }, true);
  }

  #note(type: StepEvent, target: WorkflowEvent['target'], extra: WorkflowEvent['extra'], isFailure = false): void {
    const workflow = { type: 'workflow', name: this.#plan.name, workflow_id: this.#id, workflow_name: this.#plan.name };
    const outcome = isFailure ? 'failure' : 'success';
    this.#record.noted({ type, outcome, target: { ...workflow, ...target }, extra });
  }
}

function computeDuration(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}
