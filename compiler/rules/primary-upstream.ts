import type { VirtualMCPServerSpec } from '#schemas';
import { findNearest } from '#shared/util';
import { diagnoseText } from '../analysis/cedar/locate-text.ts';
import { findPolicySource, type PlacedText } from '../analysis/cedar/policy-source.ts';
import { type DiagnoseDetails, diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { chooseIncomingAuth } from '../resolve/choose-incoming-auth.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/**
 * Policies read the claims of one upstream; an upstream that the spec names must exist.
 *
 * @holds incomingAuth | `…inline.primaryUpstreamProvider`, `primary_upstream_provider` of documents | names an upstream; the field in
 *   `authServerConfig` takes precedence | LNT4011, LNT1008
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `primaryUpstreamProvider` | names an upstream; a hint if there
 *   are several upstreams and the field is not set | LNT4011, LNT4012
 */
export function primaryUpstream(resource: Resource, inventory: Inventory): Diagnostic[] {
  const spec = gatewaySpec(resource);
  if (spec === undefined) return [];
  const { authServerConfig: server } = spec;
  const gateway = resource as Resource<VirtualMCPServerSpec>;
  const policySource = findPolicySource(gateway, inventory)?.primaryUpstream;
  const chosen = server?.primaryUpstreamProvider;
  if (chosen !== undefined && chosen !== '') {
    const path = ['spec', 'authServerConfig', 'primaryUpstreamProvider'];
    const found = checkKnown(spec, chosen, (message, details) =>
      diagnose(resource.document, 'LNT4011', path, message, details),
    );
    if (policySource === undefined || policySource.text === chosen) return found;
    const message = `${readField(policySource)} has no effect here: authServerConfig.primaryUpstreamProvider takes precedence`;
    return [...found, diagnose(policySource.resource.document, 'LNT1008', policySource.path, message, { at: 'key' })];
  }
  if (policySource !== undefined) {
    const whole = { offset: 0, length: policySource.text.length };
    return checkKnown(spec, policySource.text, (message, details) =>
      diagnoseText(policySource, 'LNT4011', whole, message, details),
    );
  }
  const upstreams = server?.upstreamProviders ?? [];
  if (upstreams.length < 2 || spec.incomingAuth === undefined || chooseIncomingAuth(spec).policies === undefined)
    return [];
  const message = `policies read the claims of the first of ${upstreams.length} upstreams, "${upstreams[0]?.name}"`;
  const fix = 'name the upstream in authServerConfig.primaryUpstreamProvider';
  return [
    diagnose(resource.document, 'LNT4012', ['spec', 'authServerConfig', 'upstreamProviders'], message, {
      at: 'key',
      fix,
    }),
  ];
}

function checkKnown(
  { authServerConfig: server }: VirtualMCPServerSpec,
  name: string,
  report: (message: string, details?: DiagnoseDetails) => Diagnostic,
): Diagnostic[] {
  if (server === undefined) return [report(`there is no authServerConfig that could have an upstream "${name}"`)];
  const names = server.upstreamProviders.map(upstream => upstream.name);
  if (names.includes(name)) return [];
  const close = findNearest(name, names);
  return [report(`no upstream is named "${name}"`, close === undefined ? {} : { fix: `did you mean "${close}"?` })];
}

/** The name of the field with the upstream, for messages. A policy document calls this field differently than a spec does. */
function readField({ path, within }: PlacedText): string {
  return String((within ?? path).at(-1));
}
