import type { OutgoingAuthPlan } from '#schemas';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { locateCredential } from '../support/locate-credential.ts';

/**
 * A proxy that validates tokens answers 401 to a gateway that sends no token.
 *
 * @holds outgoingAuth and config.outgoingAuth | (backends) | a token is sent if a proxy requires one | LNT6016
 * @reads credentials
 */
export function tokenNotSent(gateway: GatewayModel): Diagnostic[] {
  return gateway.backends.flatMap(backend => {
    const { resource: workload } = backend.origin;
    const { oidcConfigRef } = workload.spec as { readonly oidcConfigRef?: object };
    if (oidcConfigRef === undefined || sendsToken(backend.plan.auth)) return [];
    const { resource, path } = locateCredential(gateway, backend);
    const message = `${workload.kind} "${workload.name}" requires a token from its callers, and VirtualMCPServer "${gateway.resource.name}" sends no token: the server will answer its calls with 401`;
    const related = [toRelatedLocation('required here', { resource: workload, path: ['spec', 'oidcConfigRef'] })];
    return [diagnose(resource.document, 'LNT6016', path, message, { related })];
  });
}

function sendsToken(auth: OutgoingAuthPlan): boolean {
  switch (auth.type) {
    case 'header_injection':
      return auth.header.toLowerCase() === 'authorization';
    case 'token_exchange':
    case 'upstream_inject':
    case 'obo':
    case 'xaa':
      return true;
    case 'aws_sts':
    case 'unauthenticated':
      return false;
  }
}
