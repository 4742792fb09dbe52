import type { DiagnoseDetails } from '../check/diagnose.ts';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Path } from '../source/source-document.ts';
import { type ConsumptionTracker, getValueAt } from './tracked.ts';

/** Arguments of `diagnose` after the document. */
export type TrackerFinding = readonly [code: DiagnosticCode, path: Path, message: string, details?: DiagnoseDetails];

/**
 * Converts notes and unread leaves of a tracker into findings.
 *
 * @param root the document as written
 * @param start path of the tracked part
 */
export function toFindings(tracker: ConsumptionTracker, root: unknown, start: Path): TrackerFinding[] {
  const remarks = tracker.remarks
    // Defaults that no file contains need no finding.
    .filter(({ path }) => getValueAt(root, path) !== undefined)
    .map(({ kind, path, message, ...details }): TrackerFinding => {
      const field = formatField(path);
      return kind === 'ignored'
        ? ['LNT1008', path, `${field} has no effect: ${message}`, { at: 'key', ...details }]
        : ['LNT1009', path, `${message}: not supported yet (${field})`, { at: 'key' }];
    });
  const unread = tracker.listUnread(getValueAt(root, start) ?? {}, start).map((path): TrackerFinding => {
    const because = isEmpty(getValueAt(root, path)) ? 'it is empty' : 'nothing reads it in this mode';
    return ['LNT1008', path, `${formatField(path)} has no effect: ${because}`];
  });
  return [...remarks, ...unread];
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** `spec.config.backends[0].name`, as people write paths. */
export function formatField(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}
