/** Policies in the form that the runtime reads. */
import type { CedarEntityPlan, CedarPlan } from '#schemas';
import type { PolicySet } from './authorization.ts';
import { parseEntityUid } from './expression.ts';
import { formatForLists } from './without-arguments.ts';

/** Claims that may list groups, tried after the one that the spec names. */
const GROUP_CLAIMS = ['groups', 'roles', 'cognito:groups'] as const;

/** @param server name of the gateway */
export function buildCedarPlan(
  server: string,
  { source, multiValuedClaims, policies, writtenEntities }: PolicySet,
): CedarPlan {
  const { groupType, groupClaim, roleClaim } = source;
  const entities = writtenEntities.map(
    ({ uid, attrs, parents, tags }): CedarEntityPlan => ({
      uid: readUid(uid),
      attrs,
      parents: parents.map(readUid),
      ...(tags === undefined ? {} : { tags }),
    }),
  );
  return {
    engine: 'cedar',
    policyCount: policies.length,
    policies: policies.map(({ id, name, text, json, condition }) => {
      const listText = formatForLists(json.effect, condition, entities);
      return listText === undefined ? { id, name, text } : { id, name, text, listText };
    }),
    entities,
    server,
    groupType,
    groupClaims: [...new Set(groupClaim === undefined ? GROUP_CLAIMS : [groupClaim, ...GROUP_CLAIMS])],
    roleClaim: roleClaim ?? null,
    multiValuedClaims,
  };
}

/** Normalizes the two JSON forms of an entity id. */
function readUid(uid: unknown): CedarEntityPlan['uid'] {
  const { type, id } = parseEntityUid(uid);
  return { type, id };
}
