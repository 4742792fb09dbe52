import { CODES, type DiagnosticCode } from '../codes.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { compareSeverity } from './group-findings.ts';

/** Maximum number of findings of one code that people are shown: one change often fixes all of them. */
export const MAX_OF_A_CODE = 20;

export interface CappedFindings {
  /** In their original order. */
  readonly shown: readonly Diagnostic[];
  /** Lines about the omitted findings, one per code, in the order of the codes. */
  readonly rest: readonly string[];
}

/** The first findings of each code, the most severe before the others, or all. Machine-readable formats are never limited. */
export function capFindings(found: readonly Diagnostic[], all = false): CappedFindings {
  if (all) return { shown: found, rest: [] };
  const counts = new Map<DiagnosticCode, number>();
  const firstOfCode = found.toSorted(compareSeverity).filter(({ code }) => {
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    return count <= MAX_OF_A_CODE;
  });
  const isShown = new Set(firstOfCode);
  const shown = found.filter(diagnostic => isShown.has(diagnostic));
  const beyond = [...counts].filter(([, count]) => count > MAX_OF_A_CODE).sort(([a], [b]) => (a < b ? -1 : 1));
  const rest = beyond.map(
    ([code, count]) =>
      `… and ${count - MAX_OF_A_CODE} more of ${code} ${CODES[code].name}; \`lintel check --all\` shows them`,
  );
  return { shown, rest };
}
