import { AUDIT_EVENTS, REGISTRY_AUDIT_EVENTS } from '#schemas';
import { BundleError } from '../../bundle/bundle-error.ts';
import type { LoadedBundle, LoadedRegistry } from '../../bundle/load.ts';
import type { Logger } from '../log.ts';
import { AuditLog, type PreparedAudit } from './audit-log.ts';
import type { RecordTaker } from './record-writer.ts';
import { type AuditCollector, readAuditWriting } from './settings.ts';

/**
 * Opens the audit log of a process that serves a bundle.
 *
 * @param taker receives the records, instead of the log that the bundle names
 * @throws BundleError for a log that cannot be written, AuditSettingError
 */
export async function openAudit(
  loaded: LoadedBundle | LoadedRegistry,
  log: Logger,
  taker?: RecordTaker,
): Promise<AuditLog> {
  const events = loaded.bundle.kind === 'registry' ? REGISTRY_AUDIT_EVENTS : AUDIT_EVENTS;
  const { namespace, name } = loaded.bundle;
  const openExport = async (collector: AuditCollector) => {
    const { RecordExport } = await import('../otlp/record-export.ts');
    return RecordExport.open(collector, { namespace, name }, log);
  };
  const audit = new AuditLog({ ...readAuditWriting(process.env), events, log, taker, openExport });
  (await prepareAudit(audit, loaded)).apply();
  return audit;
}

/**
 * Prepares the audit log for the next bundle.
 * @throws BundleError for a log that cannot be written
 */
export async function prepareAudit(
  audit: AuditLog,
  { bundle, digest, file }: LoadedBundle | LoadedRegistry,
): Promise<PreparedAudit> {
  try {
    return await audit.prepare(bundle.audit, digest);
  } catch (error) {
    throw new BundleError(file, `the audit log cannot be written: ${(error as Error).message}`);
  }
}
