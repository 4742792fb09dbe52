/** Evaluates one request with Cedar, in the way the gateway does. */

import type { DetailedError, EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { CedarPlan } from '#schemas';
import {
  buildCedarPrincipal,
  buildCedarRequest,
  type CedarAction,
  type CedarCaller,
  type CedarReads,
  type CedarTarget,
  findUndecidable,
  type NamedArguments,
  readCedarUses,
  selectPolicyArguments,
  toNamedArguments,
} from '#shared/plan';
import { type Cedar, callCedar } from './load-cedar.ts';
import { toCodeUnits } from './parse-policies.ts';

/** The result of one request. Policies are named by their ids. */
export type Decision =
  | { readonly type: 'allow'; readonly permits: readonly string[] }
  /** Denied; without forbids, because no policy permits it. */
  | { readonly type: 'deny'; readonly forbids: readonly string[] }
  /** Denied because of an evaluation error, even if other policies permit. */
  | { readonly type: 'fails'; readonly errors: readonly PolicyError[] };

export interface PolicyError {
  /** The id of the policy that fails; undefined when the request itself is invalid. */
  readonly policy: string | undefined;
  readonly message: string;
  /** The part that fails, within the policy's text; UTF-16 code units. */
  readonly span?: readonly [start: number, end: number];
}

/**
 * @param caller undefined for an unauthenticated caller
 * @param args arguments of the call
 */
export function decide(
  plan: CedarPlan,
  caller: CedarCaller | undefined,
  action: CedarAction,
  target: CedarTarget,
  args: Readonly<Record<string, unknown>> = {},
): Decision {
  // Arguments that no policy reads are left out: they may have types that Cedar cannot represent.
  if (!looksAtArguments(plan, action)) return decideBy('calls', plan, caller, action, target, {});
  const policyArguments = selectPolicyArguments(target, args, getNamedArguments(plan));
  return policyArguments.type === 'asked'
    ? decideBy('calls', plan, caller, action, target, policyArguments.args)
    : createFailedDecision([{ policy: undefined, message: policyArguments.problem }]);
}

/** Whether the action has arguments and some policy reads them. */
export function looksAtArguments({ policies }: CedarPlan, action: CedarAction): boolean {
  return action !== 'read_resource' && policies.some(({ listText }) => listText !== undefined);
}

/** The arguments that some policy reads. */
export function getNamedArguments(plan: CedarPlan): NamedArguments {
  return toNamedArguments(getReads(plan));
}

/** Whether lists show the item, that is, whether some arguments may be permitted. Resources are read without arguments. */
export function isListed(
  plan: CedarPlan,
  caller: CedarCaller | undefined,
  action: CedarAction,
  target: CedarTarget,
): boolean {
  const set = action === 'read_resource' ? 'calls' : 'lists';
  return decideBy(set, plan, caller, action, target, {}).type === 'allow';
}

function decideBy(
  set: PolicySetName,
  plan: CedarPlan,
  caller: CedarCaller | undefined,
  action: CedarAction,
  target: CedarTarget,
  args: Readonly<Record<string, unknown>>,
): Decision {
  const violation = findUndecidable(target, args);
  if (violation !== undefined) return createFailedDecision([{ policy: undefined, message: violation }]);
  const request = buildCedarRequest(plan, buildCedarPrincipal(caller, plan, getReads(plan)), action, target, args);
  const answer = callCedar(cedar => {
    prepare(cedar, set, plan);
    return cedar.statefulIsAuthorized({
      principal: { ...request.principal },
      action: { ...request.action },
      resource: { ...request.resource },
      context: request.context as Record<string, never>,
      preparsedPolicySetId: set,
      entities: request.entities as unknown as EntityJson[],
    });
  });
  if (answer === undefined)
    return createFailedDecision([{ policy: undefined, message: 'Cedar fails at this request' }]);
  if (answer.type === 'failure')
    return createFailedDecision(answer.errors.map(({ message }) => ({ policy: undefined, message })));
  const { decision, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0) {
    const texts = new Map(listPolicyTexts(set, plan));
    return createFailedDecision(
      diagnostics.errors.map(({ policyId, error }) => toPolicyError(policyId, error, texts.get(policyId) ?? '')),
    );
  }
  return decision === 'allow'
    ? { type: 'allow', permits: diagnostics.reason }
    : { type: 'deny', forbids: diagnostics.reason };
}

/** What the policies of a plan read. */
const READS = new WeakMap<CedarPlan, { readonly reads: CedarReads }>();

function getReads(plan: CedarPlan): CedarReads {
  let known = READS.get(plan);
  if (known === undefined) {
    const texts = plan.policies.flatMap(({ text, listText = text }) => [text, listText]);
    const answers = callCedar(cedar => texts.map(text => cedar.policyToJson(text))) ?? [];
    const parsed = answers.flatMap(answer => (answer.type === 'success' ? [answer.json] : []));
    known = { reads: parsed.length === texts.length ? readCedarUses(parsed) : undefined };
    READS.set(plan, known);
  }
  return known.reads;
}

/** The policies as written, or the variant for requests whose arguments are unknown. */
type PolicySetName = 'calls' | 'lists';

/**
 * The policy set that each Cedar instance parsed last. Consecutive questions are mostly about the same policies, and parsing takes the most
 * time.
 */
const PREPARED = new Map<PolicySetName, { readonly cedar: Cedar; readonly plan: CedarPlan }>();

function prepare(cedar: Cedar, set: PolicySetName, plan: CedarPlan): void {
  const before = PREPARED.get(set);
  if (before?.cedar === cedar && before.plan === plan) return;
  const answer = cedar.preparsePolicySet(set, { staticPolicies: Object.fromEntries(listPolicyTexts(set, plan)) });
  if (answer.type === 'failure') throw new Error('policies that were parsed before cannot be parsed again');
  PREPARED.set(set, { cedar, plan });
}

function listPolicyTexts(
  set: PolicySetName,
  { policies }: CedarPlan,
): readonly (readonly [id: string, text: string])[] {
  return policies.map(({ id, text, listText = text }) => [id, set === 'calls' ? text : listText]);
}

function toPolicyError(policy: string, { message, sourceLocations }: DetailedError, text: string): PolicyError {
  const [location] = sourceLocations ?? [];
  return { policy, message, ...(location && { span: toCodeUnits(text, [location.start, location.end]) }) };
}

function createFailedDecision(errors: readonly PolicyError[]): Decision {
  return { type: 'fails', errors };
}
