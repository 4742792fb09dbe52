import type { CedarAction } from '#shared/plan';
import type { GatewayModel } from '../gateway/model.ts';
import { buildPartialRequest, evaluateAccess } from './access.ts';
import { findPolicySet, type NamedPolicy } from './authorization.ts';
import type { RequestedItem } from './partial-request.ts';

/** The policy that forbids something to every caller, even if other policies permit it; undefined if there is no such policy. */
export function findUnconditionalForbid(
  gateway: GatewayModel,
  action: CedarAction,
  target: RequestedItem,
): NamedPolicy | undefined {
  const set = findPolicySet(gateway);
  if (set === undefined) return undefined;
  const request = buildPartialRequest(gateway, set, action, target);
  // A forbid applies to every caller whom a permit with the same text would let in.
  const reachesEveryone = (policy: NamedPolicy) =>
    evaluateAccess([{ ...policy, json: { ...policy.json, effect: 'permit' } }], request).type === 'everyone';
  return set.policies.find(policy => policy.json.effect === 'forbid' && reachesEveryone(policy));
}
