import type { Outcome } from './found.ts';
import type { Members } from './members.ts';

/** A server with an unreadable part is refused: the part may hide a tool or contain a credential. */
export function readableOutcome(outcome: Outcome, { problems }: Members): Outcome {
  const isCarried = outcome.type === 'remote' || outcome.type === 'program';
  return isCarried && problems.length > 0 ? { type: 'refused', reason: unreadable(problems) } : outcome;
}

export function unreadable(problems: readonly string[]): string {
  return `its ${problems.join(', and its ')}`;
}
