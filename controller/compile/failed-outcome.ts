import { computeDigest } from '#schemas';
import type { CompileOutcome, FoundDiagnostic } from './outcome.ts';

/** The outcome of a compilation without a result. */
export function createFailedOutcome(diagnostics: readonly FoundDiagnostic[]): CompileOutcome {
  const count = (severity: FoundDiagnostic['severity']) =>
    diagnostics.filter(diagnostic => diagnostic.severity === severity).length;
  return {
    isGood: false,
    units: [],
    objects: [],
    diagnostics,
    counts: { errors: count('error'), warnings: count('warning'), hints: count('hint') },
    digest: computeDigest(''),
    ignored: 0,
    programs: [],
  };
}
