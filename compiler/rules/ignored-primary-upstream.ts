import type { MCPExternalAuthConfigSpec, MCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';

/**
 * Only a gateway can have several upstreams to choose claims from.
 *
 * @holds Other kinds | MCPServer, and `embeddedAuthServer` | `primaryUpstreamProvider` has no effect | LNT1008
 */
export function ignoredPrimaryUpstream(resource: Resource): Diagnostic[] {
  const [value, path] = locateProvider(resource);
  if (value === undefined || value === '') return [];
  const message = 'primaryUpstreamProvider has no effect here: only a VirtualMCPServer chooses among upstreams';
  return [diagnose(resource.document, 'LNT1008', path, message, { at: 'key' })];
}

function locateProvider({ kind, spec }: Resource): readonly [value: string | undefined, path: string[]] {
  const field = 'primaryUpstreamProvider';
  if (kind === 'MCPExternalAuthConfig') {
    const { embeddedAuthServer } = spec as MCPExternalAuthConfigSpec;
    return [embeddedAuthServer?.[field], ['spec', 'embeddedAuthServer', field]];
  }
  if (kind !== 'MCPServer' && kind !== 'MCPRemoteProxy') return [undefined, []];
  const { authzConfig } = spec as Pick<MCPServerSpec, 'authzConfig'>;
  return [authzConfig?.inline?.[field], ['spec', 'authzConfig', 'inline', field]];
}
