import { compareText, type GatewayConfig, type VirtualMCPServerSpec, type WorkflowTool } from '#schemas';
import { lowerWorkflowTool } from '../analysis/gateway/workflow.ts';
import { listCompositeTools } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import type { LoweringContext } from './context.ts';

/** The workflows of a gateway, inline and referenced, sorted by name. Workflows with mistakes are omitted: other code reports them. */
export function lowerWorkflows(
  { inventory }: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): readonly WorkflowTool[] {
  config?.get('compositeTools');
  const references = config?.get('compositeToolRefs') ?? [];
  const definitions = references.flatMap(
    ({ name }) => inventory.find('VirtualMCPCompositeToolDefinition', gateway.namespace, name) ?? [],
  );
  return [gateway, ...definitions]
    .flatMap(resource => listCompositeTools(resource))
    .flatMap(({ tool }) => lowerWorkflowTool(tool) ?? [])
    .sort((a, b) => compareText(a.name, b.name));
}
