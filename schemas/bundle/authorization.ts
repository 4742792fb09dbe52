/** The permissions of callers. */

/**
 * Cedar policies, or none. With `none` every authenticated caller may do everything. `policyCount` is compared with the number of loaded
 * policies, so that no policy is lost unnoticed.
 */
export type AuthorizationPlan = { readonly engine: 'none'; readonly policyCount: 0 } | CedarPlan;

export interface CedarPlan {
  readonly engine: 'cedar';
  /** The number of policies, at least 1. */
  readonly policyCount: number;
  /** The policies in the order of their source. */
  readonly policies: readonly CedarPolicyPlan[];
  /** Entities of the spec in Cedar's JSON form. */
  readonly entities: readonly CedarEntityPlan[];
  /** Id of the `MCP` entity that every tool, prompt and resource is in. */
  readonly server: string;
  /** Entity type of groups and roles. */
  readonly groupType: string;
  /** Claims that list groups; the first that the caller has is used. An exact name is tried first, then a dotted path. */
  readonly groupClaims: readonly string[];
  /** One more claim whose values are treated as groups. */
  readonly roleClaim: string | null;
  /** Claims with space-separated values, which policies can also read as sets (`claimset_<name>`). */
  readonly multiValuedClaims: readonly string[];
  /** The upstream whose access token gives the claims that policies see; absent: the token in the caller's request. */
  readonly primaryUpstream?: string;
}

export interface CedarPolicyPlan {
  /** `policy` and its index, from 0; the id that Cedar gets. */
  readonly id: string;
  /** The name that users see: the policy's `@id`, or else its id. */
  readonly name: string;
  readonly text: string;
  /**
   * For a policy that reads arguments: the policy with each such condition replaced by the result that favours the caller. Lists use it, because
   * no arguments are known there: an item is listed when some arguments may be permitted. It fails only where the policy itself fails for all
   * arguments.
   */
  readonly listText?: string;
}

/** An entity in Cedar's JSON form. */
export interface CedarEntityPlan {
  readonly uid: { readonly type: string; readonly id: string };
  readonly attrs: { readonly [name: string]: unknown };
  readonly parents: readonly { readonly type: string; readonly id: string }[];
  readonly tags?: { readonly [name: string]: unknown };
}
