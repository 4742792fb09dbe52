import { cedarReads } from '#schemas';
import { findPolicySet } from '../cedar/authorization.ts';
import type { GatewayModel } from '../gateway/model.ts';
import { absentClaims, authenticateCaller, type Claims, type EvaluationContext } from './admission.ts';

/**
 * Claims that policies look at and every token has, while those of the caller do not say what is in them: what the gateway would
 * decide is not known without them.
 *
 * @param claims undefined for a caller without a token
 */
export function listUnspecifiedClaims(
  gateway: GatewayModel,
  claims: Claims | undefined,
  context: EvaluationContext,
): readonly string[] {
  const { caller, refusals } = authenticateCaller(gateway, claims, context);
  const set = findPolicySet(gateway);
  if (caller === undefined || refusals.length > 0 || set === undefined) return [];
  const reads = cedarReads(set.policies.map(({ json }) => json));
  // Policies that look at all there is, such as `context == {}`, see these too.
  const isRead = (name: string) => reads === undefined || reads.has(`claim_${name}`) || reads.has(`claimset_${name}`);
  return absentClaims(gateway, caller.claims).filter(isRead);
}
