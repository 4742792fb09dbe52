import type { DiagnoseDetails } from '../check/diagnose.ts';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Path } from '../source/source-document.ts';
import { type ConsumptionTracker, valueAt } from './tracked.ts';

/** Arguments of `diagnose` behind the document. */
export type TrackerFinding = readonly [code: DiagnosticCode, path: Path, message: string, details?: DiagnoseDetails];

/**
 * Turns the remarks of a ledger, and the leaves that nothing read, into findings.
 *
 * @param root what was written, in which paths are looked up
 * @param start where the tracked part begins
 */
export function toFindings(ledger: ConsumptionTracker, root: unknown, start: Path): TrackerFinding[] {
  const remarks = ledger.remarks
    // Defaults that stand in no file need no remark.
    .filter(({ path }) => valueAt(root, path) !== undefined)
    .map(({ kind, path, message, ...details }): TrackerFinding => {
      const field = fieldText(path);
      return kind === 'ignored'
        ? ['LNT1008', path, `${field} has no effect: ${message}`, { at: 'key', ...details }]
        : ['LNT1009', path, `${message}: not supported yet (${field})`, { at: 'key' }];
    });
  const unread = ledger.unread(valueAt(root, start) ?? {}, start).map((path): TrackerFinding => {
    const because = isEmpty(valueAt(root, path)) ? 'it is empty' : 'nothing reads it in this mode';
    return ['LNT1008', path, `${fieldText(path)} has no effect: ${because}`];
  });
  return [...remarks, ...unread];
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** `spec.config.backends[0].name`, as people write it. */
export function fieldText(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}
