import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { ResourceDocument } from '../../source/classify.ts';
import { findKnownCredential } from '../../source/known-credentials.ts';
import type { Path } from '../../source/source-document.ts';

/**
 * A token of a known service in the file of a registry server, whether or not it fits the schema. For a configuration inside of an
 * MCPRegistry, the rules about that object report it.
 *
 * @holds outgoingAuth and config.outgoingAuth | any text of a spec, Secrets and ConfigMaps next to it, the configuration of a registry server
 *   | no credential in the form of a known service | LNT6024
 * @apart it reads any text of the file
 */
export function configCredentials(document: ResourceDocument): Diagnostic[] {
  const found: Diagnostic[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (typeof value === 'string') {
      const credential = findKnownCredential(value);
      if (credential === undefined) return;
      const holder = String(path.findLast(step => typeof step === 'string'));
      found.push(
        diagnose(document, 'LNT6024', path, `${holder} holds ${credential} in the clear`, {
          at: typeof path.at(-1) === 'number' ? 'value' : 'key',
          fix: 'revoke it, because the history of a repository keeps it, and keep the new credential in a file that the configuration names',
        }),
      );
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value))
        visit(member, [...path, Array.isArray(value) ? Number(name) : name]);
    }
  };
  visit(document.doc.value, []);
  return found;
}
