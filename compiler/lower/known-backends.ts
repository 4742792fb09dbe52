import type { VirtualMCPServerSpec } from '#schemas';
import { findNearest } from '#shared/util';
import { isGroupResolved, listStrayWorkloads, mayBeBrokenMember } from '../resolve/group-members.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import type { LoweringContext } from './context.ts';

/**
 * Reports a name that no backend of this gateway has. Settings for a misspelt backend would apply to none, and the intended backend would keep
 * the defaults, which advertise everything.
 */
export function reportUnknownBackend(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  path: Path,
  name: string,
  known: readonly string[],
  at: 'key' | 'value' = 'value',
): void {
  if (known.includes(name)) return;
  // A workload with errors is currently not a backend; its own error is the one to correct.
  const group = { namespace: gateway.namespace, name: gateway.spec.groupRef.name };
  if (mayBeBrokenMember(context.inventory, group, name)) return;
  // The members of a missing group are unknown as well.
  if (!isGroupResolved(context.inventory, group.namespace, group.name)) return;
  const stray = listStrayWorkloads(context.inventory, group.namespace).find(workload => workload.name === name);
  const fix = stray === undefined ? formatNames(name, known) : formatStray(stray, group.name);
  context.report(gateway, 'LNT3012', path, `no backend of this gateway is named "${name}"`, { at, fix });
}

/** The correction for a name that a workload has whose own group does not exist. */
function formatStray({ kind, name, spec }: ReturnType<typeof listStrayWorkloads>[number], group: string): string {
  return `the group "${spec.groupRef?.name}" of ${kind} "${name}" does not exist: name "${group}" there`;
}

function formatNames(name: string, known: readonly string[]): string {
  const close = findNearest(name, known);
  return close === undefined ? formatKnown(known) : `did you mean "${close}"?`;
}

function formatKnown(known: readonly string[]): string {
  return known.length === 0 ? 'the gateway has no backends in these sources' : `backends: ${known.join(', ')}`;
}
