import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { quote } from '../text/describe.ts';
import { findAuthServer } from './support/auth-servers.ts';
import { secretValue } from './support/secret-value.ts';

const LEAST_BYTES = 32;

/**
 * Secrets that protect codes and refresh tokens must be long enough, if they are in the sources.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `hmacSecretRefs` | 32 bytes or more, when the Secret is in the
 *   sources | LNT4017
 */
export function shortHmacSecret(resource: Resource, inventory: Inventory): Diagnostic[] {
  const location = findAuthServer(resource);
  return (location?.server.hmacSecretRefs ?? []).flatMap(({ name, key }, index) => {
    const bytes = secretValue(inventory, resource.namespace, name, key)?.length;
    if (bytes === undefined || bytes >= LEAST_BYTES) return [];
    const path = [...(location?.path ?? []), 'hmacSecretRefs', index];
    const message = `key ${quote(key)} of Secret "${name}" holds ${bytes} bytes, at least ${LEAST_BYTES} are needed`;
    return [diagnose(resource.document, 'LNT4017', path, message)];
  });
}
