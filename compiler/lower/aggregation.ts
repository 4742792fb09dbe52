import type {
  AggregationConfig,
  AggregationPlan,
  BackendToolPlan,
  ConflictStrategy,
  VirtualMCPServerSpec,
} from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import type { BackendAddress } from './backend-address.ts';
import type { LoweringContext } from './context.ts';
import { reportUnknownBackend } from './known-backends.ts';
import { lowerToolPlan } from './tool-plan.ts';

const DEFAULT_PREFIX_FORMAT = '{workload}_';

export interface LoweredAggregation {
  readonly plan: AggregationPlan;
  getTools(backend: string): BackendToolPlan;
}

/** The conflict strategy of the gateway, and one tool plan for each backend. */
export function lowerAggregation(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  aggregation: Tracked<AggregationConfig> | undefined,
  backends: readonly BackendAddress[],
): LoweredAggregation {
  const known = backends.map(backend => backend.name);
  const strategy = aggregation?.get('conflictResolution') ?? 'prefix';
  const { prefixFormat, priorityOrder } = lowerStrategyDetails(context, gateway, aggregation, strategy, known);
  const hideAll = aggregation?.get('excludeAllTools') === true;
  if (hideAll) aggregation?.ignore('defaultToolVisibility', 'excludeAllTools hides every tool');
  const visibility = aggregation?.get('defaultToolVisibility') ?? 'allow';

  const entries = new Map<string, Omit<BackendToolPlan, 'prefix'>>();
  for (const entry of aggregation?.items('tools') ?? []) {
    const workload = entry.get('workload');
    const at = [...entry.path, 'workload'];
    reportUnknownBackend(context, gateway, at, workload, known);
    if (entries.has(workload)) {
      context.report(gateway, 'LNT3013', at, `backend "${workload}" already has an entry in aggregation.tools`);
    }
    entries.set(workload, lowerToolPlan(context, gateway, entry, hideAll));
  }
  reportGaps(
    context,
    gateway,
    strategy,
    hideAll ? 'allow' : visibility,
    priorityOrder.filter(name => known.includes(name)),
    entries,
  );

  return {
    plan: { strategy, priorityOrder: strategy === 'priority' ? priorityOrder : [] },
    getTools: backend => ({
      prefix: prefixFormat.replaceAll('{workload}', backend),
      ...(entries.get(backend) ?? {
        advertise: { type: hideAll || visibility === 'deny' ? 'none' : 'all' },
        overrides: {},
      }),
    }),
  };
}

function lowerStrategyDetails(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  aggregation: Tracked<AggregationConfig> | undefined,
  strategy: ConflictStrategy,
  known: readonly string[],
): { readonly prefixFormat: string; readonly priorityOrder: readonly string[] } {
  const details = aggregation?.child('conflictResolutionConfig');
  // Prompts are prefixed under every strategy, so the format always has an effect.
  const prefixFormat = details?.get('prefixFormat') ?? DEFAULT_PREFIX_FORMAT;
  if (prefixFormat === '' && strategy === 'prefix') {
    context.report(
      gateway,
      'LNT1013',
      [...(details?.path ?? []), 'prefixFormat'],
      'an empty prefixFormat prefixes nothing; leave it out for "{workload}_" or choose another conflictResolution',
      { help: 'Write a prefix such as "{workload}_"' },
    );
  }
  if (strategy !== 'priority') {
    details?.ignore('priorityOrder', `conflictResolution is ${strategy}, not priority`);
    return { prefixFormat, priorityOrder: [] };
  }
  const authoredOrder = details?.get('priorityOrder') ?? [];
  for (const [rank, name] of authoredOrder.entries()) {
    const path = [...(details?.path ?? []), 'priorityOrder', rank];
    reportUnknownBackend(context, gateway, path, name, known);
    if (authoredOrder.indexOf(name) < rank)
      context.report(gateway, 'LNT1008', path, `"${name}" stands earlier in the order, and that place counts`);
  }
  const priorityOrder = [...new Set(authoredOrder)];
  if (priorityOrder.length === 0) {
    context.report(
      gateway,
      'LNT3010',
      ['spec', 'config', 'aggregation', 'conflictResolution'],
      'conflictResolution priority needs conflictResolutionConfig.priorityOrder with at least one backend',
    );
  }
  return { prefixFormat, priorityOrder };
}

/** Reports settings that a strategy requires in `tools`. */
function reportGaps(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  strategy: ConflictStrategy,
  visibility: 'allow' | 'deny',
  priorityOrder: readonly string[],
  entries: ReadonlyMap<string, unknown>,
): void {
  const aggregation = ['spec', 'config', 'aggregation'];
  if (strategy === 'manual' && entries.size === 0) {
    context.report(
      gateway,
      'LNT3011',
      [...aggregation, 'conflictResolution'],
      'conflictResolution manual needs at least one entry in aggregation.tools that says how conflicts end',
    );
  }
  if (strategy !== 'priority' || visibility !== 'deny') return;
  for (const name of priorityOrder.filter(backend => !entries.has(backend))) {
    context.report(
      gateway,
      'LNT3014',
      [...aggregation, 'defaultToolVisibility'],
      `backend "${name}" is in priorityOrder but hidden by defaultToolVisibility deny: it would take names and show nothing; give it an entry in aggregation.tools`,
    );
  }
}
