import type { RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { formatPointer } from '../../text/pointer.ts';

/**
 * The `database` section has no effect in Lintel, but a password in it is still in the repository.
 *
 * @holds Registry server | `database` | no effect; no password in the clear | LNT6001
 */
export function databasePasswords({ document, config }: RegistryDocument): Diagnostic[] {
  const database = (config.database ?? {}) as { readonly [key: string]: unknown };
  return ['password', 'migrationPassword']
    .filter(field => typeof database[field] === 'string' && database[field] !== '')
    .map(field => {
      // Reported at the parent key, because a code frame would show the password's line.
      const found = diagnose(document, 'LNT6001', ['database'], `${field} holds a secret in the clear`, {
        at: 'key',
        fix: 'remove it and replace the secret',
      });
      return { ...found, pointer: formatPointer(['database', field]) };
    });
}
