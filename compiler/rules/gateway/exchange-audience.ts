import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { GatewayModel } from '../../gateway/model.ts';
import { audienceOf, chosenIncomingAuth } from '../../resolve/chosen-incoming-auth.ts';
import { diagnose } from '../../resolve/diagnose.ts';
import { backendToken } from './backend-tokens.ts';
import { credentialSpot } from './credential-spot.ts';
import { quotedList } from './texts.ts';

/** A token for a backend that is also one for the gateway could be sent back to it. */
export function exchangeAudience(gateway: GatewayModel): Diagnostic[] {
  const { oidc } = chosenIncomingAuth(gateway.resource.spec);
  if (oidc === undefined) return [];
  const incoming = audienceOf(oidc);
  const backends = gateway.backends.filter(({ plan }) => backendToken(plan.auth)?.audience === incoming);
  // Backends that share a choice share the finding.
  const bySpot = Map.groupBy(backends, backend => JSON.stringify(credentialSpot(gateway, backend).path));
  return [...bySpot.values()].flatMap(sharing => {
    const [first] = sharing;
    if (first === undefined) return [];
    const { resource, path } = credentialSpot(gateway, first);
    const names = quotedList(sharing.map(({ name }) => name));
    const message = `the token for ${names} has the audience of the gateway itself, "${incoming}", so it can be used here as well`;
    return [diagnose(resource.document, 'LNT6005', path, message)];
  });
}
