import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/**
 * The maximum size of content in an audit record must not be negative; zero means none.
 *
 * @holds The rest of config | `audit.maxDataSize` | 0 or more | LNT1013 | `unservable/`
 */
export function auditSize(resource: Resource): Diagnostic[] {
  const size = gatewaySpec(resource)?.config?.audit?.maxDataSize ?? 0;
  if (size >= 0) return [];
  const message = `expected 0 bytes or more, found ${size}`;
  return [
    diagnose(resource.document, 'LNT1013', ['spec', 'config', 'audit', 'maxDataSize'], message, {
      help: 'Write 0 bytes or more, such as 1024',
    }),
  ];
}
