/** Converts a run to its test's expectation. */
import type { RehearsalRecord, WorkflowExpectation } from '#schemas';
import type { PlannedTest } from '../planned-test.ts';
import { formatToolName } from './tool-name.ts';

/**
 * The output or failure of a run, and its calls. If calls may run in parallel their order is not significant, so they are left out. Undefined
 * for a run without a needed answer, because it took another path.
 */
export function recordExpectation({ workflow }: PlannedTest, record: RehearsalRecord): WorkflowExpectation | undefined {
  const { status, output, failure, calls, questions } = record;
  if (calls.some(({ by }) => by === 'none') || questions.some(({ isAnswered }) => !isAnswered)) return undefined;
  const end =
    status === 'completed'
      ? { output }
      : { failure: { ...(failure?.step === undefined ? {} : { step: failure.step }), reason: failure?.reason } };
  const made = calls.map(call => ({ tool: formatToolName(workflow, call), arguments: call.arguments }));
  return { ...end, ...(isInOrder(record) ? { calls: made } : {}) } as WorkflowExpectation;
}

function isInOrder({ changes, outcomes }: RehearsalRecord): boolean {
  const hasItems = outcomes.some(({ items = {} }) => Object.values(items).reduce((sum, count) => sum + count, 0) > 1);
  if (hasItems) return false;
  const running = new Set<string>();
  for (const { step, status } of changes) {
    if (status === 'running') running.add(step);
    else running.delete(step);
    if (running.size > 1) return false;
  }
  return true;
}
