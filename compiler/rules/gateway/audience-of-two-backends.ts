import type { BackendModel, GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { findBackendToken } from '../support/backend-tokens.ts';
import { locateCredential } from '../support/locate-credential.ts';
import { parseHost } from '../support/parse-host.ts';
import { formatQuotedList } from '../support/texts.ts';

/**
 * A token for one backend must not be valid at another one: each needs its own audience, unless both are one server.
 *
 * @holds outgoingAuth and config.outgoingAuth | `tokenExchange.audience`, `obo.audience`, `xaa.targetResource` | not the same audience at two
 *   hosts | LNT6017
 * @reads credentials
 */
export function audienceOfTwoBackends(gateway: GatewayModel): Diagnostic[] {
  const byToken = Map.groupBy(gateway.backends, ({ plan }) => {
    const token = findBackendToken(plan.auth);
    return token && JSON.stringify([token.tokenUrl, token.audience]);
  });
  byToken.delete(undefined);
  return [...byToken.values()].flatMap(backends => report(gateway, backends));
}

function report(gateway: GatewayModel, backends: readonly BackendModel[]): Diagnostic[] {
  const hosts = new Set(backends.map(({ plan }) => parseHost(plan.url)));
  const [first, ...others] = backends;
  if (hosts.size < 2 || first === undefined) return [];
  const audience = findBackendToken(first.plan.auth)?.audience;
  const message = `${formatQuotedList(backends.map(({ name }) => name))} get tokens with the same audience, "${audience}": each of them can use its token to call the others`;
  const { resource, path } = locateCredential(gateway, first);
  const locations = others.map(other => locateCredential(gateway, other));
  const related = locations
    .filter(location => location.resource !== resource || location.path.join('/') !== path.join('/'))
    .map(location => toRelatedLocation('the same audience', location));
  return [diagnose(resource.document, 'LNT6017', path, message, { related })];
}
