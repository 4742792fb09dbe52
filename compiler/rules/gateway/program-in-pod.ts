import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * stdio servers of a developer's machine do not run in a cluster.
 *
 * @holds config.aggregation, backends | (backends) | in a pod: no backend that runs a `command` of a machine | LNT6021 |
 *   `rules/setting-of-a-proxy`
 */
export function programInPod({ settings, backends, resource }: GatewayModel): Diagnostic[] {
  if (settings.target !== 'pods') return [];
  return backends.flatMap(({ name, plan: { stdio }, origin }) => {
    if (stdio === undefined) return [];
    const message = `"${name}" is a command of this machine, and nothing runs it in a cluster: VirtualMCPServer "${resource.name}" would never reach it`;
    return [diagnose(origin.resource.document, 'LNT6021', ['spec', 'command'], message)];
  });
}
