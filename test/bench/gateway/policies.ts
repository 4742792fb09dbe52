/** The benchmark's 20 policies, each of which applies to the calls. */
import type { CedarPlan, CedarPolicyPlan } from '#schemas';

const COUNT = 20;

type PolicyText = Pick<CedarPolicyPlan, 'text' | 'listText'>;

/** Policies that decide by group, claim and tool name; the benchmark's callers may call all tools except `big`. */
export const PLAIN_POLICIES: CedarPlan = planOf([
  { text: 'permit(principal in Group::"engineering", action, resource);' },
  { text: 'forbid(principal, action == Action::"call_tool", resource) when { resource.name like "*_big" };' },
  {
    text: 'forbid(principal, action, resource) unless { principal has claim_tier && principal.claim_tier == "gold" };',
  },
  ...others(3).map(number => ({
    text: `permit(principal in Group::"team-${number}", action == Action::"call_tool", resource == Tool::"json_tool_${number}") when { principal.claim_department == "department-${number}" };`,
  })),
]);

/** Policies with the same decisions, half of which read the arguments of the call. */
export const ARGUMENT_POLICIES: CedarPlan = planOf([
  { text: 'permit(principal in Group::"engineering", action, resource);' },
  forbidWhen('context has arg_limit && context.arg_limit > 100'),
  forbidWhen('context has arg_query && context.arg_query like "*drop table*"'),
  ...others(3).map(number =>
    number % 2 === 0
      ? forbidWhen(`context has arg_note && context.arg_note == "forbidden note ${number}"`)
      : { text: `permit(principal in Group::"team-${number}", action, resource == Tool::"json_tool_${number}");` },
  ),
]);

/** A list contains every tool that may be permitted for some arguments. */
function forbidWhen(condition: string): PolicyText {
  const head = 'forbid(principal, action == Action::"call_tool", resource)';
  return { text: `${head} when { ${condition} };`, listText: `${head} when { false };` };
}

function others(from: number): number[] {
  return Array.from({ length: COUNT - from }, (_, index) => from + index);
}

function planOf(texts: readonly PolicyText[]): CedarPlan {
  return {
    engine: 'cedar',
    policyCount: texts.length,
    policies: texts.map((text, index) => ({ id: `policy${index}`, name: `policy${index}`, ...text })),
    entities: [],
    server: 'bench',
    groupType: 'Group',
    groupClaims: ['groups'],
    roleClaim: null,
    multiValuedClaims: [],
  };
}
