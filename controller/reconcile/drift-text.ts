/** Describes changes that other clients made. The differences of a plan go from the edited state to the repository's. */
import type { PlannedChange } from './destination.ts';

/** Describes drift that was corrected. */
export function formatCorrected(change: PlannedChange): string {
  if (change.action === 'create') return `created ${formatTitle(change)} again, which another client had deleted`;
  if (change.difference.length === 0) return `took over fields of ${formatTitle(change)} that another client had set`;
  return `corrected ${formatTitle(change)}: ${change.difference.join(', ')}`;
}

/** Describes drift that stays, and what a correction would change. */
export function formatReported(change: PlannedChange): string {
  if (change.action === 'create') return `${formatTitle(change)} (deleted)`;
  if (change.difference.length === 0) return `${formatTitle(change)} (fields that other clients set)`;
  return `${formatTitle(change)} (to correct: ${change.difference.join(', ')})`;
}

function formatTitle({ object: { kind, metadata } }: PlannedChange): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}
