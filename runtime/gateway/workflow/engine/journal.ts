/** The outcomes of a run's steps: after a failure, which steps were done and which were not. */
import { type FailureReason, toFailureReason } from './workflow-error.ts';

/** `unknown`: the step was running when it was stopped, and may have had its effect. */
export type JournaledOutcome = 'done' | 'skipped' | 'failed' | 'unknown' | 'not_started';

export interface StepOutcome {
  readonly step: string;
  readonly outcome: JournaledOutcome;
  /** Why a step failed or was stopped. */
  readonly reason?: FailureReason;
  /** For a started repeated step: the number of its items with each outcome. */
  readonly items?: { readonly [O in Exclude<JournaledOutcome, 'skipped'>]?: number };
}

interface JournalEntry {
  outcome: JournaledOutcome;
  reason?: FailureReason;
  items?: JournaledOutcome[];
}

export class Journal {
  readonly #entries: ReadonlyMap<string, JournalEntry>;

  /** @param before the outcomes from before the run was paused */
  constructor(steps: readonly string[], before: readonly StepOutcome[] = []) {
    this.#entries = new Map(steps.map(step => [step, { outcome: 'not_started' }]));
    for (const { step, items, ...entry } of before) {
      // A step that waits for an answer counts as not started, because it starts again when the run continues.
      const outcomes = items === undefined ? {} : { items: listOutcomes(items) };
      if (entry.outcome !== 'unknown') Object.assign(this.#getEntry(step), entry, outcomes);
    }
  }

  started(step: string): void {
    this.#getEntry(step).outcome = 'unknown';
  }

  done(step: string): void {
    this.#getEntry(step).outcome = 'done';
  }

  skipped(step: string): void {
    this.#getEntry(step).outcome = 'skipped';
  }

  /**
   * Records a failed step.
   * @param isStopped whether the step was stopped while running, so that its effect is unknown
   */
  failed(step: string, error: unknown, isStopped: boolean): void {
    const entry = this.#getEntry(step);
    entry.outcome = isStopped ? 'unknown' : 'failed';
    entry.reason = toFailureReason(error);
  }

  /** Records the number of items of a repeated step. */
  items(step: string, count: number): void {
    this.#getEntry(step).items = new Array<JournaledOutcome>(count).fill('not_started');
  }

  item(step: string, index: number, outcome: JournaledOutcome): void {
    const { items } = this.#getEntry(step);
    if (items !== undefined) items[index] = outcome;
  }

  /** The outcomes of the steps, in the order of the plan. */
  get outcomes(): readonly StepOutcome[] {
    return Array.from(this.#entries, ([step, { outcome, reason, items }]) => {
      if (reason === undefined && items === undefined) return { step, outcome };
      return {
        step,
        outcome,
        ...(reason === undefined ? {} : { reason }),
        ...(items === undefined ? {} : { items: countOutcomes(items) }),
      };
    });
  }

  #getEntry(step: string): JournalEntry {
    const entry = this.#entries.get(step);
    if (entry === undefined) throw new Error(`the plan has no step "${step}"`);
    return entry;
  }
}

function listOutcomes(counts: NonNullable<StepOutcome['items']>): JournaledOutcome[] {
  return Object.entries(counts).flatMap(([outcome, count]) =>
    new Array<JournaledOutcome>(count).fill(outcome as JournaledOutcome),
  );
}

function countOutcomes(items: readonly JournaledOutcome[]): NonNullable<StepOutcome['items']> {
  const counts: { [O in JournaledOutcome]?: number } = {};
  for (const outcome of items) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
