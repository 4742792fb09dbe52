import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { findBackendToken } from '../support/backend-tokens.ts';
import { groupByLocation } from '../support/locate-credential.ts';
import { formatQuotedList } from '../support/texts.ts';

/**
 * A backend's token must not be valid at the gateway itself: the backend could use it there.
 *
 * @holds outgoingAuth and config.outgoingAuth | `tokenExchange.audience`, `obo.audience`, `xaa.targetResource` | differs from the incoming
 *   audience | LNT6005
 * @for gateways, servers
 * @reads sign-in, credentials
 */
export function exchangeForItself(gateway: GatewayModel): Diagnostic[] {
  const { incomingAuth } = gateway.plan;
  const accepted = incomingAuth.type === 'oidc' ? incomingAuth.providers.map(({ audience }) => audience) : [];
  return accepted.flatMap(audience => {
    const backends = gateway.backends.filter(({ plan }) => findBackendToken(plan.auth)?.audience === audience);
    return groupByLocation(gateway, backends).map(([{ resource, path }, sharing]) => {
      const names = formatQuotedList(sharing.map(({ name }) => name));
      const message = `the token for ${names} has the audience of the gateway itself, "${audience}", so a backend could use it to call the gateway`;
      return diagnose(resource.document, 'LNT6005', path, message);
    });
  });
}
