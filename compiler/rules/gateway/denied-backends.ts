import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../source/source-document.ts';
import { deniedHost } from '../contacted-hosts.ts';

/** Backends at private addresses, Services of the cluster included, where an operator denies them. */
export function deniedBackends({ settings: { denial }, resource, backends }: GatewayModel): Diagnostic[] {
  if (denial === undefined) return [];
  return backends.flatMap(backend => {
    // A program of this machine: no spec says where its bridge is.
    if (backend.plan.stdio !== undefined) return [];
    const { document, kind } = backend.origin.resource;
    const host = URL.parse(backend.plan.url)?.hostname ?? '';
    return deniedHost(
      document,
      backend.origin.resource === resource ? locateUrl(backend) : memberPlace(kind),
      host,
      denial,
    );
  });
}

function locateUrl({ origin }: BackendModel): Path {
  return [...origin.path, 'url'];
}

/** Where a member of the group says its address; a workload has that of its Service. */
function memberPlace(kind: string): Path {
  return kind === 'MCPServerEntry' ? ['spec', 'remoteUrl'] : ['metadata', 'name'];
}
