import type { CompileOutcome, FoundDiagnostic } from '../compile/index.ts';

/** Maximum number of listed findings. */
export const MAX_DIAGNOSTICS = 20;

/** Most severe first; findings of one severity keep their order. */
export function sortByGravity(diagnostics: readonly FoundDiagnostic[]): readonly FoundDiagnostic[] {
  return diagnostics.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
}

/**
 * The most severe finding with its location, and the number of others with that severity: `gateway.yaml:12: LNT2001: no MCPGroup named … (+2
 * more)`. Undefined when nothing was found.
 *
 * @param counts - of all findings, when `diagnostics` are only the first of them
 */
export function formatDiagnostics(
  diagnostics: readonly FoundDiagnostic[],
  counts?: CompileOutcome['counts'],
): string | undefined {
  const [first] = sortByGravity(diagnostics);
  if (first === undefined) return undefined;
  const listed = diagnostics.filter(({ severity }) => severity === first.severity).length;
  const more = Math.max(listed, counts?.[COUNTS[first.severity]] ?? 0) - 1;
  return `${formatLocation(first)}${first.code}: ${first.message}${more > 0 ? ` (+${more} more)` : ''}`;
}

const SEVERITIES: readonly FoundDiagnostic['severity'][] = ['error', 'warning', 'hint'];

const COUNTS = { error: 'errors', warning: 'warnings', hint: 'hints' } as const;

function formatLocation({ file, line, object }: FoundDiagnostic): string {
  if (file !== undefined) return line === undefined ? `${file}: ` : `${file}:${line}: `;
  return object === undefined ? '' : `${object}: `;
}
