import { findPolicySet } from '../../analysis/cedar/authorization.ts';
import { diagnoseText } from '../../analysis/cedar/locate-text.ts';
import { listNamedEntities } from '../../analysis/cedar/named-entities.ts';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * Under `priority` the first backend with a name owns it: a permit that mentions the name silently applies to another backend when the order or
 * the backends change.
 *
 * @holds incomingAuth | policies under `priority` | name tools that only one backend offers | LNT5005
 * @reads sign-in
 * @needs all backends
 */
export function permitMovesWithPriority(gateway: GatewayModel): Diagnostic[] {
  if (gateway.plan.aggregation.strategy !== 'priority') return [];
  const lowerPriority = Map.groupBy(
    gateway.withheld.tools.filter(({ reason }) => reason === 'outranked'),
    ({ name }) => name,
  );
  const permits = (findPolicySet(gateway)?.policies ?? []).filter(({ json }) => json.effect === 'permit');
  return permits.flatMap(policy =>
    listNamedEntities(policy.text).flatMap(({ uid, part }) => {
      const losers = uid.type === 'Tool' ? lowerPriority.get(uid.id) : undefined;
      const holder = gateway.tools.find(({ name }) => name === uid.id);
      if (losers === undefined || holder === undefined) return [];
      const others = [...new Set(losers.map(({ backend }) => `"${backend}"`))].join(', ');
      const message = `${policy.name} permits "${uid.id}" of backend "${holder.backend}", which outranks ${others}: the permit applies to the tool of the backend that ranks first`;
      return [diagnoseText(policy.source, 'LNT5005', { ...part, offset: policy.offset + part.offset }, message)];
    }),
  );
}
