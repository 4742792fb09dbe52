import { type Diagnostic, SEVERITY_RANK } from '#compiler';
import type { FoundDiagnostic } from './outcome.ts';

/** Maximum number of findings in an outcome. */
const MAX_DIAGNOSTICS = 20;

/** Converts the compiler's findings for status and forge. */
export function toFoundDiagnostics(diagnostics: readonly Diagnostic[]): readonly FoundDiagnostic[] {
  return diagnostics.map(({ code, severity, message, file, range, object, pointer }) => ({
    code,
    severity,
    message,
    file,
    line: range.start.line,
    column: range.start.column,
    ...(object && { object: `${object.kind}/${object.namespace}/${object.name}`, pointer }),
  }));
}

/** The first relevant findings, errors before others. */
export function listGravest(
  diagnostics: readonly FoundDiagnostic[],
  most = MAX_DIAGNOSTICS,
): readonly FoundDiagnostic[] {
  return diagnostics.toSorted((a, b) => SEVERITY_RANK[b.severity] - SEVERITY_RANK[a.severity]).slice(0, most);
}
