import type { MCPServerSpec } from '#schemas';
import { findNearest } from '#shared/util';
import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { suggestFix } from '../support/texts.ts';

/**
 * Limits of a server must name its tools, by the names of its own proxy. A warning, because the gateway works anyway.
 *
 * @holds Other kinds | MCPServer `rateLimiting.tools[].name` | a tool of the server, by the tool lock, where a gateway uses it | LNT3001
 * @reads operation
 */
export function serverLimits({ backends }: GatewayModel): Diagnostic[] {
  return backends.flatMap(checkLimits);
}

function checkLimits({ origin: { resource }, locked }: BackendModel): Diagnostic[] {
  if (resource.kind !== 'MCPServer' || locked === undefined) return [];
  const names = locked.tools.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  const limits = (resource.spec as MCPServerSpec).rateLimiting?.tools ?? [];
  return limits.flatMap(({ name }, index) => {
    if (names.includes(name)) return [];
    const path = ['spec', 'rateLimiting', 'tools', index, 'name'];
    const message = `the server has no tool "${name}", so the limit has no effect`;
    const details = { severity: 'warning', ...suggestFix(findNearest(name, names)) } as const;
    return [diagnose(resource.document, 'LNT3001', path, message, details)];
  });
}
