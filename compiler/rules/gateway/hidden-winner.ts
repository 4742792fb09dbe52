import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { toRelatedLocation } from '../../resolve/related-location.ts';
import { locateName, locateTools } from '../support/gateway-locations.ts';

/**
 * If the backend that owns a name hides its tool, clients get no tool of that name: no other backend takes over.
 *
 * @holds config.aggregation, backends | (tools that win by priority) | are advertised | LNT3003
 * @needs all backends
 */
export function hiddenWinner(gateway: GatewayModel): Diagnostic[] {
  return gateway.withheld.tools.flatMap(({ name, backend, originalName, reason, advertised }) => {
    if (reason !== 'outranked' || !advertised) return [];
    const winner = gateway.toolNames.findByName(name);
    if (winner === undefined || winner.advertised) return [];
    const { resource, path } = locateTools(gateway, winner.backend);
    const unseen = winner.fault === undefined ? 'which hides it' : `whose tool is withheld (${winner.fault.detail})`;
    const message = `by priority "${name}" belongs to "${winner.backend}", ${unseen}: clients do not see the tool of "${backend}" either`;
    const loser = locateName(gateway, backend, originalName);
    const related =
      loser === undefined ? [] : [toRelatedLocation(`"${originalName}" of "${backend}" is withheld`, loser)];
    return [diagnose(resource.document, 'LNT3003', path, message, { related })];
  });
}
