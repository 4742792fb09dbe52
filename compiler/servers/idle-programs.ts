import { API_GROUP, type MCPServerSpec } from '#schemas';
import type { GatewaySettings } from '../analysis/gateway/settings.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isGroupResolved, mayHaveGateway } from '../resolve/group-members.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';

const FIX_FOR_PODS =
  'give it an image, or replace it by an MCPServerEntry with the URL of a server that runs, or keep it out of what is deployed';

/**
 * `lintel dev` and `lintel serve` start the commands of the gateway that they serve; a command that belongs to no gateway is never started.
 * Objects of other API groups have a finding of their own.
 */
export function checkIdleProgram(
  { kind, namespace, name, spec, document }: Resource,
  inventory: Inventory,
  target: GatewaySettings['target'],
): Diagnostic[] {
  if (kind !== 'MCPServer' || document.group !== API_GROUP) return [];
  const { image, command, groupRef } = spec as MCPServerSpec;
  if (command === undefined || image !== undefined) return [];
  const group = groupRef?.name;
  if (group !== undefined) {
    if (!isGroupResolved(inventory, namespace, group) || mayHaveGateway(inventory, namespace, group)) return [];
  }
  if (target === 'pods') {
    const message = `"${name}" is a command of a machine, and nothing runs it in a cluster`;
    return [diagnose(document, 'LNT2013', ['spec', 'command'], message, { severity: 'error', fix: FIX_FOR_PODS })];
  }
  const [path, why, fix] =
    group === undefined
      ? [['command'], 'it is in no group', 'name the group of a gateway in spec.groupRef']
      : [['groupRef', 'name'], `no gateway has its group "${group}"`, `name "${group}" in the groupRef of a gateway`];
  const message = `nothing starts "${name}": it is a command, and ${why}`;
  return [diagnose(document, 'LNT2013', ['spec', ...path], message, { fix: `${fix}, or delete the MCPServer` })];
}
