import { computeFingerprints } from '../fingerprint.ts';
import type { Severity } from '../severity.ts';
import { formatJson } from './json-text.ts';
import { escapeUnprintable } from './printable.ts';
import { formatNotShown, type Rendering } from './rendering.ts';

/** GitLab's levels are `info`, `minor`, `major`, `critical` and `blocker`. */
const SEVERITIES: { readonly [S in Severity]: string } = { error: 'critical', warning: 'minor', hint: 'info' };

/**
 * A Code Quality report. Findings beyond the limit of a file become one entry, since the format has no other place for
 * them.
 *
 * @see https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
 */
export function renderGitlab({ findings: { diagnostics, omitted } }: Rendering): string {
  const fingerprints = computeFingerprints(diagnostics);
  const entries = diagnostics.map(({ code, name, severity, message, file, range, constructPath }, index) => ({
    description: escapeUnprintable(
      `${code} ${name}: ${message}${constructPath === undefined ? '' : ` (in ${constructPath})`}`,
    ),
    check_name: code,
    fingerprint: fingerprints[index],
    severity: SEVERITIES[severity],
    location: {
      path: file,
      lines: { begin: range.start.line, end: range.end.line },
      positions: {
        begin: { line: range.start.line, column: range.start.column },
        end: { line: range.end.line, column: range.end.column },
      },
    },
  }));
  const rest = omitted.map(({ file, count }) => ({
    description: formatNotShown(count),
    check_name: 'not-shown',
    fingerprint: `not-shown:${file}`,
    severity: 'info',
    location: { path: file, lines: { begin: 1, end: 1 } },
  }));
  return formatJson([...entries, ...rest]);
}
