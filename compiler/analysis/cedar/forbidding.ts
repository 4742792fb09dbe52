import type { CedarAction } from '#schemas';
import type { GatewayModel } from '../gateway/model.ts';
import { accessOf, worldOf } from './access.ts';
import { type NamedPolicy, policySetOf } from './authorization.ts';
import type { Target } from './known-world.ts';

/** The policy that forbids something to every caller, whatever others permit; undefined when none does. */
export function forbidOf(gateway: GatewayModel, action: CedarAction, target: Target): NamedPolicy | undefined {
  const set = policySetOf(gateway);
  if (set === undefined) return undefined;
  const world = worldOf(gateway, set, action, target);
  // A forbid reaches whom the same text as a permit would let in.
  const reachesEveryone = (policy: NamedPolicy) =>
    accessOf([{ ...policy, json: { ...policy.json, effect: 'permit' } }], world).type === 'everyone';
  return set.policies.find(policy => policy.json.effect === 'forbid' && reachesEveryone(policy));
}
