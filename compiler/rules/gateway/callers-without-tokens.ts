import type { OutgoingAuthPlan } from '#schemas';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { chooseIncomingAuth } from '../../resolve/choose-incoming-auth.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { groupByLocation } from '../support/locate-credential.ts';
import { formatQuotedList } from '../support/texts.ts';

/**
 * A token exchange needs callers with tokens. Other findings cover a gateway without authorization server (LNT6006), and one whose authorization
 * server needs authenticated callers (LNT4010).
 *
 * @holds outgoingAuth and config.outgoingAuth | `tokenExchange`, `awsSts`, `obo` | callers have tokens | LNT6019
 * @reads sign-in, credentials
 */
export function callersWithoutTokens(gateway: GatewayModel): Diagnostic[] {
  const { type } = gateway.plan.incomingAuth;
  if (type === 'oidc') return [];
  const incoming = { resource: gateway.resource, path: [...chooseIncomingAuth(gateway.resource.spec).path, 'type'] };
  const backends = gateway.backends.filter(({ plan }) => tradesToken(plan.auth));
  // Backends whose credential is chosen at the same position share the finding.
  return groupByLocation(gateway, backends).flatMap(([{ resource, path }, sharing]) => {
    const [first] = sharing;
    if (first === undefined) return [];
    const names = formatQuotedList(sharing.map(({ name }) => name));
    const message = `${first.plan.auth.type} for ${names} exchanges the token of the caller, and callers of VirtualMCPServer "${gateway.resource.name}" have no token: every call will fail`;
    const related = [toRelatedLocation(`${type} callers have no token`, incoming)];
    return [diagnose(resource.document, 'LNT6019', path, message, { related })];
  });
}

function tradesToken({ type }: OutgoingAuthPlan): boolean {
  return type === 'token_exchange' || type === 'aws_sts' || type === 'obo';
}
