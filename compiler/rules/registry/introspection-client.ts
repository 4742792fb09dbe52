import { listProviders, type RegistryDocument } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * A client may have no secret (RFC 6749, section 2.1: public clients), but a secret without a client is never sent.
 *
 * @holds Registry server | `providers[].clientId`, `clientSecretFile` | both or neither, and with `introspectionUrl` | LNT1010
 */
export function introspectionClient(registry: RegistryDocument): Diagnostic[] {
  return listProviders(registry).flatMap(({ value, path }) => {
    const { clientId, clientSecretFile } = value;
    if (clientSecretFile === undefined || clientId !== undefined) return [];
    const message = 'clientSecretFile is set, and clientId is missing';
    const at = [...path, 'clientSecretFile'];
    return [diagnose(registry.document, 'LNT1010', at, message, { at: 'key', fix: 'add clientId' })];
  });
}
