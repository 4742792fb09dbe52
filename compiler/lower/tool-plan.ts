import type {
  BackendToolPlan,
  MCPToolConfigSpec,
  ToolOverride,
  ToolOverridePlan,
  VirtualMCPServerSpec,
  WorkloadTools,
} from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { LoweringContext } from './context.ts';
import type { Tracked } from './tracked.ts';

type ToolPlan = Omit<BackendToolPlan, 'prefix'>;

/** One entry of `aggregation.tools`. With a `toolConfigRef` the inline filter and overrides do not count (the seed). */
export function lowerToolPlan(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  entry: Tracked<WorkloadTools>,
  hideAll: boolean,
): ToolPlan {
  const ref = entry.get('toolConfigRef');
  if (ref !== undefined) {
    const because = `toolConfigRef is set, so MCPToolConfig "${ref.name}" decides`;
    entry.ignoreLeaves('filter', because);
    entry.ignoreLeaves('overrides', because);
  }
  if (hideAll) entry.ignore('excludeAll', 'excludeAllTools hides every tool');
  const hidden = hideAll || entry.get('excludeAll') === true;
  if (hidden) entry.ignore('filter', 'the tools of this backend are hidden');
  const shared = ref && context.inventory.find<MCPToolConfigSpec>('MCPToolConfig', gateway.namespace, ref.name);
  const source = shared && context.track(shared);
  const filter = (source ? source.get('toolsFilter') : ref ? undefined : entry.get('filter')) ?? [];
  const overrides = (source ? source.get('toolsOverride') : ref ? undefined : entry.get('overrides')) ?? {};
  return {
    advertise: hidden
      ? { type: 'none' }
      : filter.length > 0
        ? { type: 'only', names: filter.toSorted() }
        : { type: 'all' },
    overrides: lowerOverrides(overrides),
  };
}

function lowerOverrides(overrides: { readonly [tool: string]: ToolOverride }): {
  readonly [tool: string]: ToolOverridePlan;
} {
  return Object.fromEntries(
    Object.entries(overrides).map(([tool, { name, description, annotations }]) => [
      tool,
      {
        ...(name === undefined || name === '' ? {} : { name }),
        ...(description === undefined || description === '' ? {} : { description }),
        ...(annotations === undefined ? {} : { annotations }),
      },
    ]),
  );
}
