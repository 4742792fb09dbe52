import type { VirtualMCPServerSpec } from '#schemas';
import { findNearest } from '#shared/util';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic, DiagnosticDetails } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { type UpstreamUse, upstreamUses } from './support/upstream-uses.ts';

/**
 * The upstream whose token is sent to a backend must exist in the gateway's own authorization server.
 *
 * @holds outgoingAuth and config.outgoingAuth | `upstream_inject`, `subjectProviderName` | an upstream of the gateway, also by reference and
 *   in group members | LNT6006
 * @holds outgoingAuth and config.outgoingAuth | `xaa.subjectProviderName` | required if there are several upstreams; names an existing
 *   upstream | LNT6014, LNT6006
 */
export function knownUpstreams(resource: Resource, inventory: Inventory): Diagnostic[] {
  if (resource.kind !== 'VirtualMCPServer') return [];
  const gateway = resource as Resource<VirtualMCPServerSpec>;
  return upstreamUses(gateway, inventory).flatMap(use => check(gateway, use));
}

function check(gateway: Resource<VirtualMCPServerSpec>, use: UpstreamUse): Diagnostic[] {
  const { authServerConfig: server } = gateway.spec;
  const upstreams = server?.upstreamProviders.map(({ name }) => name);
  const { kind, upstream, path, via } = use;
  const who =
    via === undefined
      ? ''
      : `MCPExternalAuthConfig "${via.config}"${via.backend === undefined ? '' : ` of backend "${via.backend}"`}: `;
  const report = (text: string, details?: DiagnosticDetails) => [
    diagnose(gateway.document, 'LNT6006', path, `${who}${text}`, details),
  ];
  if (server?.disableUpstreamTokenInjection === true) {
    // Without an explicit upstream the caller's own token is exchanged.
    if (upstream === undefined && kind !== 'xaa') return [];
    return report(
      'the gateway does not send tokens of upstreams to backends: authServerConfig.disableUpstreamTokenInjection is true',
    );
  }
  if (upstream === undefined) {
    if (kind !== 'xaa' || upstreams?.length === 1) return [];
    if (upstreams === undefined)
      return report('xaa needs the ID token of an upstream, and there is no authServerConfig');
    const text = `subjectProviderName must name one of the upstreams: ${upstreams.join(', ')}`;
    return [diagnose(gateway.document, 'LNT6014', path, `${who}${text}`)];
  }
  if (upstreams === undefined) {
    return report(`upstream "${upstream}" needs an authServerConfig in the gateway, which has none`);
  }
  if (upstreams.includes(upstream)) return [];
  const close = findNearest(upstream, upstreams);
  const details = close === undefined ? {} : { fix: `did you mean "${close}"?` };
  return report(`no upstream is named "${upstream}"`, details);
}
