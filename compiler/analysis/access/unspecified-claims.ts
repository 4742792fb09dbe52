import { readCedarUses } from '#shared/plan';
import { findPolicySet } from '../cedar/authorization.ts';
import type { GatewayModel } from '../gateway/model.ts';
import {
  authenticateCaller,
  type Claims,
  type EvaluationContext,
  listAbsentClaims,
  toAdmittingServer,
} from './admission.ts';

/**
 * Claims that every token has, that policies read, and that the caller's claims here leave out: the gateway's decision depends on values that
 * are not given.
 *
 * @param claims undefined for a caller without a token
 */
export function listUnspecifiedClaims(
  gateway: GatewayModel,
  claims: Claims | undefined,
  context: EvaluationContext,
): readonly string[] {
  const { caller, refusals } = authenticateCaller(toAdmittingServer(gateway), claims, context);
  const set = findPolicySet(gateway);
  if (caller === undefined || refusals.length > 0 || set === undefined) return [];
  const reads = readCedarUses(set.policies.map(({ json }) => json));
  // A policy that reads the whole entity or record, as in `context == {}`, reads these claims too.
  const isRead = (name: string) => reads === undefined || reads.has(`claim_${name}`) || reads.has(`claimset_${name}`);
  return listAbsentClaims(toAdmittingServer(gateway), caller.claims).filter(isRead);
}
