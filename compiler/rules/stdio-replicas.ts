import type { MCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';

/**
 * A server that uses its standard streams supports a single replica.
 *
 * @holds Other kinds | MCPServer `transport: stdio` | one replica | LNT1008
 */
export function stdioReplicas(resource: Resource): Diagnostic[] {
  if (resource.kind !== 'MCPServer') return [];
  const { transport, replicas } = resource.spec as MCPServerSpec;
  if (transport !== 'stdio' || replicas === undefined || replicas <= 1) return [];
  const message = `replicas has no effect beyond 1: the transport is stdio`;
  return [diagnose(resource.document, 'LNT1008', ['spec', 'replicas'], message)];
}
