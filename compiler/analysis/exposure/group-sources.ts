/** Where the groups that policies test come from: claims of the token, and entities of the spec. */
import { type CedarPlan, compareText, isObject } from '#schemas';
import { DEFAULT_GROUP_TYPE } from '../cedar/policy-source.ts';
import type { Exposure } from './exposure.ts';

export interface GroupSources {
  /** The claims that contain groups, such as `team_groups, else groups, roles, cognito:groups`. Null when callers have no token. */
  readonly claims: string | null;
  /** The groups that the spec puts into others, such as `Group::"support" in Group::"staff"`; sorted. */
  readonly parents: readonly string[];
}

/** The sources of groups. Undefined when no policy tests groups, and when an earlier version wrote the exposure. */
export function findGroupSources({ authentication, plan }: Exposure): GroupSources | undefined {
  const policies = plan?.authorization;
  if (!isObject(policies) || policies.engine !== 'cedar') return undefined;
  // The value comes from a file and may have any type.
  const { groupType, groupClaims, roleClaim, policies: texts, entities } = policies as unknown as CedarPlan;
  if (!Array.isArray(groupClaims) || !Array.isArray(texts) || !Array.isArray(entities)) return undefined;
  if (!texts.some(text => String(text?.text).includes(`${groupType}::`))) return undefined;
  const [first, ...others] = groupClaims;
  const also = typeof roleClaim === 'string' ? `, and ${roleClaim} besides` : '';
  const named = groupType === DEFAULT_GROUP_TYPE ? '' : `, as ${groupType}`;
  return {
    claims: authentication.type === 'oidc' ? `${first}, else ${others.join(', ')}${also}${named}` : null,
    parents: entities.flatMap(entity => formatParents(entity, groupType)).toSorted(compareText),
  };
}

function formatParents({ uid, parents }: CedarPlan['entities'][number], groupType: string): readonly string[] {
  if (!Array.isArray(parents)) return [];
  const text = ({ type, id }: CedarPlan['entities'][number]['uid']) => `${type}::${JSON.stringify(id)}`;
  return parents.filter(({ type }) => type === groupType).map(parent => `${text(uid)} in ${text(parent)}`);
}
