/** What Cedar answers to one request, asked the way a gateway asks. */

import type { EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import {
  type CedarAction,
  type CedarCaller,
  type CedarPlan,
  type CedarTarget,
  cedarPrincipal,
  cedarRequest,
} from '#schemas';
import { askCedar } from './load-cedar.ts';

/** Policies by their ids. */
export type Decision =
  | { readonly type: 'allow'; readonly permits: readonly string[] }
  /** Without forbids, nothing permits it. */
  | { readonly type: 'deny'; readonly forbids: readonly string[] }
  /** An error denies, whatever other policies say. */
  | { readonly type: 'fails'; readonly errors: readonly PolicyError[] };

export interface PolicyError {
  /** Undefined where the request itself cannot be judged. */
  readonly policy: string | undefined;
  readonly message: string;
}

/**
 * @param caller undefined: nobody authenticated it
 * @param args of the call
 */
export function decide(
  plan: CedarPlan,
  caller: CedarCaller | undefined,
  action: CedarAction,
  target: CedarTarget,
  args: Readonly<Record<string, unknown>> = {},
): Decision {
  return decideBy(
    plan,
    plan.policies.map(({ id, text }) => [id, text]),
    caller,
    action,
    target,
    args,
  );
}

/** Whether a list shows it: what some arguments may be permitted for. */
export function isListed(
  plan: CedarPlan,
  caller: CedarCaller | undefined,
  action: CedarAction,
  target: CedarTarget,
): boolean {
  const texts = plan.policies.map(({ id, text, listText = text }): [string, string] => [id, listText]);
  return decideBy(plan, texts, caller, action, target, {}).type === 'allow';
}

function decideBy(
  plan: CedarPlan,
  policies: readonly (readonly [id: string, text: string])[],
  caller: CedarCaller | undefined,
  action: CedarAction,
  target: CedarTarget,
  args: Readonly<Record<string, unknown>>,
): Decision {
  const request = cedarRequest(plan, cedarPrincipal(caller, plan), action, target, args);
  const answer = askCedar(cedar =>
    cedar.isAuthorized({
      principal: { ...request.principal },
      action: { ...request.action },
      resource: { ...request.resource },
      context: request.context as Record<string, never>,
      policies: { staticPolicies: Object.fromEntries(policies) },
      entities: request.entities as unknown as EntityJson[],
    }),
  );
  if (answer === undefined) return failing([{ policy: undefined, message: 'nested too deeply to be judged' }]);
  if (answer.type === 'failure') return failing(answer.errors.map(({ message }) => ({ policy: undefined, message })));
  const { decision, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0) {
    return failing(diagnostics.errors.map(({ policyId, error }) => ({ policy: policyId, message: error.message })));
  }
  return decision === 'allow'
    ? { type: 'allow', permits: diagnostics.reason }
    : { type: 'deny', forbids: diagnostics.reason };
}

function failing(errors: readonly PolicyError[]): Decision {
  return { type: 'fails', errors };
}
