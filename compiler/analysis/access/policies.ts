/** Evaluates the policies of a gateway as the gateway does, and locates each policy that decided. */
import type { CedarPlan } from '#schemas';
import { type CedarAction, type CedarCaller, type CedarTarget, findAmbiguousArgument } from '#shared/plan';
import { findPolicySet, type NamedPolicy } from '../cedar/authorization.ts';
import { type Decision, decide, getNamedArguments, isListed, looksAtArguments } from '../cedar/decide.ts';
import { locatePolicyText } from '../cedar/locate-text.ts';
import type { GatewayModel } from '../gateway/model.ts';

export type CallArguments = Readonly<Record<string, unknown>>;

/** A policy, and where it is written: line and column count from 1. */
export interface PlacedPolicy {
  /** The policy's `@id`, or `policy<N>`, counted from 0 over all policies of the gateway. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The policy in a message, such as `policy "no-climate" (team.yaml:46:13)`. */
export function namePolicy({ name, file, line, column }: PlacedPolicy): string {
  return `policy "${name}" (${file}:${line}:${column})`;
}

/** An evaluation error of a policy, located at the part that fails. */
export interface PlacedError {
  /** The policy that fails; undefined when the request itself is invalid. */
  readonly policy: PlacedPolicy | undefined;
  readonly message: string;
}

export type PolicyDecision =
  /** The first policies in source order decide. */
  | { readonly type: 'permit'; readonly policies: readonly PlacedPolicy[] }
  | { readonly type: 'no-policies' }
  | { readonly type: 'no-permit' }
  | { readonly type: 'forbid'; readonly policies: readonly PlacedPolicy[] }
  | { readonly type: 'policy-error'; readonly errors: readonly PlacedError[] };

export function isPermitted({ type }: PolicyDecision): boolean {
  return type === 'permit' || type === 'no-policies';
}

export interface GatewayPolicies {
  /** Decides a call with the given arguments. */
  decide(
    caller: CedarCaller | undefined,
    action: CedarAction,
    target: CedarTarget,
    args: CallArguments,
  ): PolicyDecision;
  /** Whether lists show the item: some arguments may be permitted. */
  lists(caller: CedarCaller | undefined, action: CedarAction, target: CedarTarget): boolean;
  /**
   * Why the gateway refuses arguments before it evaluates policies.
   *
   * @param declares whether the tool or prompt declares an argument of that name
   */
  findAmbiguity(action: CedarAction, args: CallArguments, declares: (name: string) => boolean): string | undefined;
}

const NO_POLICIES: GatewayPolicies = {
  decide: () => ({ type: 'no-policies' }),
  lists: () => true,
  findAmbiguity: () => undefined,
};

/** The policies of a gateway, ready to be evaluated. Undefined when they are not in the sources. */
export function preparePolicies(gateway: GatewayModel): GatewayPolicies | undefined {
  const { authorization } = gateway.plan;
  if (authorization.engine === 'none') return NO_POLICIES;
  if (authorization.policyCount === 0) return undefined;
  return {
    decide: (caller, action, target, args) =>
      describeDecision(gateway, authorization, decide(authorization, caller, action, target, args)),
    lists: (caller, action, target) => isListed(authorization, caller, action, target),
    findAmbiguity: (action, args, declares) =>
      looksAtArguments(authorization, action)
        ? findAmbiguousArgument(Object.keys(args), getNamedArguments(authorization), declares)
        : undefined,
  };
}

function describeDecision(gateway: GatewayModel, plan: CedarPlan, decision: Decision): PolicyDecision {
  // Cedar reports ids in no fixed order; this restores the order of the source.
  const placed = (ids: readonly string[]) =>
    plan.policies.filter(({ id }) => ids.includes(id)).flatMap(({ id }) => locatePolicy(gateway, id) ?? []);
  switch (decision.type) {
    case 'allow':
      return { type: 'permit', policies: placed(decision.permits) };
    case 'deny':
      return decision.forbids.length === 0
        ? { type: 'no-permit' }
        : { type: 'forbid', policies: placed(decision.forbids) };
    case 'fails': {
      const errors = decision.errors.map(({ policy, message, span }) => ({
        policy: policy === undefined ? undefined : locatePolicy(gateway, policy, span),
        message,
      }));
      return { type: 'policy-error', errors };
    }
  }
}

/** @param span within the text of the policy; the whole policy by default */
function locatePolicy(gateway: GatewayModel, id: string, span?: readonly [number, number]): PlacedPolicy | undefined {
  const policy = findPolicySet(gateway)?.policies.find(entry => entry.id === id);
  return policy === undefined ? undefined : placePolicy(policy, span);
}

export function placePolicy(
  { name, source, offset, text }: NamedPolicy,
  span?: readonly [number, number],
): PlacedPolicy {
  const [start, end] = span ?? [0, text.length];
  const { file, range } = locatePolicyText(source, { offset: offset + start, length: end - start });
  return { name, file, line: range.start.line, column: range.start.column };
}
