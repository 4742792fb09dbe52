/** Which callers may do what, according to the policies of a gateway alone. */
import { buildCedarAttributes, CEDAR_ACTIONS, type CedarAction } from '#shared/plan';
import { chooseIncomingAuth } from '../../resolve/choose-incoming-auth.ts';
import type { GatewayModel } from '../gateway/model.ts';
import { findPolicySet, type NamedPolicy, type PolicySet } from './authorization.ts';
import { evaluatePartially, readKnownValue } from './evaluate-partially.ts';
import { type Expr, FALSE, TRUE } from './expression.ts';
import { type Failure, findFailures, withoutFailures } from './failures.ts';
import { hasSubject, type PartialRequest, type RequestedItem } from './partial-request.ts';
import type { PlacedText } from './policy-source.ts';
import { print } from './print.ts';

export type { RequestedItem } from './partial-request.ts';

/** Which callers may use one item. */
export type ItemAccess<C = Condition> =
  /** Every admitted caller. */
  | { readonly type: 'everyone' }
  | { readonly type: 'nobody' }
  /** Callers for whom one of `permits` holds and none of `forbids`. */
  | { readonly type: 'some'; readonly permits: readonly C[]; readonly forbids: readonly C[] };

/** The remaining condition of a policy on the caller, the arguments or the context. */
export interface UnplacedCondition {
  /** The policy's `@id`, or `policy<N>`, counted from 0 over all policies of the gateway. */
  readonly policy: string;
  /** The condition as Cedar: `principal in Group::"eng" && context.arg_branch == "main"`. `true` when there is none. */
  readonly text: string;
  /**
   * Set in `forbids` for an evaluation error rather than a forbid: a policy that cannot be evaluated denies. `text` says when that happens, as
   * far as Cedar can express it.
   */
  readonly fails?: true;
}

export interface Condition extends UnplacedCondition {
  /** Where the policy is written. */
  readonly location: PolicyLocation;
}

export interface PolicyLocation {
  readonly source: PlacedText;
  /** Offset in the text, in UTF-16 code units. */
  readonly offset: number;
  readonly length: number;
}

export interface Authorization {
  readonly policies: readonly NamedPolicy[];
  getAccess(action: CedarAction, target: RequestedItem): ItemAccess;
  /** The first policy that permits the item to every caller; undefined when no policy does. */
  findUnconditionalPermit(action: CedarAction, target: RequestedItem): NamedPolicy | undefined;
}

export const EVERYONE: ItemAccess<never> = { type: 'everyone' };
export const NO_ACCESS: ItemAccess<never> = { type: 'nobody' };

/**
 * The policies of a gateway, ready to be asked. Undefined when no policies are configured, or when they cannot be read, which is a finding of its
 * own.
 */
export function loadAuthorization(gateway: GatewayModel): Authorization | undefined {
  const set = findPolicySet(gateway);
  if (set === undefined) return undefined;
  const world = (action: CedarAction, target: RequestedItem) => buildPartialRequest(gateway, set, action, target);
  const answers = new Map<string, ItemAccess>();
  return {
    policies: set.policies,
    getAccess: (action, target) => {
      const request = world(action, target);
      // The key contains everything in which the targets of one gateway may differ. The cache matters because workflows call the same tools again and
      // again.
      const key = JSON.stringify([request.resource, request.attrs]);
      const answer = answers.get(key) ?? evaluateAccess(set.policies, request);
      answers.set(key, answer);
      return answer;
    },
    findUnconditionalPermit: (action, target) => findUnconditionalPermit(set.policies, world(action, target)),
  };
}

export function buildPartialRequest(
  { resource }: GatewayModel,
  set: PolicySet,
  action: CedarAction,
  target: RequestedItem,
): PartialRequest {
  return {
    action,
    resource: { type: CEDAR_ACTIONS[action].type, id: target.name },
    attrs: buildCedarAttributes(action, { name: target.name, annotations: target.definition.annotations }),
    parents: [{ type: 'MCP', id: resource.name }],
    entities: set.entities,
    groupType: set.source.groupType,
    isAnonymous: chooseIncomingAuth(resource.spec).type === 'anonymous',
    hasSubject: hasSubject(resource),
  };
}

export function evaluateAccess(policies: readonly NamedPolicy[], request: PartialRequest): ItemAccess {
  return evaluateConditions(policies, request, toCondition);
}

/** The part of a policy that decides, without the place where the policy is written. */
export type UnplacedPolicy = Pick<NamedPolicy, 'name' | 'json' | 'condition'>;

/** Does the same as {@link evaluateAccess}, for the policies of a bundle. */
export function evaluateUnplaced(
  policies: readonly UnplacedPolicy[],
  request: PartialRequest,
): ItemAccess<UnplacedCondition> {
  return evaluateConditions(policies, request, ({ name }, text): UnplacedCondition => ({ policy: name, text }));
}

function evaluateConditions<P extends UnplacedPolicy, C extends UnplacedCondition>(
  policies: readonly P[],
  request: PartialRequest,
  toCondition: (policy: P, text: string) => C,
): ItemAccess<C> {
  const permits: C[] = [];
  const forbids: C[] = [];
  for (const policy of policies) {
    const outcome = evaluatePartially(policy.condition, request);
    // An evaluation error denies, even if other policies permit.
    if (outcome.type === 'fails') return NO_ACCESS;
    const holds = withoutFailures(outcome.expr);
    if (holds !== FALSE && isFalse(holds) === false) {
      if (policy.json.effect === 'forbid' && isTrue(holds)) return NO_ACCESS;
      (policy.json.effect === 'permit' ? permits : forbids).push(toCondition(policy, print(holds)));
    }
    const failures = readKnownValue(outcome.expr) === undefined ? findFailures(outcome.expr, request.hasSubject) : [];
    if (failures.includes('')) return NO_ACCESS;
    if (failures.length > 0) forbids.push({ ...toCondition(policy, joinFailures(failures)), fails: true });
  }
  if (permits.length === 0) return NO_ACCESS;
  const unconditional = permits.filter(({ text }) => text === 'true');
  if (unconditional.length === 0) return { type: 'some', permits, forbids };
  return forbids.length === 0 ? EVERYONE : { type: 'some', permits: unconditional, forbids };
}

function findUnconditionalPermit(policies: readonly NamedPolicy[], request: PartialRequest): NamedPolicy | undefined {
  const permit = policies.find(({ json, condition }) => {
    const outcome = json.effect === 'permit' ? evaluatePartially(condition, request) : undefined;
    return outcome?.type === 'residual' && isTrue(outcome.expr);
  });
  return permit === undefined || evaluateAccess(policies, request).type !== 'everyone' ? undefined : permit;
}

function toCondition({ name, source, offset, text: policyText }: NamedPolicy, text: string): Condition {
  return { policy: name, text, location: { source, offset, length: policyText.length } };
}

function joinFailures(failures: readonly Failure[]): string {
  return failures.join(' || ');
}

function isTrue(expr: Expr): boolean {
  return expr === TRUE || readKnownValue(expr)?.value === true;
}

function isFalse(expr: Expr): boolean {
  return expr === FALSE || readKnownValue(expr)?.value === false;
}
