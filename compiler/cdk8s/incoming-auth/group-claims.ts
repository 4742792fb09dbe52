import type { AuthzConfig } from '#schemas';
import { checkProps } from '../known-props.ts';
import { toManifestValue } from '../values/manifest-value.ts';
import type { IncomingParts } from './incoming.ts';

/** Which claims contain the groups of a caller, and the type of groups in policies. */
export interface GroupClaims {
  /** Claim that lists the groups. A token without it falls back to the default claims. */
  readonly claim?: string;
  /** Further claim whose values count as groups. */
  readonly roleClaim?: string;
  /** Cedar entity type of groups. Default: `Group`. */
  readonly entityType?: string;
}

export function groupClaims(groups: GroupClaims | undefined): Pick<IncomingParts, 'groups'> {
  if (groups === undefined) return {};
  checkProps('groups', groups, { claim: true, roleClaim: true, entityType: true });
  const { claim: groupClaimName, roleClaim: roleClaimName, entityType: groupEntityType } = groups;
  const parts: Pick<AuthzConfig, 'groupClaimName' | 'roleClaimName' | 'groupEntityType'> = toManifestValue({
    groupClaimName,
    roleClaimName,
    groupEntityType,
  }) as object;
  return { groups: parts };
}
