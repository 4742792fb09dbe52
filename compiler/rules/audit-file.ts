import { posix } from 'node:path';
import { MOUNT_ROOT } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/**
 * The audit log must be a file in a folder of its own, because manifests mount a volume there.
 *
 * @holds The rest of config | `audit.logFile` | absolute, in a folder of its own that is not below `/etc/lintel` | LNT1012
 */
export function auditFile(resource: Resource): Diagnostic[] {
  const audit = gatewaySpec(resource)?.config?.audit;
  const violation = audit?.enabled === true ? validateAuditFile(audit.logFile) : undefined;
  if (violation === undefined) return [];
  return [
    diagnose(
      resource.document,
      'LNT1012',
      ['spec', 'config', 'audit', 'logFile'],
      `the path of the audit log ${violation}`,
      {
        help: AUDIT_FILE_HELP,
      },
    ),
  ];
}

export const AUDIT_FILE_HELP = 'Write the path of a file in a folder of its own, such as /var/log/lintel/audit.jsonl';

/** Why the path of an audit log is invalid; no path means standard output. Continues "the path …". */
export function validateAuditFile(file = ''): string | undefined {
  if (file === '') return undefined;
  if (!file.startsWith('/') || posix.normalize(file) !== file || file.endsWith('/')) {
    return 'must be absolute and name a file, without "." and ".." in it';
  }
  if (posix.dirname(file) === '/') return 'must be in a folder other than the root of the file system';
  return file.startsWith(`${MOUNT_ROOT}/`)
    ? `must not be below ${MOUNT_ROOT}, where the bundle and secrets are`
    : undefined;
}
