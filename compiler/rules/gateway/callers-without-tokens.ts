import type { OutgoingAuthPlan } from '#schemas';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { chosenIncomingAuth } from '../../resolve/chosen-incoming-auth.ts';
import { toRelatedLocation } from '../../resolve/related-place.ts';
import { groupByLocation } from '../support/locate-credential.ts';
import { quotedList } from '../support/texts.ts';

/**
 * A token cannot be exchanged where callers have none. Without an authorization server of the gateway, upstreams are unknown
 * (LNT6006), and it needs callers with tokens itself (LNT4010).
 */
export function callersWithoutTokens(gateway: GatewayModel): Diagnostic[] {
  const { type } = gateway.plan.incomingAuth;
  if (type === 'oidc') return [];
  const incoming = { resource: gateway.resource, path: [...chosenIncomingAuth(gateway.resource.spec).path, 'type'] };
  const backends = gateway.backends.filter(({ plan }) => tradesToken(plan.auth));
  // Backends that share a choice share the finding.
  return groupByLocation(gateway, backends).flatMap(([{ resource, path }, sharing]) => {
    const [first] = sharing;
    if (first === undefined) return [];
    const names = quotedList(sharing.map(({ name }) => name));
    const message = `${first.plan.auth.type} for ${names} trades the token of the caller, and callers of VirtualMCPServer "${gateway.resource.name}" have none: every call will fail`;
    const related = [toRelatedLocation(`${type} callers have no token`, incoming)];
    return [diagnose(resource.document, 'LNT6019', path, message, { related })];
  });
}

function tradesToken({ type }: OutgoingAuthPlan): boolean {
  return type === 'token_exchange' || type === 'aws_sts' || type === 'obo';
}
