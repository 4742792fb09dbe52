import type { MCPServerSpec, VirtualMCPServerSpec } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';

/** What the kinds with sessions have in common. */
type Sessions = Pick<MCPServerSpec, 'transport' | 'replicas' | 'sessionStorage'>;

/** Sessions in Redis need its address, and several replicas need sessions that they share. */
export function sessionStorage(resource: Resource): Diagnostic[] {
  switch (resource.kind) {
    case 'MCPServer':
    case 'MCPRemoteProxy': {
      const { transport, replicas, sessionStorage: storage } = resource.spec as Sessions;
      // Over standard streams there is one replica, whatever is written.
      if (transport === 'stdio') return [];
      return unshared(resource, replicas, storage?.provider);
    }
    case 'VirtualMCPServer': {
      const { replicas, sessionStorage: chosen, config } = resource.spec as VirtualMCPServerSpec;
      const fallback = chosen === undefined ? config?.sessionStorage : undefined;
      const found = unshared(resource, replicas, (chosen ?? fallback)?.provider);
      if (fallback?.provider !== 'redis' || (fallback.address ?? '') !== '') return found;
      const at = ['spec', 'config', 'sessionStorage', 'address'];
      return [diagnose(resource.document, 'LNT1010', at, 'session storage in Redis needs an address'), ...found];
    }
    default:
      return [];
  }
}

function unshared(resource: Resource, replicas: number | undefined, provider: string | undefined): Diagnostic[] {
  if (replicas === undefined || replicas <= 1 || provider === 'redis') return [];
  const message = `${replicas} replicas do not share sessions: a session is lost when its requests reach another one`;
  return [diagnose(resource.document, 'LNT4016', ['spec', 'replicas'], message)];
}
