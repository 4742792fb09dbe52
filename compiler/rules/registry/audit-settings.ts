import { REGISTRY_AUDIT_EVENTS } from '#schemas';
import type { RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { checkAuditEvents } from '../audit-events.ts';
import { AUDIT_FILE_HELP, validateAuditFile } from '../audit-file.ts';

/**
 * Audit events must exist, and the audit file needs a folder of its own.
 *
 * @holds Registry server | `audit.eventTypes`, `excludeEventTypes`; `logFile` | known events; absolute, in a folder of its own | LNT1011,
 *   LNT1012
 */
export function auditSettings({ document, config: { audit } }: RegistryDocument): Diagnostic[] {
  if (audit?.enabled !== true) return [];
  const events = (['eventTypes', 'excludeEventTypes'] as const).flatMap(field =>
    checkAuditEvents(document, ['audit', field], audit[field], REGISTRY_AUDIT_EVENTS),
  );
  const violation = validateAuditFile(audit.logFile);
  if (violation === undefined) return events;
  const details = { help: AUDIT_FILE_HELP };
  return [
    ...events,
    diagnose(document, 'LNT1012', ['audit', 'logFile'], `the path of the audit log ${violation}`, details),
  ];
}
