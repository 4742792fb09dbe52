/** Composite tools are either inline in a gateway, or objects (VirtualMCPCompositeToolDefinition); the same rules apply. */
import type { GatewayConfig, VirtualMCPServerSpec } from '#schemas';
import type { Path } from '../source/source-document.ts';
import type { Resource } from './inventory.ts';

export type CompositeTool = NonNullable<GatewayConfig['compositeTools']>[number];
export type Step = CompositeTool['steps'][number];

export interface CompositeToolLocation {
  readonly tool: CompositeTool;
  readonly path: Path;
}

export interface StepLocation {
  readonly step: Step;
  readonly path: Path;
}

/** The composite tools that an object describes. */
export function listCompositeTools(resource: Resource): readonly CompositeToolLocation[] {
  if (resource.kind === 'VirtualMCPCompositeToolDefinition') {
    // Without `spec` there are no steps to check.
    return resource.authored === undefined ? [] : [{ tool: resource.spec as CompositeTool, path: ['spec'] }];
  }
  if (resource.kind !== 'VirtualMCPServer') return [];
  const { config } = resource.spec as VirtualMCPServerSpec;
  return (config?.compositeTools ?? []).map((tool, index) => ({
    tool,
    path: ['spec', 'config', 'compositeTools', index],
  }));
}

/** The steps of all its composite tools, without those inside of a `forEach`. */
export function listSteps(resource: Resource): readonly StepLocation[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) =>
    tool.steps.map((step, index) => ({ step, path: [...path, 'steps', index] })),
  );
}
