/** Changes of workflows that let a step do more than before, or that remove something that could stop it. */
import type { Exposure } from '../exposure.ts';
import { type PlannedStep, type Question, readSteps } from '../plan/planned-steps.ts';
import { toBackendHints } from '../report-hints.ts';
import { withAlarm } from './aspect.ts';
import type { Alarm, Aspect, ItemChange } from './difference.ts';
import { mayOpen } from './effect.ts';

interface Side {
  readonly exposure: Exposure;
  readonly workflow: string;
  readonly steps: readonly PlannedStep[];
}

export function withStepAlarms(
  changes: readonly ItemChange[],
  before: Exposure,
  after: Exposure,
): readonly ItemChange[] {
  return changes.map(change => {
    if (change.type !== 'workflow' || change.change !== 'changed') return change;
    const { name: workflow } = change;
    const [old, now] = [readSteps(before.plan, workflow), readSteps(after.plan, workflow)];
    if (old === undefined || now === undefined) return change;
    const found = findAlarms({ exposure: before, workflow, steps: old }, { exposure: after, workflow, steps: now });
    const isAbout = ({ name, effect }: Aspect) => found.length > 0 && name.startsWith('step ') && mayOpen(effect);
    return {
      ...change,
      alarms: [...new Set([...found, ...change.alarms])],
      aspects: change.aspects.map(aspect => withAlarm(aspect, isAbout(aspect) ? found[0] : undefined)),
    };
  });
}

function findAlarms(before: Side, after: Side): readonly Alarm[] {
  const isUnasked = after.steps.some(
    step =>
      step.reference !== null &&
      isDangerous(after, step) &&
      !listFormerSteps(step, before, after).every(previous => isHeldBack(previous, step)),
  );
  const callsOther = after.steps.some(step => {
    if (step.reference === null) return false;
    const previous = before.steps.find(({ id }) => id === step.id);
    if (previous !== undefined)
      return previous.reference !== null && findOrigin(before, previous) !== findOrigin(after, step);
    // A step with a new id is not new if the workflow called the same tool before.
    return (
      isDangerous(after, step) && !before.steps.some(entry => findOrigin(before, entry) === findOrigin(after, step))
    );
  });
  return [...(isUnasked ? ['unasked' as const] : []), ...(callsOther ? ['otherCall' as const] : [])];
}

/**
 * The former step of that name. For a new name: the former steps that called the same tool, if each of them had something that could stop
 * it.
 */
function listFormerSteps(step: PlannedStep, before: Side, after: Side): readonly PlannedStep[] {
  const previous = before.steps.find(({ id, reference }) => id === step.id && reference !== null);
  if (previous !== undefined) return [previous];
  const origin = findOrigin(after, step);
  const same = before.steps.filter(entry => entry.reference !== null && findOrigin(before, entry) === origin);
  return same.some(plannedStep => isHeldBack(plannedStep, step)) ? [] : same;
}

/** Whether this step can be stopped by everything that could stop the former step. */
function isHeldBack(previous: PlannedStep, step: PlannedStep): boolean {
  const isConditional = previous.condition === null || previous.condition === step.condition;
  return isConditional && previous.questions.every(question => step.questions.some(entry => isAsked(question, entry)));
}

/** Whether the question is still asked in every case in which it was asked before, and still stops the same steps. */
function isAsked(previous: Question, question: Question): boolean {
  const isSame = previous.step === question.step || previous.message === question.message;
  const stops = (action: 'onDecline' | 'onCancel' | 'onError') =>
    question[action] !== 'continue' || previous[action] === 'continue';
  return (
    isSame &&
    stops('onDecline') &&
    stops('onCancel') &&
    stops('onError') &&
    (question.condition === null || question.condition === previous.condition) &&
    (isAnswered(question) || toWait(question) >= toWait(previous)) &&
    (question.defaultResults === null || question.defaultResults === previous.defaultResults)
  );
}

/** Whether the workflow never continues without an answer. */
function isAnswered({ onCancel, onError }: Question): boolean {
  return onCancel !== 'continue' && onError !== 'continue';
}

/** How long the question waits, in milliseconds. */
function toWait({ timeoutMs }: Question): number {
  return timeoutMs ?? Number.POSITIVE_INFINITY;
}

/** Whether the tool is not known to be read-only. Hints from overrides do not count, since they are not the backend's own. */
function isDangerous(side: Side, step: PlannedStep): boolean {
  return toBackendHints(findTool(side, step)?.hints ?? {}).readOnlyHint?.value !== true;
}

/** Identifies the tool of a backend by its name there, not by the gateway's name for it. */
function findOrigin(side: Side, step: PlannedStep): string {
  const tool = findTool(side, step);
  return JSON.stringify(tool === undefined ? [step.reference] : [tool.backend, tool.originalName]);
}

function findTool({ exposure, workflow }: Side, step: PlannedStep) {
  const calls = exposure.composites.find(({ name }) => name === workflow)?.calls ?? [];
  const name = calls.find(({ reference }) => reference === step.reference)?.tool;
  return exposure.tools.find(tool => tool.name === name);
}
