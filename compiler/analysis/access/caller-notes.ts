import type { GatewayModel } from '../gateway/model.ts';
import { authenticateCaller, type Claims, type EvaluationContext, toAdmittingServer } from './admission.ts';
import { describeIdleClaims, describeIdleGroups } from './idle-claims.ts';

/**
 * Notes about a caller that apply to each of its requests: why the gateway refuses its token, claims and groups that decide nothing
 * and were probably meant to, and dates that have passed.
 *
 * @param areChosen whether the claims were chosen for this question: then a claim that no policy reads is probably a mistake
 */
export function listCallerNotes(
  gateway: GatewayModel,
  claims: Claims,
  areChosen: boolean,
  context: EvaluationContext,
): readonly string[] {
  const { refusals, notes } = authenticateCaller(toAdmittingServer(gateway), claims, context);
  const idle = [describeIdleClaims, describeIdleGroups].flatMap(notesOf => notesOf(gateway, claims, areChosen));
  return [...refusals.map(cause => `the gateway refuses the caller: ${cause}`), ...idle, ...notes];
}
