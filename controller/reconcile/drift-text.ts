/** Changes by others, in words. The differences of a plan go from the edited state to what the repository has. */
import type { PlannedChange } from './destination.ts';

/** What was done about it. */
export function correctedText(change: PlannedChange): string {
  if (change.action === 'create') return `created ${titleOf(change)} again, which another client had deleted`;
  if (change.difference.length === 0) return `took fields of ${titleOf(change)} that another client had set`;
  return `put ${titleOf(change)} right: ${change.difference.join(', ')}`;
}

/** What correcting the drift would do. */
export function reportedText(change: PlannedChange): string {
  if (change.action === 'create') return `${titleOf(change)} (deleted)`;
  if (change.difference.length === 0) return `${titleOf(change)} (fields set by others)`;
  return `${titleOf(change)} (to put right: ${change.difference.join(', ')})`;
}

function titleOf({ object: { kind, metadata } }: PlannedChange): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}
