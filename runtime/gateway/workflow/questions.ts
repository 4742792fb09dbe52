/** Workflows' questions to people: params of `elicitation/create`, and valid answers. */
import type { ElicitationStep, WorkflowPlan } from '#schemas';
import type { ElicitationResult } from './engine/index.ts';
import { WorkflowError } from './engine/workflow-error.ts';

/** Limits on a person's answer: its length in characters, and its depth. */
const MAX_ANSWER_LENGTH = 1024 * 1024;
const MAX_ANSWER_DEPTH = 10;

/**
 * The key with which a client without a session answers a step. A slash separates it from the name of a tool's question, and ids may contain
 * slashes, which are escaped as in a JSON pointer.
 */
export function formatQuestionKey(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The params of an `elicitation/create` as JSON text. */
export function formatElicitationParams(message: string, requestedSchema: ElicitationStep['schema']): string {
  return JSON.stringify({ message, requestedSchema });
}

/**
 * The result of an `elicitation/create`.
 * @throws WorkflowError for an invalid or too large one
 */
export function parseElicitationResult(result: unknown): ElicitationResult {
  const { action, content } = (result ?? {}) as { action?: unknown; content?: unknown };
  if (action !== 'accept') {
    if (action === 'decline' || action === 'cancel') return { action };
    throw createUnusableError('it has no action');
  }
  const answered = content ?? {};
  if (typeof answered !== 'object' || Array.isArray(answered))
    throw createUnusableError('its content is not an object');
  if (JSON.stringify(answered).length > MAX_ANSWER_LENGTH) throw createUnusableError('it is too long');
  if (isDeeper(answered, MAX_ANSWER_DEPTH)) throw createUnusableError('it is nested too deep');
  return { action, content: answered };
}

function createUnusableError(why: string): WorkflowError {
  return new WorkflowError(`the answer of the person cannot be used: ${why}`, 'invalid_answer');
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some(member => isDeeper(member, levels - 1));
}

/**
 * The result of a step for a client that does not support questions: as if the person had dismissed or declined the question, if that does not abort
 * the workflow; otherwise undefined.
 */
export function chooseDefaultResult({ onCancel, onDecline }: ElicitationStep): ElicitationResult | undefined {
  if (onCancel !== 'abort') return { action: 'cancel' };
  return onDecline === 'abort' ? undefined : { action: 'decline' };
}

/** Whether a client that does not support questions ends the run without an error at this step. */
function isSkippingForMute(step: ElicitationStep): boolean {
  const answer = chooseDefaultResult(step);
  return answer !== undefined && (answer.action === 'cancel' ? step.onCancel : step.onDecline) === 'skip_remaining';
}

/**
 * The first step that certainly sends a question, and fails the run if the client does not support questions. A question that may skip the remaining
 * steps makes other questions uncertain, except those on which it depends: they come before it.
 */
export function findCertainElicitation({ steps }: WorkflowPlan): ElicitationStep | undefined {
  const asking = steps.filter(step => step.type === 'elicitation');
  const skipping = asking.filter(isSkippingForMute);
  return asking.find(step => {
    if (step.condition !== null || step.onError.action === 'continue' || chooseDefaultResult(step) !== undefined)
      return false;
    const later = collectLater(steps, step.id);
    return skipping.every(({ id }) => later.has(id));
  });
}

/** The step and all steps that run after it because they depend on it. A plan lists steps after those on which they depend. */
function collectLater(steps: WorkflowPlan['steps'], id: string): ReadonlySet<string> {
  const later = new Set([id]);
  for (const step of steps) if (step.dependsOn.some(before => later.has(before))) later.add(step.id);
  return later;
}
