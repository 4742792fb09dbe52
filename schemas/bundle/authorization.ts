/** Who may do what. */

/**
 * `policyCount` is checked against the policies that were loaded: a lost policy must not go unnoticed. Without policies
 * (`none`) every admitted caller may do everything.
 */
export type AuthorizationPlan = { readonly engine: 'none'; readonly policyCount: 0 } | CedarPlan;

export interface CedarPlan {
  readonly engine: 'cedar';
  /** At least 1. */
  readonly policyCount: number;
  /** In the order of the source. */
  readonly policies: readonly CedarPolicyPlan[];
  /** Entities of the spec in Cedar's JSON form. */
  readonly entities: readonly CedarEntityPlan[];
  /** Id of the `MCP` entity that every tool, prompt and resource is in. */
  readonly server: string;
  /** Type of the entities that groups and roles become. */
  readonly groupType: string;
  /** Claims that list groups, in order; the first that a caller has counts. Exact name first, then a dotted path. */
  readonly groupClaims: readonly string[];
  /** A further claim whose values count as groups. */
  readonly roleClaim: string | null;
  /** Claims of space-separated values, which policies also see as sets (`claimset_<name>`). */
  readonly multiValuedClaims: readonly string[];
  /** The upstream by whose access token policies know a caller; absent: by the token that the caller came with. */
  readonly primaryUpstream?: string;
}

export interface CedarPolicyPlan {
  /** `policy` and its number, from 0: what Cedar calls it. */
  readonly id: string;
  /** Its `@id`, or else its id: for people. */
  readonly name: string;
  readonly text: string;
  /**
   * For a policy that looks at arguments: the same with everything that looks at them taken as it favours the caller most.
   * Lists are decided with it, where arguments are not known yet: an item is shown when some arguments may be permitted.
   * Evaluating it fails only where the policy itself fails with whatever arguments.
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
