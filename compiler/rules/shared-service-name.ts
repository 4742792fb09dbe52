import type { MCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { toRelatedLocation } from '../resolve/related-location.ts';
import { FirstUsers } from './support/first-users.ts';

const PATH = ['spec', 'telemetryConfigRef', 'serviceName'];

/**
 * Servers with the same service name cannot be distinguished in traces and metrics.
 *
 * @holds VirtualMCPServer | `telemetryConfigRef.serviceName` | each name belongs to one server | LNT1023
 */
export function sharedServiceName(resource: Resource, inventory: Inventory): Diagnostic[] {
  const other = users.findEarlier(resource, inventory);
  if (other === undefined) return [];
  const message = `${other.kind} "${other.name}" reports telemetry under the same service name`;
  const related = [toRelatedLocation('the same name', { resource: other, path: PATH })];
  return [diagnose(resource.document, 'LNT1023', PATH, message, { related })];
}

/** Within one namespace: collectors distinguish namespaces, so copies of an installation may share names. */
const users = new FirstUsers(({ namespace, spec }) => {
  const { telemetryConfigRef } = spec as Pick<MCPServerSpec, 'telemetryConfigRef'>;
  const name = telemetryConfigRef?.serviceName ?? '';
  return name === '' ? undefined : JSON.stringify([namespace, name]);
});
