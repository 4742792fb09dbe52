import type { Outcome } from './found.ts';
import type { Members } from './members.ts';

/** A server with a part that cannot be read is refused: what is left out may be what hides a tool, or carries a credential. */
export function readableOutcome(outcome: Outcome, { problems }: Members): Outcome {
  const isCarried = outcome.type === 'remote' || outcome.type === 'program';
  return isCarried && problems.length > 0 ? { type: 'refused', reason: unreadable(problems) } : outcome;
}

export function unreadable(problems: readonly string[]): string {
  return `its ${problems.join(', and its ')}`;
}
