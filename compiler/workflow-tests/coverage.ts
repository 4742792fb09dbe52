/** Computes which steps and branches of workflows the tests cover. */
import type { RehearsalRecord, WorkflowPlan, WorkflowStep } from '#schemas';
import type { CompositeModel } from '../analysis/gateway/composites.ts';
import type { GatewayModel } from '../analysis/gateway/model.ts';
import type { RelatedLocation } from '../diagnostics/diagnostic.ts';
import { formatTitle } from './planned-test.ts';
import { locateWorkflow } from './tested-workflow.ts';

export interface Coverage {
  /** `namespace/name` of a gateway that has the workflow, a space, and the name of the workflow. */
  readonly workflow: string;
  readonly steps: Share;
  /** The outcomes of a step's decisions: its condition, a person's answer, the handling of a failure. */
  readonly branches: Share;
  readonly missing: readonly UncoveredBranch[];
}

export interface Share {
  readonly taken: number;
  readonly all: number;
}

export interface UncoveredBranch {
  readonly step: string;
  /** The branch that no test covers; undefined when no test runs the step at all. */
  readonly branch?: Branch;
  readonly location: Pick<RelatedLocation, 'file' | 'range'>;
}

export const BRANCHES = {
  runs: 'with a condition that is true',
  skipped: 'with a condition that is false',
  accepted: 'with a person who accepts',
  declined: 'with a person who declines',
  cancelled: 'with a person who cancels',
  continues: 'with a failure after which the workflow goes on',
  retried: 'with a further attempt',
} as const;

export type Branch = keyof typeof BRANCHES;

/** @param plan undefined for a workflow without tests */
export function computeCoverage(
  gateway: GatewayModel,
  composite: CompositeModel,
  plan: WorkflowPlan | undefined,
  records: readonly RehearsalRecord[],
): Coverage {
  const workflow = formatTitle({ gateway, composite });
  if (plan === undefined) {
    const all = composite.tool.steps.length;
    const missing = composite.tool.steps.map(({ id }) => ({ step: id, location: locateWorkflow({ composite }, id) }));
    return { workflow, steps: { taken: 0, all }, branches: { taken: 0, all: 0 }, missing };
  }
  const taken = records.map(record => listTakenBranches(plan, record));
  const steps = plan.steps.map(({ id }) => ({ step: id, isTaken: taken.some(entry => entry.steps.has(id)) }));
  const branches = plan.steps.flatMap(step =>
    listBranches(step).map(branch => ({
      step: step.id,
      branch,
      isTaken: taken.some(entry => entry.branches.has(formatKey(step.id, branch))),
    })),
  );
  const missing = [...steps, ...branches]
    .filter(
      ({ step, isTaken, ...one }) => !isTaken && !('branch' in one && steps.some(s => s.step === step && !s.isTaken)),
    )
    .map(({ isTaken, ...one }) => ({ ...one, location: locateWorkflow({ composite }, one.step) }));
  return { workflow, steps: computeShare(steps), branches: computeShare(branches), missing };
}

/** The covered share of all steps and branches in percent, rounded down: 100 means all. */
export function computePercent({ steps, branches }: Pick<Coverage, 'steps' | 'branches'>): number {
  const all = steps.all + branches.all;
  return all === 0 ? 100 : Math.floor((100 * (steps.taken + branches.taken)) / all);
}

function computeShare(list: readonly { readonly isTaken: boolean }[]): Share {
  return { taken: list.filter(({ isTaken }) => isTaken).length, all: list.length };
}

function listBranches(step: WorkflowStep): readonly Branch[] {
  const branches: Branch[] = step.condition === null ? [] : ['runs', 'skipped'];
  if (step.type === 'elicitation') return [...branches, 'accepted', 'declined', 'cancelled'];
  if (step.onError.action === 'continue') branches.push('continues');
  const policy = step.type === 'forEach' ? step.callOnError : step.onError;
  return policy.action === 'retry' && policy.count > 0 ? [...branches, 'retried'] : branches;
}

function formatKey(step: string, branch: Branch): string {
  return `${step} ${branch}`;
}

function listTakenBranches(plan: WorkflowPlan, { changes, calls, outcomes }: RehearsalRecord) {
  const steps = new Set<string>();
  const branches = new Set<string>();
  const planned = new Map(plan.steps.map(step => [step.id, step]));
  let isOver = false;
  for (const { step, status, output } of changes) {
    if (status === 'running') {
      steps.add(step);
      branches.add(formatKey(step, 'runs'));
    }
    // After `skip_remaining` no condition is evaluated.
    if (status === 'skipped' && !isOver) branches.add(formatKey(step, 'skipped'));
    if (status === 'failed' && planned.get(step)?.onError.action === 'continue')
      branches.add(formatKey(step, 'continues'));
    if (status !== 'completed' || planned.get(step)?.type !== 'elicitation') continue;
    const { action, skipped } = output as { readonly action: string; readonly skipped?: boolean };
    branches.add(formatKey(step, ANSWERED[action] ?? 'cancelled'));
    isOver ||= skipped === true;
  }
  for (const { step, reason, items } of outcomes) {
    if (reason === 'declined') branches.add(formatKey(step, 'declined'));
    if (reason === 'dismissed') branches.add(formatKey(step, 'cancelled'));
    const expected = items === undefined ? 1 : Object.values(items).reduce((sum, count) => sum + count, 0);
    const started = expected - (items?.not_started ?? 0);
    if (calls.filter(call => call.step === step).length > started) branches.add(formatKey(step, 'retried'));
  }
  return { steps, branches };
}

const ANSWERED: { readonly [action: string]: Branch } = {
  accept: 'accepted',
  decline: 'declined',
  cancel: 'cancelled',
};
