/** The conditions and questions that can stop a step of a workflow, read from a plan, which may come from a file. */
import { isObject } from '#schemas';
import type { PlanView } from './plan-view.ts';
import { formatSortedJson } from './sorted-json.ts';

export interface PlannedStep {
  readonly id: string;
  /** The tool as the step names it; null for an elicitation step. */
  readonly reference: string | null;
  /** The condition of the step; null for a step that always runs. */
  readonly condition: string | null;
  /** The elicitation steps that end before this step starts. */
  readonly questions: readonly Question[];
}

export interface Question {
  readonly step: string;
  readonly message: string;
  readonly condition: string | null;
  readonly onDecline: string;
  readonly onCancel: string;
  readonly onError: string;
  /** The results that later steps read if the step is skipped or fails. */
  readonly defaultResults: string | null;
  /** How long the caller may take to answer; null without a limit of its own. */
  readonly timeoutMs: number | null;
}

/** Whether the steps after a question may run although the caller did not agree. */
export function isOptional({
  condition,
  onDecline,
  onCancel,
  onError,
}: Pick<Question, 'condition' | 'onDecline' | 'onCancel' | 'onError'>): boolean {
  return condition !== null || [onDecline, onCancel, onError].includes('continue');
}

type Step = Readonly<Record<string, unknown>>;

/** The steps of a workflow. Undefined when the plan lacks the workflow or its steps, as plans of earlier versions do. */
export function readSteps(plan: PlanView | undefined, workflow: string): readonly PlannedStep[] | undefined {
  const workflows = plan?.workflows;
  const found = Array.isArray(workflows)
    ? workflows.find(value => isObject(value) && value.name === workflow)
    : undefined;
  const steps: unknown = isObject(found) ? found.steps : undefined;
  if (!Array.isArray(steps) || !steps.every(isObject)) return undefined;
  return steps.map((step: Step) => {
    const before = findEarlier(step, steps);
    return {
      id: toText(step.id),
      reference: isObject(step.call) ? toText(step.call.reference) : null,
      condition: toStringOrNull(step.condition),
      questions: steps.filter(entry => before.has(toText(entry.id)) && entry.type === 'elicitation').map(toQuestion),
    };
  });
}

/** The steps that end before this step starts. */
function findEarlier(step: Step, steps: readonly Step[]): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [step];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const id of Array.isArray(next.dependsOn) ? next.dependsOn.map(toText) : []) {
      if (found.has(id)) continue;
      found.add(id);
      waiting.push(...steps.filter(entry => toText(entry.id) === id));
    }
  }
  return found;
}

function toQuestion(step: Step): Question {
  return {
    step: toText(step.id),
    message: toText(step.message),
    condition: toStringOrNull(step.condition),
    onDecline: toText(step.onDecline),
    onCancel: toText(step.onCancel),
    onError: toText(step.onError),
    defaultResults: toStringOrNull(step.defaultResults),
    timeoutMs: typeof step.timeoutMs === 'number' ? step.timeoutMs : null,
  };
}

function toStringOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : toText(value);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : formatSortedJson(value ?? null);
}
