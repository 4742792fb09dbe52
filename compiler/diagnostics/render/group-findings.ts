import type { Diagnostic } from '../diagnostic.ts';
import type { Severity } from '../severity.ts';

/** The finding that is shown, and further findings that report the same problem at other locations or of other objects. */
export interface FindingGroup {
  readonly first: Diagnostic;
  /** In their original order. */
  readonly others: readonly Diagnostic[];
}

/** One group per distinct finding, in the order of first occurrence. */
export function groupEqual(found: readonly Diagnostic[]): readonly FindingGroup[] {
  const groups = Map.groupBy(found, ({ severity, code, message, subject, fix, help }) =>
    JSON.stringify([severity, code, subject === undefined ? message : message.split(subject), fix, help]),
  );
  return [...groups.values()].flatMap(([first, ...others]) => (first === undefined ? [] : { first, others }));
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'hint'];

/** A comparison that puts errors before warnings, and warnings before hints. */
export function compareSeverity(a: Diagnostic, b: Diagnostic): number {
  return SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
}

/** Such as `2 errors, 1 warning`. */
export function formatCounts(found: readonly Diagnostic[]): string {
  return SEVERITIES.flatMap(severity => {
    const count = found.filter(diagnostic => diagnostic.severity === severity).length;
    return count === 0 ? [] : `${count} ${severity}${count === 1 ? '' : 's'}`;
  }).join(', ');
}
