import type { ImportOutcome } from './found.ts';
import type { MemberReader } from './members.ts';

/** A server with an unreadable part is refused: the part may hide a tool or contain a credential. */
export function toReadableOutcome(outcome: ImportOutcome, { problems }: MemberReader): ImportOutcome {
  const isCarried = outcome.type === 'remote' || outcome.type === 'program';
  return isCarried && problems.length > 0 ? { type: 'refused', reason: formatUnreadable(problems) } : outcome;
}

export function formatUnreadable(problems: readonly string[]): string {
  return `its ${problems.join(', and its ')}`;
}
