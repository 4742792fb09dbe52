import type { VirtualMCPServerSpec } from '#schemas';
import type { Resource } from '../../resolve/inventory.ts';

/** The spec of a gateway; undefined for other kinds. */
export function gatewaySpec(resource: Resource): VirtualMCPServerSpec | undefined {
  return resource.kind === 'VirtualMCPServer' ? (resource.spec as VirtualMCPServerSpec) : undefined;
}
