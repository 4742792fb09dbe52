import type {
  BackendToolPlan,
  MCPToolConfigSpec,
  ToolOverride,
  ToolOverridePlan,
  VirtualMCPServerSpec,
  WorkloadTools,
} from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import type { Path } from '../source/source-document.ts';
import type { LoweringContext } from './context.ts';

type ToolPlan = Omit<BackendToolPlan, 'prefix'>;

/** One entry of `aggregation.tools`. With a `toolConfigRef`, the inline filter and overrides have no effect. */
export function lowerToolPlan(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  entry: Tracked<WorkloadTools>,
  hideAll: boolean,
): ToolPlan {
  const ref = entry.get('toolConfigRef');
  if (hideAll) entry.ignore('excludeAll', 'excludeAllTools hides every tool');
  const hidden = hideAll || entry.get('excludeAll') === true;
  const shared = ref && context.inventory.find<MCPToolConfigSpec>('MCPToolConfig', gateway.namespace, ref.name);
  if (ref !== undefined) {
    const because = `toolConfigRef is set, so MCPToolConfig "${ref.name}" decides`;
    entry.ignoreLeaves('filter', because);
    entry.ignoreLeaves('overrides', because);
  }
  if (shared !== undefined) {
    const config = context.track(shared);
    if (hidden)
      config.ignore('toolsFilter', `VirtualMCPServer "${gateway.name}" hides the tools of "${entry.peek('workload')}"`);
    return {
      advertise: lowerAdvertised(hidden, config.get('toolsFilter')),
      overrides: lowerOverrides(context, shared, [...config.path, 'toolsOverride'], config.get('toolsOverride')),
    };
  }
  if (ref !== undefined) return { advertise: { type: 'none' }, overrides: {} };
  if (hidden) entry.ignore('filter', 'the tools of this backend are hidden');
  return {
    advertise: lowerAdvertised(hidden, entry.get('filter')),
    overrides: lowerOverrides(context, gateway, [...entry.path, 'overrides'], entry.get('overrides')),
  };
}

function lowerAdvertised(hidden: boolean, filter: readonly string[] = []): ToolPlan['advertise'] {
  if (hidden) return { type: 'none' };
  return filter.length > 0 ? { type: 'only', names: filter.toSorted() } : { type: 'all' };
}

/** @param holder the object with the overrides, at `path` */
function lowerOverrides(
  context: LoweringContext,
  holder: Resource,
  path: Path,
  overrides: { readonly [tool: string]: ToolOverride } = {},
): { readonly [tool: string]: ToolOverridePlan } {
  const renamed = new Map<string, string>();
  return Object.fromEntries(
    Object.entries(overrides).map(([tool, { name, description, annotations }]) => {
      const at = (...field: string[]) => [...path, tool, ...field];
      if (name === undefined && description === undefined && annotations === undefined)
        context.report(holder, 'LNT1008', at(), 'the override changes nothing', { at: 'key' });
      if (name === '') context.report(holder, 'LNT1008', at('name'), 'an empty name has no effect');
      if (description === '')
        context.report(holder, 'LNT1008', at('description'), 'an empty description has no effect');
      const other = name === undefined || name === '' ? undefined : renamed.get(name);
      if (other !== undefined)
        context.report(holder, 'LNT3015', at('name'), `"${other}" and "${tool}" are both renamed to "${name}"`);
      if (name !== undefined) renamed.set(name, tool);
      return [
        tool,
        {
          ...(name === undefined || name === '' ? {} : { name }),
          ...(description === undefined || description === '' ? {} : { description }),
          ...(annotations === undefined ? {} : { annotations }),
        },
      ];
    }),
  );
}
