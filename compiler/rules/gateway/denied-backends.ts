import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../source/source-document.ts';
import { checkDeniedHost } from '../contacted-hosts.ts';

/**
 * Backends must not have private addresses, including cluster Services, when an operator denies them.
 *
 * @holds config.aggregation, backends | every field with an address that is contacted, with `denyPrivateBackends` or `--deny-private-backends`
 *   | no backend, token endpoint or upstream registry at a private or loopback address, except those that are listed | LNT6010 |
 *   `rules/denied-backends`
 */
export function deniedBackends({ settings: { denial }, resource, backends }: GatewayModel): Diagnostic[] {
  if (denial === undefined) return [];
  return backends.flatMap(backend => {
    // No spec contains the address of a bridge, so a stdio server on this machine is exempt.
    if (backend.plan.stdio !== undefined) return [];
    const { document, kind } = backend.origin.resource;
    const host = URL.parse(backend.plan.url)?.hostname ?? '';
    return checkDeniedHost(
      document,
      backend.origin.resource === resource ? locateUrl(backend) : toMemberPath(kind),
      host,
      denial,
    );
  });
}

function locateUrl({ origin }: BackendModel): Path {
  return [...origin.path, 'url'];
}

/** The path of a group member's own address; a workload has the address of its Service. */
function toMemberPath(kind: string): Path {
  return kind === 'MCPServerEntry' ? ['spec', 'remoteUrl'] : ['metadata', 'name'];
}
